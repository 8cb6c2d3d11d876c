"""Writes a report of one operation on one device, as Markdown or HTML, with `kgraph.client`.

    python examples/report/report.py liger-megatron-swiglu --hardware "NVIDIA H100" > report.md
    python examples/report/report.py liger-rms-norm --format html > report.html
    python examples/report/report.py liger-rms-norm --server https://kgraph.example.org > report.md

Without `--server`, a server of the starter catalogue is started for as long as it takes. Every
number of a report is of one snapshot, which it names.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kgraph.client import Client, KgraphClientError

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from serve import start_kgraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.client import (
        CatalogState,
        OperationPage,
        RankedRow,
        RecordEventRow,
        RunPage,
        SweepRow,
    )

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Line:
    """One cohort of the report, best run first."""

    key: str
    workload: str
    protocol: str
    ranked: Sequence[RankedRow]
    floor: str | None
    """Estimate of what the hardware allows, for people; None where there is none."""
    ratio: float | None
    """Of the record to it."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """How implementations scale along one axis; a row for each size."""

    axis: str
    protocol: str
    held: str
    implementations: Sequence[str]
    rows: Sequence[tuple[int, Sequence[str | None]]]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the templates show."""

    server: str
    catalog: CatalogState
    page: OperationPage
    hardware: str
    lines: Sequence[Line]
    scalings: Sequence[Scaling]
    changes: Sequence[RecordEventRow]
    wins: Sequence[tuple[str, int]]
    """How many records each implementation holds, most first."""
    leader: RunPage | None
    """The record of the largest margin over its baseline, to cite."""

    def protocol_of(self, key: str) -> str:
        """How a cohort is measured, by its key."""
        return next(line.protocol for line in self.lines if line.key == key)


def make_report(kgraph: Client, slug: str, hardware: str | None) -> Report:
    """What is to be said of an operation on a device.

    Args:
        kgraph: pinned, so that all of it agrees.
        hardware: product; the one with the most cohorts where None.

    Raises:
        KgraphClientError: nothing has the name, or nothing was measured on the device.
    """
    page = kgraph.operation(slug, workloads=200)
    if page is None:
        raise KgraphClientError("NOT_FOUND", f"there is no operation {slug}")
    products = Counter(
        cohort.hardware.product
        for workload in page.workloads.nodes
        for cohort in workload.cohorts
        if cohort.record
    )
    chosen = hardware or next(iter(dict(products.most_common(1))), "")
    if chosen not in products:
        measured = ", ".join(products) or "no device"
        raise KgraphClientError("NOT_FOUND", f"{slug} is measured on {measured}, not on {chosen}")
    lines = [
        Line(
            cohort.key,
            workload.label,
            cohort.protocol.title,
            list(kgraph.ranking(cohort.key)),
            cohort.headroom.display if cohort.headroom else None,
            cohort.headroom.record_ratio if cohort.headroom else None,
        )
        for workload in page.workloads.nodes
        for cohort in workload.cohorts
        if cohort.record and cohort.hardware.product == chosen
    ]
    lines.sort(key=lambda line: (line.protocol, _natural(line.workload)))
    best = max(lines, key=lambda line: line.ranked[0].speedup_over_baseline or 0)
    return Report(
        server=kgraph.url,
        catalog=kgraph.catalog(),
        page=page,
        hardware=chosen,
        lines=lines,
        scalings=make_scalings(kgraph.sweep(slug), chosen),
        changes=list(kgraph.record_history(operation=page.slug, hardware=chosen, limit=20)),
        wins=Counter(line.ranked[0].run.implementation.title for line in lines).most_common(),
        leader=kgraph.run(best.ranked[0].run.digest),
    )


def make_scalings(points: Sequence[SweepRow], hardware: str) -> list[Scaling]:
    """A table for each sweep on a device."""
    found: dict[tuple[str, str, str], list[SweepRow]] = {}
    for point in points:
        if point.hardware == hardware:
            found.setdefault((point.axis, point.protocol, point.held), []).append(point)
    made = []
    for (axis, protocol, held), rows in found.items():
        names = sorted({row.implementation for row in rows})
        shown = {(row.axis_value, row.implementation): row.display for row in rows}
        sizes = sorted({row.axis_value for row in rows})
        lines = [(size, [shown.get((size, name)) for name in names]) for size in sizes]
        made.append(Scaling(axis, protocol, held, names, lines))
    return made


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


def escape_markdown(text: object) -> str:
    """Text that Markdown shows as it is, in a table too."""
    plain = " ".join(str(text).split())
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&])", r"\\\1", plain)


def write_report(report: Report, form: str) -> str:
    """A report as text.

    Args:
        form: `markdown` or `html`.
    """
    templates = Environment(
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        # Names in a catalogue are other people's: whatever they hold is shown as text.
        autoescape=form == "html",  # noqa: S701 - Markdown is escaped by `finalize`
        finalize=(lambda value: value) if form == "html" else _show_markdown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # What is put together here is safe as it stands: a quoted address, or a name fenced as code.
    templates.filters["run_page"] = lambda digest: Markup(  # noqa: S704
        f"{report.server}/r/{quote(digest, safe=':')}"
    )
    templates.filters["address"] = lambda url: Markup(f"<{quote(url, safe=':/')}>")  # noqa: S704
    templates.filters["as_code"] = _fence
    templates.filters["times"] = lambda ratio: "–" if ratio is None else f"{ratio:.2f}×"
    return templates.get_template(f"report.{form}.jinja").render(report=report)


def _show_markdown(value: object) -> object:
    return value if isinstance(value, Markup) else escape_markdown(value)


def _fence(text: str) -> Markup:
    return Markup("`{}`").format(Markup(text.replace("`", " ")))  # noqa: S704 - code shows all


def main() -> None:
    """Print a report."""
    parser = argparse.ArgumentParser(description="Report on one operation on one device.")
    parser.add_argument("operation", nargs="?", default="liger-megatron-swiglu", help="slug")
    parser.add_argument(
        "--hardware", help="product, as 'NVIDIA H100'; the most measured if omitted"
    )
    parser.add_argument("--format", choices=["markdown", "html"], default="markdown")
    parser.add_argument("--server", help="address of a running server; one is started if omitted")
    given = parser.parse_args()

    def report_from(server: str) -> str:
        with Client(server) as kgraph:
            report = make_report(kgraph.pinned(), given.operation, given.hardware)
        return write_report(report, given.format)

    try:
        if given.server:
            text = report_from(given.server)
        else:
            with start_kgraph() as server:
                text = report_from(server)
    except KgraphClientError as error:
        sys.exit(str(error))
    print(text, end="")


if __name__ == "__main__":
    main()
