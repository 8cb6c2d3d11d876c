"""Runs, where they stand, and what is stated about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import ListRequest, build_connection
from kgraph.api.loaders.base import LoaderBase
from kgraph.api.types.cohort import RankedRun
from kgraph.api.types.run import Run
from kgraph.api.types.run_part import Attestation, AttestationConnection
from kgraph.catalog import slice_sequence
from kgraph.digest import SpecDigest
from kgraph.facts import AttestationFact, JudgedRun, Page
from kgraph.policy import is_stale, stale_before

_RUN, _RANKED = "run", "ranked run"
"""Relations in the memory of what is made of facts, of things that also depend on the moment."""

# By what attestations are sorted; see `AttestationOrderField`.
_ATTESTATION_FIELDS: dict[str, Callable[[AttestationFact], Any]] = {
    "at": lambda fact: fact.at,
    "kind": lambda fact: fact.kind.value,
    "by": lambda fact: fact.by,
}


class RunLoaders(LoaderBase):
    """Relations to runs."""

    @cached_property
    def runs(self) -> BatchLoader[SpecDigest, Run | None]:
        """Runs by spec digest."""

        async def find(digests: list[SpecDigest]) -> list[Run | None]:
            found = await self._worker.run(lambda: self._catalog.load_runs(digests))
            return [self.make_run(found[key]) if key in found else None for key in digests]

        def peek(digests: list[SpecDigest]) -> dict[SpecDigest, Run | None]:
            found, _ = self._catalog.derived.peek(_RUN, digests)
            # One that was made at another moment may have become stale since.
            limit = stale_before(self._now)
            return {
                digest: run
                for digest, run in found.items()
                if run is None or run.stale == (run.observed_at < limit)
            }

        return BatchLoader(find, peek)

    @cached_property
    def attestations(
        self,
    ) -> BatchLoader[tuple[SpecDigest, ListRequest], AttestationConnection | None]:
        """A page of what third parties state about each run."""

        def load(
            keys: Iterable[SpecDigest], asked: ListRequest
        ) -> Mapping[SpecDigest, Page[AttestationFact]]:
            wanted = list(keys)
            found = self._catalog.load_attestations(wanted)
            return {
                key: slice_sequence(
                    found.get(key, ()),
                    asked.page,
                    (self._catalog.snapshot, "attestations", key),
                    asked.order,
                    _ATTESTATION_FIELDS,
                )
                for key in wanted
            }

        return self._by_owner(
            load, lambda page: build_connection(AttestationConnection, page, Attestation.from_fact)
        )

    def make_run(self, fact: JudgedRun) -> Run:
        """The run as the API shows it at this request's moment."""
        memory, digest = self._catalog.derived, fact.run.digest
        stale = is_stale(fact.run.observed_at, self._now)
        made = memory.remember(_RUN, digest, lambda: Run.from_fact(fact, stale=stale))
        if made.stale != stale:
            made = Run.from_fact(fact, stale=stale)
            memory.put(_RUN, digest, made)
        return made

    def make_ranked(self, fact: JudgedRun) -> RankedRun | None:
        """The run where it stands; None where it is not eligible."""
        memory, digest = self._catalog.derived, fact.run.digest
        stale = is_stale(fact.run.observed_at, self._now)
        made = memory.remember(_RANKED, digest, lambda: RankedRun.from_fact(fact, stale=stale))
        if made is not None and made.stale != stale:
            made = RankedRun.from_fact(fact, stale=stale)
            memory.put(_RANKED, digest, made)
        return made

    def require_ranked(self, fact: JudgedRun) -> RankedRun:
        """The run where it stands, of a list that holds eligible runs only."""
        ranked = self.make_ranked(fact)
        if ranked is None:
            message = f"run {fact.run.digest} is ranked and not eligible"
            raise ValueError(message)
        return ranked
