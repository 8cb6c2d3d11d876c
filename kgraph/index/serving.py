"""Serving runs by cohort, and what corrects them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgraph.facts import CorrectionFact, ServingRunFact
from kgraph.index import rows
from kgraph.vocab import CorrectionAction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kgraph.digest import SpecDigest
    from kgraph.index.read import Index
    from kgraph.vocab import CohortKey


def query_serving_cohort(index: Index, key: CohortKey) -> tuple[ServingRunFact, ...]:
    """Every serving run of one cohort, by digest. Source: table `serving_run`."""
    found = index.fetch_by("serving_run", rows.SERVING_RUN_COLUMNS, "cohort", [key], order="digest")
    return tuple(map(rows.make_serving_run, found))


def query_corrections(
    index: Index, runs: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[CorrectionFact, ...]]:
    """Published corrections of each run, oldest first. Source: table `correction`."""
    found: defaultdict[SpecDigest, list[CorrectionFact]] = defaultdict(list)
    columns = ("object_id", "run", "action", "replacement", "reason", "made_by", "made_at")
    for object_id, run, action, replacement, reason, by, at in index.fetch_by(
        "correction", columns, "run", list(runs), order="made_at, sequence, ordinal"
    ):
        found[run].append(
            CorrectionFact(
                object_id,
                run,
                CorrectionAction(action),
                replacement,
                reason,
                by,
                rows.make_instant(at),
            )
        )
    return {run: tuple(items) for run, items in found.items()}
