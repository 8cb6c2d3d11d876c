"""What rows say beside their manifests, as manifests: sources, listings, corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kgraph.canonical import encode_canonical
from kgraph.digest import short
from kgraph.manifest import Identified, identify_value
from kgraph.vocab import KGRAPH_API_VERSION, CorrectionAction, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kgraph.canonical import JsonValue
    from kgraph.digest import SpecDigest
    from kgraph.importers.kernelindex.ledger import Ledger
    from kgraph.importers.kernelindex.rows import Row
    from kgraph.importers.kernelindex.tables import Tables

    JsonObject = Mapping[str, JsonValue]

MAX_LISTED_BYTES: Final = 900 * 1024
"""Most bytes of entries in one listing, so that the manifest around them stays under 1 MiB."""

CATALOGUE: Final = "kernelindex"
"""By whom corrections are that an export states, and what listings of no one source are called."""

RUN_TABLES: Final = ("benchmark_runs", "serving_runs")
"""Tables whose rows are published by a source at a time, and may be corrected."""

_PROJECT_TABLES: Final = ("implementations", "serving_stack_revisions")
"""Tables whose rows name the project that a manifest belongs to."""

_POLICY_FIELDS: Final = {
    "url": "url",
    "license": "license",
    "attribution": "attribution",
    "terms": "terms",
    "verified": "verifiedAt",
    "freshnessDays": "freshnessDays",
}


def source_manifest(row: Row, ledger: Ledger) -> JsonObject:
    """The Source manifest of a row of `sources`, its licence terms included."""
    spec: dict[str, JsonValue] = {"name": row.text("name"), "kind": row.text("kind")}
    policy = row.members("policy") if row.columns.get("policy") is not None else {}
    for column, value in policy.items():
        field = _POLICY_FIELDS.get(column)
        if field is None:
            ledger.leave_out(f"sources column policy.{column}, which is not understood,")
        elif value is not None:
            spec[field] = value
    verified = spec.get("verifiedAt")
    if isinstance(verified, str) and "T" not in verified:
        # The export gives a day; the instant is its beginning.
        spec["verifiedAt"] = f"{verified}T00:00:00Z"
    return _manifest(Kind.SOURCE, row.slug("slug"), spec)


def listed_columns(row: Row) -> JsonObject:
    """What a Listing says of the manifest that the row publishes, references left aside."""
    listed: dict[str, JsonValue] = {}
    if "slug" in row.columns:
        listed["slug"] = row.slug("slug")
    if "tags" in row.columns:
        listed["tags"] = row.shorts("tags")
    if row.columns.get("role") is not None:
        listed["role"] = row.word("role")
    if row.table in RUN_TABLES:
        row.instant("publishedAt")
        listed["publishedAt"] = row.text("publishedAt")
    if "cohortKey" in row.columns:
        # A kernel run's cohort is derived from its manifests; so can a serving run's, but its rule
        # is the source's own, and the key is kept as published.
        listed["cohort"] = row.digest("cohortKey")
    return listed


def listed_artifact(row: Row) -> JsonObject:
    """What a Listing says of the artifact of a row."""
    listed: dict[str, JsonValue] = {
        "contentDigest": row.digest("contentDigest"),
        "kind": row.word("kind"),
    }
    if row.columns.get("mediaType") is not None:
        listed["mediaType"] = row.short("mediaType")
    if row.columns.get("sizeBytes") is not None:
        listed["sizeBytes"] = row.whole("sizeBytes")
    if row.columns.get("storage") is not None:
        listed["storage"] = row.word("storage")
    if row.columns.get("uri") is not None:
        listed["uri"] = row.text("uri", limit=2000)
    if row.columns.get("license") is not None:
        listed["license"] = row.short("license")
    return listed


def identify_corrections(tables: Tables) -> Iterator[Identified]:
    """Retractions and supersessions that the rows of runs state."""
    for table in RUN_TABLES:
        for entry in tables.entries(table):
            row = entry.row
            if row.columns.get("retractedAt") is not None:
                reason = "no reason is given"
                if row.columns.get("retractionReason") is not None:
                    reason = row.text("retractionReason")
                yield _correction(
                    entry.digest, CorrectionAction.RETRACT, reason, row.text("retractedAt")
                )
            if row.columns.get("supersedesId") is not None:
                superseded = tables.find(row, "supersedesId", table)
                yield _correction(
                    superseded.digest,
                    CorrectionAction.SUPERSEDE,
                    "a later run takes its place",
                    row.text("publishedAt"),
                    replacement=entry.digest,
                )


def identify_listings(
    tables: Tables, aliases: Mapping[SpecDigest, tuple[str, ...]]
) -> Iterator[Identified]:
    """Listings of everything that rows say beside their manifests, each under 1 MiB.

    Args:
        tables: rows that stand.
        aliases: other names of operations, by their digest.
    """
    entries: dict[str | None, list[JsonObject]] = {}
    for table in tables.names:
        for entry in tables.entries(table):
            listed: dict[str, JsonValue] = {**entry.listed}
            source = None
            if table == "operations" and entry.digest in aliases:
                listed["aliases"] = sorted(set(aliases[entry.digest]))
            if table in _PROJECT_TABLES:
                listed["project"] = tables.find(entry.row, "projectId", "projects").digest
            if "sourceId" in entry.row.columns:
                source = tables.find(entry.row, "sourceId", "sources").row.text("slug")
            if listed:
                entries.setdefault(source, []).append({"subject": entry.digest, **listed})
    for source, items in sorted(entries.items(), key=lambda item: item[0] or ""):
        items.sort(key=lambda item: str(item["subject"]))
        for number, part in enumerate(_parts(items), start=1):
            spec: dict[str, JsonValue] = {"entries": part}
            if source is not None:
                spec["source"] = source
            yield _listing(f"{source or CATALOGUE}-{number}", spec)
    artifacts = sorted(tables.artifacts.values(), key=lambda item: str(item["contentDigest"]))
    for number, part in enumerate(_parts(artifacts), start=1):
        yield _listing(f"{CATALOGUE}-artifacts-{number}", {"entries": (), "artifacts": part})


def _parts(items: Iterable[JsonObject]) -> Iterator[tuple[JsonObject, ...]]:
    """The items in runs of at most `MAX_LISTED_BYTES`."""
    part: list[JsonObject] = []
    held = 0
    for item in items:
        size = len(encode_canonical(item)) + 1
        if part and held + size > MAX_LISTED_BYTES:
            yield tuple(part)
            part, held = [], 0
        part.append(item)
        held += size
    if part:
        yield tuple(part)


def _listing(name: str, spec: JsonObject) -> Identified:
    return identify_value(_manifest(Kind.LISTING, name, spec), where=f"listing {name}")


def _correction(
    run: str,
    action: CorrectionAction,
    reason: str,
    at: str,
    *,
    replacement: str | None = None,
) -> Identified:
    spec: dict[str, JsonValue] = {
        "run": run,
        "action": action.value,
        "reason": reason,
        "by": CATALOGUE,
        "at": at,
    }
    if replacement is not None:
        spec["replacement"] = replacement
    name = f"{action.value}-{short(run)}"
    return identify_value(_manifest(Kind.CORRECTION, name, spec), where=f"correction {name}")


def _manifest(kind: Kind, name: str, spec: JsonObject) -> JsonObject:
    return {
        "apiVersion": KGRAPH_API_VERSION,
        "kind": kind.value,
        "metadata": {"name": name},
        "spec": spec,
    }
