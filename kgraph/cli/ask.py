"""`kgraph ask`: a workload in one line, answered with the fastest or the honest nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kgraph.cli.opening import open_catalog
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_table, print_text, talk
from kgraph.facts import PageRequest
from kgraph.units import format_quantity
from kgraph.vocab import Match

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgraph.catalog import Catalog, QueryAnswer, Resolution
    from kgraph.facts import JudgedRun

_RECORDS = 20
_ANSWERED = (Match.EXACT, Match.COMPATIBLE, Match.SUPPORTED_UNMEASURED)


@click.command()
@click.argument("words", nargs=-1, required=True)
@store_option
@json_option
def command(store: str | None, *, words: tuple[str, ...], as_json: bool) -> int:
    """Say what is fastest for a workload, from one line in the query language.

    WORDS name an operation or family and state what is wanted, as in
    `rmsnorm gpu:H100 dtype:bf16 hidden=4096 license:permissive installable:true`.

    Exit status 1 where the catalogue has no answer, 2 where a part of the line states nothing.
    """
    catalog = open_catalog(settings_for(store)).current()
    answer = catalog.answer_query(" ".join(words), PageRequest(first=_RECORDS))
    report = _make_report(catalog, answer)
    if as_json:
        print_json(report)
    else:
        _print_report(report)
    for problem in answer.query.problems:
        near = f" Nearest: {', '.join(problem.nearest)}." if problem.nearest else ""
        said = "" if near and near.strip() in problem.message else near
        talk(f"kgraph: {answer.query.text[problem.start : problem.end]}: {problem.message}{said}")
    if answer.query.problems:
        return 2
    if answer.resolution is not None:
        return 0 if answer.resolution.match in _ANSWERED else 1
    return 0 if answer.records is not None and answer.records.total_count else 1


def _make_report(catalog: Catalog, answer: QueryAnswer) -> dict[str, Any]:
    resolution, records = answer.resolution, answer.records
    return {
        "snapshot": catalog.snapshot,
        "query": answer.query.canonical,
        "problems": [
            {
                "code": problem.code.value,
                "start": problem.start,
                "end": problem.end,
                "message": problem.message,
                "nearest": list(problem.nearest),
            }
            for problem in answer.query.problems
        ],
        "choices": [hit.name for hit in answer.choices],
        "resolution": None if resolution is None else _describe(catalog, resolution),
        "recordCount": None if records is None else records.total_count,
        "records": []
        if records is None
        else _describe_runs(catalog, [record.run for record in records.items]),
    }


def _describe(catalog: Catalog, resolution: Resolution) -> dict[str, Any]:
    best = [one for one in (resolution.best, resolution.best_deployable) if one is not None]
    shown = _describe_runs(
        catalog, [*best, *resolution.alternatives, *(near.run for near in resolution.near)]
    )
    by_run = {row["run"]: row for row in shown}
    return {
        "match": resolution.match.value,
        "operation": None if resolution.operation is None else resolution.operation.slug,
        "cohort": None if resolution.cohort is None else resolution.cohort.key,
        "best": _pick(by_run, resolution.best),
        "bestDeployable": _pick(by_run, resolution.best_deployable),
        "alternatives": [_pick(by_run, judged) for judged in resolution.alternatives],
        "near": [
            {
                "run": _pick(by_run, near.run),
                "differences": [
                    {"field": one.field, "requested": one.requested, "observed": one.observed}
                    for one in near.differences
                ],
            }
            for near in resolution.near
        ],
        "unresolved": [
            {"field": one.field, "message": one.message} for one in resolution.unresolved
        ],
    }


def _pick(by_run: dict[str, dict[str, Any]], judged: JudgedRun | None) -> dict[str, Any] | None:
    return None if judged is None else by_run[judged.run.digest]


def _describe_runs(catalog: Catalog, judged: Iterable[JudgedRun]) -> list[dict[str, Any]]:
    """Each run with the names that a person knows it by, in order."""
    runs = [one.run for one in judged]
    implementations = catalog.load_implementations(run.implementation for run in runs)
    workloads = catalog.load_workloads(run.workload for run in runs)
    environments = catalog.load_environments(run.environment for run in runs)
    return [
        {
            "run": run.digest,
            "value": run.value,
            "unit": run.unit,
            "display": None if run.value is None else format_quantity(run.value, run.unit),
            "implementation": implementations[run.implementation].title,
            "language": implementations[run.implementation].language,
            "install": implementations[run.implementation].install_command,
            "hardware": environments[run.environment].hardware.product,
            "workload": workloads[run.workload].label,
        }
        for run in runs
    ]


def _print_report(report: dict[str, Any]) -> None:
    print_text(f"understood as  {report['query']}")
    resolution = report["resolution"]
    if resolution is not None:
        print_text(
            f"answer         {resolution['match']}  {resolution['operation'] or ''}".rstrip()
        )
        for one in resolution["unresolved"]:
            print_text(f"{one['field']}: {one['message']}")
        ranked = [("best", resolution["best"]), ("deployable", resolution["bestDeployable"])]
        rows = [(name, row, "") for name, row in ranked if row is not None]
        rows += [("also", row, "") for row in resolution["alternatives"]]
        rows += [
            ("near", near["run"], "; ".join(map(_say, near["differences"])))
            for near in resolution["near"]
        ]
        if rows:
            print_text("")
            print_table(
                ("", "value", "implementation", "language", "hardware", "workload", "differs in"),
                ((name, *_cells(row), why) for name, row, why in rows),
            )
    elif report["records"]:
        print_text(f"records        {report['recordCount']:,}")
        print_text("")
        print_table(
            ("value", "implementation", "language", "hardware", "workload"),
            (_cells(row) for row in report["records"]),
        )
    elif report["choices"]:
        print_text(f"may mean       {', '.join(report['choices'])}")


def _cells(row: dict[str, Any]) -> tuple[str | None, ...]:
    return tuple(row[name] for name in _COLUMNS)


_COLUMNS = ("display", "implementation", "language", "hardware", "workload")


def _say(difference: dict[str, Any]) -> str:
    observed = difference["observed"] or "not stated"
    return f"{difference['field']} {observed}, not {difference['requested']}"
