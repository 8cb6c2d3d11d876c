"""How well a run is supported; derived from what is stored, never submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.vocab import EvidenceLevel, RunStatus

if TYPE_CHECKING:
    from kgraph.facts import RunFact

# The fewest distinct runners that make a result a replicated one (`domain.md` §7).
REPLICATION_RUNNERS = 2


def judge_evidence(run: RunFact) -> tuple[EvidenceLevel, tuple[str, ...]]:
    """Evidence level of a run and the codes that carry it.

    The identity of a run is complete by construction: a fact names its implementation, workload,
    protocol and environment, or it could not be built. What may be missing is the exact source, its
    publicity, and raw evidence.

    Returns:
        The level; then, for REPLICATED and VERIFIED, the codes met, and below them every one of
        SOURCE_IDENTIFIED or NO_SOURCE_DIGEST, SOURCE_PUBLIC or NO_PUBLIC_SOURCE, RAW_SAMPLES, LOGS
        or NO_RAW_EVIDENCE that holds.
    """
    has_passed = run.status is RunStatus.PASSED
    if has_passed and run.independent_runners >= REPLICATION_RUNNERS:
        return EvidenceLevel.REPLICATED, ("INDEPENDENT_RUNNERS",)
    if has_passed and run.is_controlled:
        return EvidenceLevel.VERIFIED, ("CONTROLLED_RERUN_PASSED",)

    codes = [
        "SOURCE_IDENTIFIED" if run.has_source_digest else "NO_SOURCE_DIGEST",
        "SOURCE_PUBLIC" if run.has_public_source else "NO_PUBLIC_SOURCE",
    ]
    raw = [
        code
        for code, is_present in (("RAW_SAMPLES", run.has_raw_samples), ("LOGS", run.has_logs))
        if is_present
    ]
    codes.extend(raw or ["NO_RAW_EVIDENCE"])
    is_reproducible = run.has_source_digest and run.has_public_source and bool(raw)
    level = EvidenceLevel.REPRODUCIBLE if is_reproducible else EvidenceLevel.REPORTED
    return level, tuple(codes)
