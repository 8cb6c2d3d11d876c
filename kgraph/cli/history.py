"""`kgraph history`: how a record came about."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from kgraph.cli.asking import AskingOptions, asking_options, open_asker
from kgraph.cli.finding import (
    Narrowing,
    choose_liveliest,
    find_cohort,
    find_cohorts,
    find_subject,
    narrowing_options,
)
from kgraph.cli.output import count, print_json, talk
from kgraph.cli.plot import Axis, draw_staircase
from kgraph.cli.terminal import TableColumn, fit_table, read_terminal, say
from kgraph.cli.top import describe_cohort, fit_width
from kgraph.units import format_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgraph.cli.asking import Asker, Data
    from kgraph.cli.terminal import Terminal

_SHORT = slice(7, 15)
_COLUMNS = (
    TableColumn("", is_number=True, rank=1),
    TableColumn("since"),
    TableColumn("record", is_number=True),
    TableColumn("better by", is_number=True, rank=1),
    TableColumn("cause", rank=2),
    TableColumn("implementation", least=14),
    TableColumn("language", rank=3, least=6),
    TableColumn("run", rank=4),
)


@click.command()
@click.argument("operation", required=False)
@narrowing_options
@click.option("--cohort", metavar="KEY", help="One comparison, by its key or the beginning of it.")
@click.option("--plot/--no-plot", "is_plotted", default=None, help="[default: on a terminal]")
@asking_options
def command(
    operation: str | None,
    *,
    narrowing: Narrowing,
    cohort: str | None,
    is_plotted: bool | None,
    options: AskingOptions,
) -> int:
    """Show how the record of one comparison of OPERATION came about.

    Where several comparisons are meant, that whose record changed most often is shown.

    Exit status 1 where a name means nothing, or there is no record.
    """
    if operation is None and cohort is None:
        raise click.UsageError("found neither OPERATION nor --cohort, expected one of them")
    terminal = read_terminal()
    with open_asker(options) as asker:
        subject = None if operation is None else find_subject(asker, operation)
        where = None if subject is None else subject.where
        others = 0
        if cohort is not None:
            key = find_cohort(asker, cohort, where)
        else:
            assert where is not None  # noqa: S101 - one of the two is given
            found = find_cohorts(asker, where, narrowing)
            key, others = choose_liveliest(found)["key"], len(found) - 1
        shown = _ask(asker, key)
    if shown is None:
        talk(f"kgraph: --cohort: found no {key!r} here")
        return 1
    about, events = shown["cohort"], shown["cohort"]["history"]["nodes"]
    if options.as_json:
        print_json(shown["catalog"] | {"otherComparisons": others, "cohort": about})
        return 0 if events else 1
    _print(about, events, shown["catalog"], terminal, is_plotted=is_plotted)
    if others:
        rest = count(others, "other comparison")
        talk(f"kgraph: {rest}; --workload, --hardware, --protocol or --cohort chooses")
    return 0 if events else 1


def _ask(asker: Asker, key: str) -> Data | None:
    """The comparison with all of its events; None where there is none."""
    whole: Data | None = None
    after = None
    while True:
        page = asker.ask("history", cohort=key, after=after)
        if page["cohort"] is None:
            return None
        history = page["cohort"].pop("history")
        if whole is None:
            whole = page
            whole["cohort"]["history"] = {"totalCount": history["totalCount"], "nodes": []}
        whole["cohort"]["history"]["nodes"] += history["nodes"]
        if not history["pageInfo"]["hasNextPage"]:
            return whole
        after = history["pageInfo"]["endCursor"]


def _print(
    cohort: Data,
    events: Sequence[Data],
    catalog: Data,
    terminal: Terminal,
    *,
    is_plotted: bool | None,
) -> None:
    say(describe_cohort(cohort, terminal), terminal)
    if not events:
        talk(f"kgraph: none of its {cohort['runCount']:,} runs ever held a record")
        return
    unit = cohort["metric"]["unit"]
    steps = [
        (datetime.fromisoformat(event["at"]), event["value"])
        for event in events
        if event["value"] is not None
    ]
    until = _choose_end(steps, cohort, catalog)
    wants_plot = terminal.is_interactive if is_plotted is None else is_plotted
    # Between the first observation and the end there must be time to draw.
    if wants_plot and len(steps) > 1 and until > steps[0][0]:
        axis = Axis(cohort["metric"]["name"], lambda value: format_quantity(value, unit))
        lower = _is_lower_better(events)
        plot = draw_staircase(steps, until=until, y=axis, lower_is_better=lower, terminal=terminal)
        say(["", *plot], terminal)
    say("", terminal)
    rows = [_cells(event, unit) for event in events]
    say(fit_table(_COLUMNS, rows, fit_width(terminal)), terminal)


def _choose_end(steps: Sequence[tuple[datetime, float]], cohort: Data, catalog: Data) -> datetime:
    """Until when the last record is drawn: the latest observation, and a little beyond.

    Where all happened at one instant, until the catalogue's own time.
    """
    latest = [at for at, _ in steps]
    if cohort["lastObservedAt"] is not None:
        latest.append(datetime.fromisoformat(cohort["lastObservedAt"]))
    begin, end = min(latest, default=None), max(latest, default=None)
    published = datetime.fromisoformat(catalog["publishedAt"])
    if begin is None or end is None or begin == end:
        return published
    return end + (end - begin) / 10


def _is_lower_better(events: Sequence[Data]) -> bool:
    """Which way records go, by those that a better run made."""
    return not any(
        event["value"] > event["previousValue"]
        for event in events
        if event["cause"] == "NEW_RUN" and event["previousValue"] is not None
    )


def _cells(event: Data, unit: str | None) -> tuple[object, ...]:
    run, better = event["run"], event["improvementPercent"]
    return (
        event["ordinal"],
        event["at"][:10],
        "none" if event["value"] is None else format_quantity(event["value"], unit),
        None if better is None else f"{better:.1f} %",
        event["cause"].lower().replace("_", " "),
        None if run is None else run["implementation"]["title"],
        None if run is None else run["implementation"]["language"],
        None if run is None else run["digest"][_SHORT],
    )
