"""The policy that an index is built with, as index asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.facts.environment import HardwareFact, ProtocolFact
    from kgraph.facts.headroom import HeadroomVerdict, MeasuredRecord
    from kgraph.facts.implementation import ImplementationFact, ImplementationVerdict
    from kgraph.facts.operation import OperationFact, WorkloadFact
    from kgraph.facts.run import RecordEventFact, RunFact, RunVerdict, StandingFact
    from kgraph.vocab import Profile


class Derivation(Protocol):
    """The policy that an index is built with; handed to index by the rooms above both."""

    @property
    def version(self) -> str:
        """Names of all policy versions in it; an index built under another version is rebuilt."""
        ...

    def judge_run(self, run: RunFact) -> RunVerdict:
        """Eligibility and evidence level of one run."""
        ...

    def judge_implementation(self, implementation: ImplementationFact) -> ImplementationVerdict:
        """Licence and deployability of one implementation."""
        ...

    def judge_profile(self, runs: Sequence[RunFact]) -> Profile:
        """Under whose rules the runs of one cohort were made."""
        ...

    def rank_cohort(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[StandingFact, ...]:
        """Standing of each eligible run of one cohort, in display order."""
        ...

    def derive_records(
        self, runs: Sequence[RunFact], verdicts: Mapping[SpecDigest, RunVerdict]
    ) -> tuple[RecordEventFact, ...]:
        """Record events of one cohort, oldest first, over all its runs, corrected ones included."""
        ...

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
        ...
