"""How the account of a publication is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.cli.output import print_json, print_text, talk

if TYPE_CHECKING:
    from kgraph.cli.parity import HistoryComparison
    from kgraph.ingest import PublishReport

_REFUSED_SHOWN = 50
_DIFFERENCES_SHOWN = 20


def show_report(
    report: PublishReport, history: HistoryComparison | None = None, *, as_json: bool
) -> int:
    """Print the account; the exit status: 1 where rows were refused, else 0.

    Args:
        history: how our record history relates to the one that the source publishes; a difference
            refuses nothing, since other sources may have brought runs and corrections.
    """
    if as_json:
        print_json(_as_json(report) | {"recordHistory": _history_json(history)})
    else:
        _print_lines(report, history)
    if history is not None:
        for one in history.differences[:_DIFFERENCES_SHOWN]:
            talk(
                f"cohort {one.cohort}: {one.published} record events are published, "
                f"{one.derived} are derived, not all of them the same"
            )
    for row in report.refused[:_REFUSED_SHOWN]:
        talk(f"{row.where}: found {row.found}, expected {row.expected}")
    if report.refused:
        hidden = len(report.refused) - _REFUSED_SHOWN
        more = f" ({hidden:,} more are in --json)" if hidden > 0 else ""
        rows = "1 row" if len(report.refused) == 1 else f"{len(report.refused):,} rows"
        talk(f"kgraph: {rows} refused, {_say_rest(report)}{more}")
        return 1
    return 0


def _say_rest(report: PublishReport) -> str:
    """What became of the rows that are not refused."""
    if report.is_withheld:
        return "nothing is published"
    if report.is_dry_run:
        return "the rest would be published"
    return "the rest is published" if report.publication else "the rest was published already"


def _print_lines(report: PublishReport, history: HistoryComparison | None) -> None:
    would = "would be " if report.is_dry_run or report.is_withheld else ""
    lines: list[tuple[str, object]] = []
    if report.source is not None:
        lines.append(("source", report.source))
    if report.rows_read is not None:
        lines.append(("rows read", f"{report.rows_read:,}"))
    lines += [
        (f"runs {would}added", f"{report.runs_added:,}"),
        ("runs already present", f"{report.runs_present:,}"),
        (f"objects {would}added", f"{report.objects_added:,}"),
        ("objects already present", f"{report.objects_present:,}"),
    ]
    lines += [(f"  {count.kind}", f"{count.added:,}") for count in report.kinds if count.added]
    lines += [("skipped", f"{skip.count:,} rows, {skip.reason}") for skip in report.skipped]
    if report.refused:
        lines.append(("refused", f"{len(report.refused):,} rows, {_say_rest(report)}"))
    lines += [
        ("matches", f"{parity.matched:,} of {parity.matched + parity.mismatched:,} {parity.kind}")
        for parity in report.parity
    ]
    if history is not None:
        lines.append(("record history", _say_history(history)))
    lines += [("note", note) for note in report.notes]
    if report.publication is not None:
        lines.append(("publication", report.publication))
    lines.append(("snapshot", report.snapshot or "none: the catalogue is empty"))
    width = max(len(label) for label, _ in lines)
    for label, value in lines:
        print_text(f"{label:<{width}}  {value}")


def _say_history(history: HistoryComparison) -> str:
    text = f"{history.matched:,} of {history.published:,} events equal"
    if history.differences:
        text += f", {history.derived:,} derived; differing cohorts: {len(history.differences):,}"
    return text


def _history_json(history: HistoryComparison | None) -> dict[str, Any] | None:
    if history is None:
        return None
    return {
        "published": history.published,
        "derived": history.derived,
        "matched": history.matched,
        "differences": [
            {"cohort": one.cohort, "published": one.published, "derived": one.derived}
            for one in history.differences
        ],
    }


def _as_json(report: PublishReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "isDryRun": report.is_dry_run,
        "rowsRead": report.rows_read,
        "runsAdded": report.runs_added,
        "runsPresent": report.runs_present,
        "objectsAdded": report.objects_added,
        "objectsPresent": report.objects_present,
        "kinds": [
            {"kind": count.kind, "added": count.added, "present": count.present}
            for count in report.kinds
        ],
        "skipped": [{"reason": skip.reason, "count": skip.count} for skip in report.skipped],
        "refused": [
            {
                "where": row.where,
                "found": row.found,
                "expected": row.expected,
                "cause": row.cause.value,
            }
            for row in report.refused
        ],
        "isWithheld": report.is_withheld,
        "parity": [
            {"kind": parity.kind, "matched": parity.matched, "mismatched": parity.mismatched}
            for parity in report.parity
        ],
        "notes": list(report.notes),
        "publication": report.publication,
        "snapshot": report.snapshot,
    }
