"""What was measured, as one table: absolute, and in ratio to a peer and to the ceiling."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from client import Sample

    Samples = Mapping[int, Sequence[Sample]]
    """Of one server, by number of connections."""

ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Figure:
    """One column: what it shows of the samples at one number of connections."""

    title: str
    connections: int
    read: Callable[[Sample], float]
    digits: int

    @property
    def heading(self) -> str:
        """Text at the top of the column."""
        return f"{self.title} @{self.connections}"

    def values(self, samples: Samples) -> list[float]:
        """One value a round."""
        return [self.read(sample) for sample in samples[self.connections]]

    def show(self, value: float) -> str:
        """A value, rounded for people."""
        return f"{value:,.{self.digits}f}"

    def show_median(self, samples: Samples) -> str:
        """The middle of the rounds."""
        return self.show(median(self.values(samples)))

    def show_spread(self, samples: Samples) -> str:
        """The lowest and the highest of the rounds."""
        values = self.values(samples)
        return f"{self.show(min(values))}-{self.show(max(values))}"

    def show_ratio(self, samples: Samples, base: Samples | None) -> str:
        """The value as a multiple of the base's, where there is a base.

        Taken round by round, since one round's load is not another's; then the median.
        """
        if base is None:
            return ABSENT
        rounds = zip(self.values(samples), self.values(base), strict=True)
        ratio = median(value / other for value, other in rounds)
        digits = 3 if ratio < 1 else 2 if ratio < 100 else 0  # noqa: PLR2004 - three tell enough
        return f"{ratio:,.{digits}f}x"


def print_report(servers: Mapping[str, Samples], bases: Mapping[str, str]) -> None:
    """Print medians with ratios, then how far each figure moved between rounds.

    Args:
        bases: servers to compare with, by the short name that headings give them; a server that
            was not measured leaves its ratios out.
    """
    few, many = sorted(next(iter(servers.values())))
    cpu, rate = (
        [Figure("CPU ms", number, lambda sample: sample.cpu_ms, 2) for number in (few, many)],
        [Figure("req/s", number, lambda sample: sample.rate, 0) for number in (few, many)],
    )
    delays = [
        figure
        for number in (few, many)
        for figure in (
            Figure("p50 ms", number, lambda sample: sample.p50_ms, 2),
            Figure("p99 ms", number, lambda sample: sample.p99_ms, 2),
        )
    ]
    figures = [*cpu, *rate, *delays]
    compared = [(figure, short) for short in bases for figure in (cpu[0], cpu[1], rate[1])]
    print(f"\nmedians; CPU: of all server processes, a request; @{few}, @{many}: connections")
    print_table(
        [
            ["", *(figure.heading for figure in figures)],
            *(
                [name, *(figure.show_median(samples) for figure in figures)]
                for name, samples in servers.items()
            ),
        ]
    )
    print("\nthe same in ratio, round by round; medians")
    print_table(
        [
            ["", *(f"{figure.heading} : {short}" for figure, short in compared)],
            *(
                [
                    name,
                    *(
                        figure.show_ratio(samples, servers.get(bases[short]))
                        for figure, short in compared
                    ),
                ]
                for name, samples in servers.items()
            ),
        ]
    )
    print("\nlowest and highest of the rounds")
    print_table(
        [
            ["", *(figure.heading for figure in figures)],
            *(
                [name, *(figure.show_spread(samples) for figure in figures)]
                for name, samples in servers.items()
            ),
        ]
    )
    others = [
        sample.others
        for samples in servers.values()
        for kept in samples.values()
        for sample in kept
    ]
    print(
        "\nprocessors kept busy by others while measuring: "
        f"{median(others):.2f} ({min(others):.2f}-{max(others):.2f})"
    )


def print_table(lines: Sequence[Sequence[str]]) -> None:
    """Columns of text, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        first, *others = (
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())
