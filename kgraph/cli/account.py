"""How the account of a publication is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.cli.output import print_json, print_text, talk

if TYPE_CHECKING:
    from kgraph.ingest import PublishReport

_REFUSED_SHOWN = 50


def show_report(report: PublishReport, *, as_json: bool) -> int:
    """Print the account; the exit status: 1 where rows were refused, else 0."""
    if as_json:
        print_json(_as_json(report))
    else:
        _print_lines(report)
    for row in report.refused[:_REFUSED_SHOWN]:
        talk(f"{row.where}: found {row.found}, expected {row.expected}")
    if report.refused:
        hidden = len(report.refused) - _REFUSED_SHOWN
        more = f" ({hidden} more are in --json)" if hidden > 0 else ""
        talk(f"kgraph: {len(report.refused)} refused, nothing is published{more}")
        return 1
    return 0


def _print_lines(report: PublishReport) -> None:
    would = "would be " if report.is_dry_run or report.refused else ""
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
    lines += [
        ("matches", f"{parity.matched:,} of {parity.matched + parity.mismatched:,} {parity.kind}")
        for parity in report.parity
    ]
    lines += [("note", note) for note in report.notes]
    if report.publication is not None:
        lines.append(("publication", report.publication))
    lines.append(("snapshot", report.snapshot or "none: the catalogue is empty"))
    width = max(len(label) for label, _ in lines)
    for label, value in lines:
        print_text(f"{label:<{width}}  {value}")


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
            {"where": row.where, "found": row.found, "expected": row.expected}
            for row in report.refused
        ],
        "parity": [
            {"kind": parity.kind, "matched": parity.matched, "mismatched": parity.mismatched}
            for parity in report.parity
        ],
        "notes": list(report.notes),
        "publication": report.publication,
        "snapshot": report.snapshot,
    }
