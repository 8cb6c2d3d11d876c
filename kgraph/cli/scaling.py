"""`kgraph scaling`: how implementations scale along an axis, above the floor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from kgraph.cli.asking import AskingOptions, asking_options, open_asker
from kgraph.cli.finding import (
    Narrowing,
    UnknownNameError,
    find_near,
    find_subject,
    narrowing_options,
)
from kgraph.cli.output import clean, count, print_json
from kgraph.cli.plot import MAX_SERIES, Axis, Series, draw_scaling
from kgraph.cli.terminal import (
    TableColumn,
    Terminal,
    fit_table,
    measure,
    read_terminal,
    say,
    tell,
    wrap,
)
from kgraph.cli.top import fit_width
from kgraph.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.cli.asking import Data

_MAX_OTHERS = 6


@click.command()
@click.argument("operation")
@click.option("--axis", metavar="NAME", help="The axis that varies, as tokens.")
@narrowing_options
@click.option("--plot/--no-plot", "is_plotted", default=None, help="[default: on a terminal]")
@asking_options
def command(
    operation: str,
    *,
    axis: str | None,
    narrowing: Narrowing,
    is_plotted: bool | None,
    options: AskingOptions,
) -> int:
    """Show how implementations of OPERATION scale along an axis, everything else equal.

    Where several sweeps are meant, that with most measured points is shown. Nothing between
    measured points is a claim.

    Exit status 1 where a name means nothing, or nothing was measured at two sizes.
    """
    terminal = read_terminal()
    with open_asker(options) as asker:
        subject = find_subject(asker, operation)
        found = asker.ask("scaling", slug=subject.slug)
    sweeps = found["operation"]["sweeps"]
    if not sweeps:
        tell(f"kgraph: {subject.slug}: nothing is measured at two sizes of one axis", terminal)
        return 1
    chosen = _narrow(sweeps, axis, narrowing)
    sweep = max(chosen, key=_count_points)
    others = [each for each in chosen if each is not sweep]
    if options.as_json:
        named = {"slug": subject.slug, "title": subject.title}
        names = [_name(each) for each in others]
        print_json(found["catalog"] | {"operation": named, "sweep": sweep, "otherSweeps": names})
        return 0
    about = _describe(subject.title, subject.slug, sweep)
    say([part for line in about for part in wrap(clean(line), terminal)], terminal)
    wants_plot = terminal.is_interactive if is_plotted is None else is_plotted
    if wants_plot:
        say(["", *_draw(sweep, terminal)], terminal)
    say(["", *_tabulate(sweep, fit_width(terminal))], terminal)
    passed = [_say_crossover(sweep, each) for each in sweep["crossovers"]]
    if passed:
        say(["", *(part for line in passed for part in wrap(clean(line), terminal))], terminal)
    if others:
        rest = count(len(others), "other sweep")
        tell(f"kgraph: {rest}; --axis, --hardware, --protocol or --workload chooses:", terminal)
        for each in others[:_MAX_OTHERS]:
            tell(f"  {_summarize(each)}", terminal)
        if len(others) > _MAX_OTHERS:
            tell(f"  and {len(others) - _MAX_OTHERS:,} more", terminal)
    return 0


def _narrow(sweeps: Sequence[Data], axis: str | None, narrowing: Narrowing) -> list[Data]:
    """The sweeps that a person means.

    Raises:
        UnknownNameError: none is of that axis, hardware, protocol or workload.
    """
    found = list(sweeps)
    tests = (
        ("--axis", axis, lambda each: each["axis"]),
        ("--hardware", narrowing.hardware, lambda each: each["hardware"]["product"]),
        ("--protocol", narrowing.protocol, lambda each: each["protocol"]["title"]),
        ("--workload", narrowing.workload, _write_held),
    )
    for option, text, read in tests:
        if text is None:
            continue
        words = text.replace(" = ", "=").replace(",", " ").replace("·", " ").lower().split()
        known = list(dict.fromkeys(read(each) for each in found))
        if option == "--axis":
            found = [each for each in found if each["axis"] == text]
        else:
            found = [
                each
                for each in found
                if all(word in read(each).replace(" = ", "=").lower() for word in words)
            ]
        if not found:
            raise UnknownNameError(option, text, find_near(text, known))
    return found


def _write_held(sweep: Data) -> str:
    """What does not vary."""
    held = [f"{axis['name']} = {axis['value']}" for axis in sweep["heldAxes"]]
    return " · ".join([*held, *sweep["dtypes"]])


def _name(sweep: Data) -> Data:
    """What tells a sweep from the others of its operation."""
    names = ("axis", "heldAxes", "dtypes", "metric", "hardware", "protocol", "environment")
    return {name: sweep[name] for name in names}


def _summarize(sweep: Data) -> str:
    parts = (sweep["axis"], sweep["hardware"]["product"], sweep["protocol"]["title"])
    return " · ".join((*parts, _write_held(sweep)))


def _describe(title: str, slug: str, sweep: Data) -> list[str]:
    hardware, metric = sweep["hardware"], sweep["metric"]
    device = " ".join(filter(None, (hardware["product"], hardware["formFactor"])))
    what = " ".join(filter(None, (metric["statistic"], metric["name"])))
    return [
        f"{title} · {slug}",
        f"along {sweep['axis']} · {_write_held(sweep)}",
        f"{device} · {sweep['protocol']['title']} · {what}",
    ]


def _count_points(sweep: Data) -> tuple[int, int]:
    return sum(len(one["points"]) for one in sweep["series"]), len(sweep["series"])


def _label(sweep: Data) -> list[str]:
    """A name for each series; two of one title are told apart by language or digest."""
    found = [each["implementation"] for each in sweep["series"]]
    titles = Counter(each["title"] for each in found)
    by_language = Counter((each["title"], each["language"]) for each in found)
    labels = []
    for each in found:
        label = each["title"]
        if titles[label] > 1:
            is_enough = by_language[label, each["language"]] == 1
            label += f" ({each['language'] if is_enough else each['digest'][7:15]})"
        labels.append(label)
    return labels


def _read_floor(sweep: Data) -> dict[int, Data]:
    """The floor at each measured size, where one is known."""
    found = {}
    for leader in sweep["leaders"]:
        floor = leader["run"]["cohort"]["headroom"]
        if floor is not None and floor["floorNs"] and sweep["unit"] == "ns":
            found[leader["axisValue"]] = floor
    return found


def _draw(sweep: Data, terminal: Terminal) -> list[str]:
    series = [
        Series(label, [(point["axisValue"], point["value"]) for point in one["points"]])
        for label, one in zip(_label(sweep), sweep["series"], strict=True)
    ]
    # A logarithm takes no zero; and most points say most.
    drawn = [one for one in series if all(at > 0 and value > 0 for at, value in one.points)]
    drawn.sort(key=lambda one: -len(one.points))
    if not drawn:
        return ["no plot: nothing to set on a logarithmic axis"]
    rest = len(series) - len(drawn[:MAX_SERIES])
    floor = [(at, found["floorNs"]) for at, found in sorted(_read_floor(sweep).items())]
    lines = draw_scaling(
        drawn[:MAX_SERIES],
        floor=floor,
        crossovers=[(each["below"], each["above"]) for each in sweep["crossovers"]],
        x=Axis(sweep["axis"], lambda at: f"{at:.0f}"),
        y=Axis(sweep["metric"]["name"], lambda value: format_quantity(value, sweep["unit"])),
        terminal=terminal,
    )
    return [*lines, f"  {rest:,} more are in the table"] if rest else lines


def _tabulate(sweep: Data, width: int | None) -> list[str]:
    """Sizes down, implementations across; or a line for each value where that is too wide."""
    labels, floor = _label(sweep), _read_floor(sweep)
    leaders = {
        leader["axisValue"]: {each["digest"] for each in leader["implementations"]}
        for leader in sweep["leaders"]
    }
    cells: dict[tuple[int, int], str] = {}
    for column, one in enumerate(sweep["series"]):
        for point in one["points"]:
            leads = one["implementation"]["digest"] in leaders.get(point["axisValue"], set())
            cells[point["axisValue"], column] = f"{'* ' if leads else ''}{point['display']}"
    sizes = sorted({at for at, _ in cells})
    columns = [TableColumn(sweep["axis"], is_number=True)]
    columns += [TableColumn(label, is_number=True) for label in labels]
    rows: list[list[object]] = [
        [at, *(cells.get((at, column)) for column in range(len(labels)))] for at in sizes
    ]
    if floor:
        columns.append(TableColumn("floor", is_number=True))
        for row, at in zip(rows, sizes, strict=True):
            row.append(floor[at]["display"] if at in floor else None)
    table = fit_table(columns, rows, None)
    if width is not None and max(map(measure, table)) > width:
        table = fit_table(
            [
                TableColumn(sweep["axis"], is_number=True),
                TableColumn("value", is_number=True),
                TableColumn("implementation", least=14),
                TableColumn("floor", is_number=True, rank=1),
            ],
            [
                (at, cells[at, column], label, floor[at]["display"] if at in floor else None)
                for at in sizes
                for column, label in enumerate(labels)
                if (at, column) in cells
            ],
            width,
        )
    return [*table, "* fastest at this size"] if leaders else table


def _say_crossover(sweep: Data, crossover: Data) -> str:
    before = ", ".join(each["title"] for each in crossover["leadersBelow"])
    after = ", ".join(each["title"] for each in crossover["leadersAbove"])
    doubt = "" if crossover["confirmed"] else " (not all of them are measured at both)"
    return (
        f"between {sweep['axis']} {crossover['below']} and {crossover['above']} the lead passes "
        f"from {before} to {after}{doubt}"
    )
