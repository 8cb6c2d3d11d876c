"""The policy that an index is built with: eligibility, evidence, profile, ranking and records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgraph.facts import HeadroomVerdict, ImplementationVerdict, RunVerdict
from kgraph.policy.eligibility import judge_eligibility
from kgraph.policy.evidence import judge_evidence
from kgraph.policy.headroom import estimate_headroom, why_below_floor
from kgraph.policy.profile import judge_profile
from kgraph.policy.ranking import RANKING_VERSION, rank_cohort
from kgraph.policy.records import derive_records
from kgraph.policy.trust import conclude_license, is_permissive, judge_deployability
from kgraph.vocab import HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        HardwareFact,
        ImplementationFact,
        MeasuredRecord,
        OperationFact,
        ProtocolFact,
        RecordEventFact,
        RunFact,
        StandingFact,
        WorkloadFact,
    )
    from kgraph.vocab import Profile


class RankingV1:
    """`ranking-v1` as an index asks for it; implements `kgraph.facts.Derivation`."""

    @property
    def version(self) -> str:
        """Names of every rule set in it; an index built under another version is rebuilt."""
        floors = " ".join(HeadroomPolicy)
        return f"{RANKING_VERSION} evidence-v1 profile-v1 deployability-v1 {floors}"

    def judge_run(self, run: RunFact) -> RunVerdict:
        """Eligibility and evidence level of one run."""
        is_eligible, reasons = judge_eligibility(run)
        evidence, evidence_reasons = judge_evidence(run)
        return RunVerdict(run.digest, is_eligible, reasons, evidence, evidence_reasons)

    def judge_implementation(self, implementation: ImplementationFact) -> ImplementationVerdict:
        """Licence and deployability of one implementation."""
        concluded = conclude_license(
            implementation.license_declared, implementation.license_concluded
        ).concluded
        return ImplementationVerdict(
            implementation.digest,
            concluded,
            is_permissive(concluded),
            judge_deployability(implementation).is_deployable,
        )

    def judge_profile(self, runs: Sequence[RunFact]) -> Profile:
        """Under whose rules the runs of one cohort were made."""
        return judge_profile(runs)

    def rank_cohort(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[StandingFact, ...]:
        """Standing of each eligible run of one cohort, in display order."""
        return rank_cohort(runs, verdicts)

    def derive_records(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[RecordEventFact, ...]:
        """Record events of one cohort, oldest first, over all its runs, corrected ones included."""
        return derive_records(runs, verdicts)

    def judge_headroom(
        self,
        *,
        operation: OperationFact,
        workload: WorkloadFact,
        protocol: ProtocolFact,
        hardware: HardwareFact,
        measured: MeasuredRecord,
    ) -> tuple[HeadroomVerdict, ...]:
        """The floor of one cohort, under each version of the estimate."""
        verdicts = []
        for policy in HeadroomPolicy:
            found = estimate_headroom(
                policy,
                operation=operation,
                workload=workload,
                protocol=protocol,
                hardware=hardware,
                record_value=measured.value,
                metric=measured.metric,
                statistic=measured.statistic,
                unit=measured.unit,
            )
            verdicts.append(
                HeadroomVerdict(
                    policy,
                    found.floor_ns,
                    found.strict_floor_ns,
                    found.record_ratio,
                    found.bound,
                    why_below_floor(found),
                    found.caveat,
                    found.reason,
                )
            )
        return tuple(verdicts)


ranking_v1 = RankingV1()
"""The one instance; it holds no state."""
