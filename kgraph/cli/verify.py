"""`kgraph verify`: a whole store checked, and what each fault touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kgraph.cli.opening import open_for_reading
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import ProgressLine, print_json, print_text
from kgraph.cli.recall import recall_lost
from kgraph.digest import BadDigestError, parse_object_id
from kgraph.errors import UsageError
from kgraph.ingest import verify_store

if TYPE_CHECKING:
    from kgraph.digest import ObjectId
    from kgraph.ingest import VerifyReport

_SHOWN = 50


class BadSnapshotError(UsageError):
    """What is given as a snapshot is no whole object id."""

    code = "BAD_SNAPSHOT"

    def __init__(self, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(f"--snapshot: found {found[:90]!r}, expected {expected}")


@click.command()
@click.option(
    "--snapshot",
    metavar="ID",
    help="A snapshot noted earlier, whole; its absence from the log is damage.",
)
@store_option
@json_option
def command(snapshot: str | None, store: str | None, *, as_json: bool) -> int:
    """Check every byte, name, manifest, citation and log entry of a store.

    Says what is damaged and which objects, runs and cohorts that affects; an index that was built
    before helps to name what can no longer be read. Nothing is mended or removed. Exit status 3
    where anything is damaged.
    """
    expected = None if snapshot is None else _read_snapshot(snapshot)
    settings = settings_for(store)
    objects, log = open_for_reading(settings)
    with ProgressLine("objects checked") as checking:
        report = verify_store(objects, log, expected=expected, progress=checking)
    report = recall_lost(report, settings, objects, log)
    if as_json:
        print_json(_as_json(report))
    else:
        _print_lines(report)
    return 0 if report.is_intact else 3


def _read_snapshot(text: str) -> ObjectId:
    try:
        return parse_object_id(text)
    except BadDigestError as error:
        raise BadSnapshotError(text, error.expected) from error


def _print_lines(report: VerifyReport) -> None:
    for problem in report.problems[:_SHOWN]:
        print_text(f"{problem.severity}: {problem.where}: {problem.what}")
    if len(report.problems) > _SHOWN:
        print_text(f"and {len(report.problems) - _SHOWN} more, all in --json")
    for one in report.affected[:_SHOWN]:
        if one.is_lost:
            known = f" ({one.kind} {one.name} {one.digest})" if one.digest else ""
            print_text(f"lost: {one.object_id}{known}")
        else:
            print_text(f"affected: {one.kind} {one.name} {one.digest}")
    if len(report.affected) > _SHOWN:
        print_text(f"and {len(report.affected) - _SHOWN} more, all in --json")
    for cohort in report.cohorts[:_SHOWN]:
        print_text(f"affected: cohort {cohort}")
    verdict = "intact" if report.is_intact else "damaged"
    print_text(
        f"{verdict}: {report.object_count:,} objects and {report.publication_count:,} publications "
        f"read; {len(report.affected):,} objects, {len(report.runs):,} runs and "
        f"{len(report.cohorts):,} cohorts affected"
    )


def _as_json(report: VerifyReport) -> dict[str, Any]:
    return {
        "isIntact": report.is_intact,
        "objectCount": report.object_count,
        "publicationCount": report.publication_count,
        "problems": [
            {
                "severity": problem.severity,
                "where": problem.where,
                "what": problem.what,
                "object": problem.affects,
            }
            for problem in report.problems
        ],
        "affected": [
            {
                "object": one.object_id,
                "digest": one.digest,
                "kind": one.kind,
                "name": one.name,
                "isLost": one.is_lost,
            }
            for one in report.affected
        ],
        "runs": list(report.runs),
        "cohorts": list(report.cohorts),
    }
