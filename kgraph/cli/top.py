"""`kgraph top`: who is fastest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kgraph.cli.asking import AskingOptions, asking_options, open_asker
from kgraph.cli.finding import (
    Narrowing,
    find_cohort,
    find_cohorts,
    find_subject,
    narrowing_options,
)
from kgraph.cli.output import clean, count, print_json, talk
from kgraph.cli.terminal import TableColumn, fit_table, read_terminal, say, wrap
from kgraph.units import format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.cli.asking import Asker, Data
    from kgraph.cli.terminal import Terminal

_FIRST = 20
_MAX_FIRST = 200
_SHORT = slice(7, 15)
# Between the parts of labels and titles.
_JOIN = " · "
# Columns that may be the same in all rows.
_SHARED = frozenset({"language", "operation", "hardware", "workload", "protocol"})

_RANKING = (
    TableColumn("", is_number=True),
    TableColumn("value", is_number=True),
    TableColumn("vs best", is_number=True, rank=1),
    TableColumn("vs baseline", is_number=True, rank=4),
    TableColumn("implementation", least=16),
    TableColumn("language", rank=3, least=8),
    TableColumn("licence", rank=5, least=8),
    TableColumn("evidence", rank=6),
    TableColumn("observed", rank=2),
    TableColumn("run", rank=7),
)
_LEADERS = (
    TableColumn("value", is_number=True),
    TableColumn("implementation", least=14),
    TableColumn("language", rank=4, least=6),
    TableColumn("operation", rank=1, least=12),
    TableColumn("hardware", rank=1, least=10),
    TableColumn("workload", least=14),
    TableColumn("protocol", rank=2, least=12),
    TableColumn("runs", is_number=True, rank=3),
    TableColumn("cohort", rank=5),
)


@click.command()
@click.argument("operation", required=False)
@narrowing_options
@click.option("--cohort", metavar="KEY", help="One comparison, by its key or the beginning of it.")
@click.option(
    "--first",
    type=click.IntRange(1, _MAX_FIRST),
    default=_FIRST,
    show_default=True,
    help="Rows at most.",
)
@asking_options
def command(
    operation: str | None,
    *,
    narrowing: Narrowing,
    cohort: str | None,
    first: int,
    options: AskingOptions,
) -> int:
    """Say who is fastest at OPERATION, or at each operation of a family.

    One comparison is shown as a ranking, several by who leads each of them: values are never set
    beside each other that were not measured alike. Without OPERATION, standing records are
    listed, latest first.

    Exit status 1 where a name means nothing, or nothing is measured.
    """
    terminal = read_terminal()
    if operation is None and (narrowing.workload or narrowing.protocol):
        raise click.UsageError("--workload and --protocol go with OPERATION, which is not given")
    with open_asker(options) as asker:
        if operation is None and cohort is None:
            return _list_records(asker, narrowing, first, options, terminal)
        subject = None if operation is None else find_subject(asker, operation, may_be_family=True)
        where = None if subject is None else subject.where
        if cohort is not None:
            return _rank(asker, find_cohort(asker, cohort, where), first, options, terminal)
        assert where is not None  # noqa: S101 - one of the two is given
        found = find_cohorts(asker, where, narrowing)
        if len(found) == 1:
            return _rank(asker, found[0]["key"], first, options, terminal)
        led = [each for each in found if each["record"] is not None]
        if options.as_json:
            snapshot = asker.ask("cohorts", where={"key": {"eq": found[0]["key"]}})["catalog"]
            print_json(snapshot | {"cohortCount": len(found), "cohorts": led[:first]})
        else:
            _print_leaders(led[:first], terminal)
            if len(led) > first:
                talk(f"kgraph: {count(len(led) - first, 'other comparison')}; --first shows more")
        return 0 if led else 1


def _rank(asker: Asker, key: str, first: int, options: AskingOptions, terminal: Terminal) -> int:
    found = asker.ask("ranking", cohort=key, first=first)
    cohort = found["cohort"]
    if cohort is None:
        talk(f"kgraph: --cohort: found no {key!r} here")
        return 1
    ranking = cohort["ranking"]
    if options.as_json:
        print_json(found["catalog"] | {"cohort": cohort})
        return 0 if ranking["nodes"] else 1
    say(describe_cohort(cohort, terminal), terminal)
    if not ranking["nodes"]:
        talk(f"kgraph: none of its {cohort['runCount']:,} runs takes part in ranking")
        return 1
    say("", terminal)
    rows = [_cells(entry) for entry in ranking["nodes"]]
    say(fit_table(_RANKING, rows, fit_width(terminal)), terminal)
    if ranking["totalCount"] > len(rows):
        rest = count(ranking["totalCount"] - len(rows), "other run")
        talk(f"kgraph: {rest}; --first shows more")
    return 0


def describe_cohort(cohort: Data, terminal: Terminal) -> list[str]:
    """What a comparison is of, for people: a few lines."""
    hardware, floor = cohort["hardware"], cohort["headroom"]
    device = " ".join(filter(None, (hardware["product"], hardware["formFactor"])))
    metric = " ".join(filter(None, (cohort["metric"]["statistic"], cohort["metric"]["name"])))
    lines = [
        f"{cohort['operation']['title']} · {cohort['operation']['slug']}",
        f"{cohort['workload']['label']}",
        f"{device} · {cohort['protocol']['title']} · {metric}",
    ]
    if floor is not None and floor["display"] is not None:
        ratio = floor["recordRatio"]
        above = "" if ratio is None else f", record at {format_ratio(ratio)}"
        lines.append(f"floor {floor['display']} by {str(floor['bound']).lower()}{above}")
    return [part for line in lines for part in wrap(clean(line), terminal)]


def _cells(entry: Data) -> tuple[object, ...]:
    run = entry["run"]
    implementation, speedup = run["implementation"], entry["speedupOverBaseline"]
    baseline = "baseline" if entry["isBaseline"] else ""
    stale = " stale" if entry["stale"] else ""
    return (
        f"{entry['rank']}{'=' if entry['tied'] else ''}",
        entry["display"],
        format_ratio(entry["ratioToLeader"]),
        baseline or (None if speedup is None else format_ratio(speedup)),
        implementation["title"],
        implementation["language"],
        implementation["license"]["concluded"],
        entry["evidence"]["level"].lower(),
        f"{run['observedAt'][:10]}{stale}",
        run["digest"][_SHORT],
    )


def _print_leaders(cohorts: Sequence[Data], terminal: Terminal) -> None:
    rows = [
        (
            each["record"]["display"],
            each["record"]["run"]["implementation"]["title"],
            each["record"]["run"]["implementation"]["language"],
            each["operation"]["slug"],
            each["hardware"]["product"],
            each["workload"]["label"],
            each["protocol"]["title"],
            each["eligibleRunCount"],
            each["key"][_SHORT],
        )
        for each in cohorts
    ]
    _print_varying(_LEADERS, rows, terminal)


def _list_records(
    asker: Asker, narrowing: Narrowing, first: int, options: AskingOptions, terminal: Terminal
) -> int:
    where = {} if narrowing.hardware is None else {"hardware": {"contains": narrowing.hardware}}
    found = asker.ask("records", where=where or None, first=first)
    records = found["records"]
    if options.as_json:
        print_json(found["catalog"] | records)
        return 0 if records["nodes"] else 1
    rows = [
        (
            each["display"],
            each["run"]["implementation"]["title"],
            each["run"]["implementation"]["language"],
            each["cohort"]["operation"]["slug"],
            each["cohort"]["hardware"]["product"],
            each["cohort"]["workload"]["label"],
            each["cohort"]["protocol"]["title"],
            None,
            each["cohort"]["key"][_SHORT],
        )
        for each in records["nodes"]
    ]
    _print_varying(_LEADERS, rows, terminal)
    if records["totalCount"] > len(rows):
        rest = count(records["totalCount"] - len(rows), "other record")
        talk(f"kgraph: {rest}; name an operation")
    return 0 if rows else 1


def _print_varying(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[object]], terminal: Terminal
) -> None:
    """Print a table; what is the same in all rows stands above it once.

    Of texts in parts, as `vocab = 128256 · tokens = 1024`, each part is looked at by itself.
    """
    stated: list[str] = []
    kept: list[tuple[TableColumn, list[object]]] = []
    for place, column in enumerate(columns):
        cells = [row[place] for row in rows]
        shared = _find_shared(cells) if column.heading in _SHARED and len(rows) > 1 else ()
        if shared:
            stated.append(f"{column.heading} {_JOIN.join(shared)}")
            cells = [_without(str(cell), shared) or None for cell in cells]
        if any(cell is not None for cell in cells):
            kept.append((column, cells))
    if stated:
        say([*(part for line in stated for part in wrap(clean(line), terminal)), ""], terminal)
    table = fit_table(
        [column for column, _ in kept],
        list(zip(*(cells for _, cells in kept), strict=True)),
        fit_width(terminal),
    )
    say(table, terminal)


def _find_shared(cells: Sequence[object]) -> tuple[str, ...]:
    """The parts that all cells have, in the order of the first."""
    parts = [str(cell).split(_JOIN) for cell in cells if cell is not None]
    if len(parts) < len(cells):
        return ()
    return tuple(part for part in parts[0] if all(part in other for other in parts))


def _without(cell: str, shared: Sequence[str]) -> str:
    return _JOIN.join(part for part in cell.split(_JOIN) if part not in shared)


def fit_width(terminal: Terminal) -> int | None:
    """What tables are fitted to: the terminal, while programs get them whole."""
    return terminal.width if terminal.is_interactive else None
