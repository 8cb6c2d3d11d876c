"""Rankings by the statistics that the evidence allows: `ranking-v2`, computed when asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kgraph.policy import RANKING_V2_VERSION, rank_sampled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kgraph.catalog.reader import FactReader
    from kgraph.digest import SpecDigest
    from kgraph.facts import JudgedRun
    from kgraph.policy import RunDifference
    from kgraph.vocab import CohortKey


@dataclass(frozen=True, slots=True)
class StrictEntry:
    """A run where `ranking-v2` puts it."""

    judged: JudgedRun
    """Its standing is that of `ranking-v2`."""
    against_previous: RunDifference | None
    """How it compares with the run shown before it; None for the first."""


@dataclass(frozen=True, slots=True)
class StrictRanking:
    """One cohort ranked by what its samples and intervals allow."""

    cohort: CohortKey
    policy: str
    entries: tuple[StrictEntry, ...]


def rank_strictly(reader: FactReader, keys: Iterable[CohortKey]) -> dict[CohortKey, StrictRanking]:
    """Each cohort under `ranking-v2`; raw samples are read from verified manifests.

    Raises:
        ObjectNotFoundError, ObjectCorruptError: the store lost or changed a run with samples.
    """
    ranked = reader.load_whole_rankings(keys)
    with_samples = [
        judged.run.object_id
        for runs in ranked.values()
        for judged in runs
        if judged.run.has_raw_samples
    ]
    manifests = reader.load_manifests(with_samples)
    return {
        key: _rank(key, runs, {run: _read_samples(manifests[run]) for run in with_samples})
        for key, runs in ranked.items()
    }


def _read_samples(manifest: dict[str, Any]) -> tuple[float, ...]:
    samples = manifest["spec"].get("timing", {}).get("rawSamples")
    # Samples kept elsewhere are an address and a digest; what is not read decides nothing.
    return tuple(map(float, samples)) if isinstance(samples, list) else ()


def _rank(
    key: CohortKey, runs: tuple[JudgedRun, ...], samples: Mapping[Any, tuple[float, ...]]
) -> StrictRanking:
    by_digest: dict[SpecDigest, JudgedRun] = {judged.run.digest: judged for judged in runs}
    standings, comparisons = rank_sampled(
        [judged.run for judged in runs],
        {digest: judged.verdict for digest, judged in by_digest.items()},
        {
            digest: samples[judged.run.object_id]
            for digest, judged in by_digest.items()
            if judged.run.object_id in samples
        },
    )
    entries = tuple(
        StrictEntry(replace(by_digest[standing.run], standing=standing), comparison)
        for standing, comparison in zip(standings, comparisons, strict=True)
    )
    return StrictRanking(key, RANKING_V2_VERSION, entries)
