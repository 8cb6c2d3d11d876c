"""Things by the name that each has, and projects by theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from kgraph.api.batch import BatchLoader
from kgraph.api.connection import same
from kgraph.api.loaders.base import LoaderBase
from kgraph.api.types.catalog import Counts
from kgraph.api.types.environment import Environment, Protocol
from kgraph.api.types.family import Family
from kgraph.api.types.implementation import Implementation
from kgraph.api.types.operation import Operation
from kgraph.api.types.project import Project, ProjectCounts, ProjectHoldings
from kgraph.api.types.serving import ServingRun
from kgraph.api.types.source import Source
from kgraph.api.types.standing import ImplementationStanding
from kgraph.api.types.stored import Publication, Reference, StoredObject
from kgraph.api.types.workload import Challenge, Workload
from kgraph.catalog import ProjectPage
from kgraph.digest import ObjectId, SpecDigest
from kgraph.facts import SourceFact
from kgraph.vocab import Slug


class NamedLoaders(LoaderBase):
    """Relations from a name to what it names."""

    @cached_property
    def operations(self) -> BatchLoader[SpecDigest, Operation | None]:
        """Operations by spec digest."""
        return self._kept("operation", self._catalog.load_operations, Operation.from_fact)

    @cached_property
    def families(self) -> BatchLoader[Slug, Family | None]:
        """Families by slug."""
        return self._kept("family", self._catalog.load_families, Family.from_fact)

    @cached_property
    def workloads(self) -> BatchLoader[SpecDigest, Workload | None]:
        """Workloads by spec digest."""
        return self._kept("workload", self._catalog.load_workloads, Workload.from_fact)

    @cached_property
    def implementations(self) -> BatchLoader[SpecDigest, Implementation | None]:
        """Implementations by spec digest."""
        return self._kept(
            "implementation", self._catalog.load_implementations, Implementation.from_fact
        )

    @cached_property
    def protocols(self) -> BatchLoader[SpecDigest, Protocol | None]:
        """Protocols by spec digest."""
        return self._kept("protocol", self._catalog.load_protocols, Protocol.from_fact)

    @cached_property
    def environments(self) -> BatchLoader[SpecDigest, Environment | None]:
        """Environments by spec digest."""
        return self._kept("environment", self._catalog.load_environments, Environment.from_fact)

    @cached_property
    def sources(self) -> BatchLoader[Slug, Source | None]:
        """Sources by slug."""
        return self._kept("source", self._catalog.load_sources, Source.from_fact)

    @cached_property
    def serving_runs(self) -> BatchLoader[SpecDigest, ServingRun | None]:
        """Serving runs by spec digest."""
        return self._kept("serving run", self._catalog.load_serving_runs, ServingRun.from_fact)

    @cached_property
    def objects(self) -> BatchLoader[SpecDigest, StoredObject | None]:
        """The object now shown for each spec digest."""
        return self._kept("object", self._catalog.load_objects, StoredObject.from_fact)

    @cached_property
    def publications(self) -> BatchLoader[int, Publication | None]:
        """Publications by number."""
        return self._kept("publication", self._catalog.load_publications, Publication.from_fact)

    @cached_property
    def manifests(self) -> BatchLoader[ObjectId, dict[str, Any] | None]:
        """Manifests by object id, verified against it."""
        return self._by_key(self._catalog.load_manifests, same)

    @cached_property
    def references(self) -> BatchLoader[SpecDigest, list[Reference] | None]:
        """What each manifest cites."""
        return self._by_key(
            self._catalog.load_references,
            lambda digests: [Reference(digest=digest) for digest in digests],
        )

    @cached_property
    def projects(self) -> BatchLoader[Slug, Project | None]:
        """Projects by slug."""
        return self._by_key(
            self._catalog.load_projects, lambda fact: Project.from_fact(fact.project)
        )

    @cached_property
    def project_counts(self) -> BatchLoader[Slug, ProjectCounts | None]:
        """How much of each project the catalogue holds."""
        return self._by_key(self._catalog.load_projects, ProjectCounts.from_fact)

    @cached_property
    def project_holdings(self) -> BatchLoader[Slug, ProjectHoldings | None]:
        """What the catalogue holds of each project; six statements for each, kept once asked."""

        def load(slugs: Iterable[Slug]) -> Mapping[Slug, ProjectPage]:
            pages = {slug: self._catalog.find_project_page(slug) for slug in slugs}
            return {slug: page for slug, page in pages.items() if page is not None}

        return self._kept("project holdings", load, ProjectHoldings.from_fact)

    @cached_property
    def standings(self) -> BatchLoader[SpecDigest, ImplementationStanding | None]:
        """How each implementation stands over all its cohorts."""
        return self._by_key(self._catalog.load_standings, ImplementationStanding.from_fact)

    @cached_property
    def challenges(self) -> BatchLoader[SpecDigest, list[Challenge] | None]:
        """Hardware that a workload is not measured on."""
        return self._by_key(
            self._catalog.load_challenges,
            lambda facts: [Challenge.from_fact(fact) for fact in facts],
        )

    @cached_property
    def sources_of_operation(self) -> BatchLoader[SpecDigest, list[Source] | None]:
        """Sources by the operation they measured; their last observation is of that operation."""
        return self._by_key(self._catalog.load_sources_of_operations, _make_sources)

    async def load_counts(self) -> Counts:
        """How much the snapshot holds."""
        return Counts.from_fact(await self._worker.run(self._catalog.counts))


def _make_sources(facts: tuple[tuple[SourceFact, datetime], ...]) -> list[Source]:
    sources = []
    for fact, last_observed_at in facts:
        source = Source.from_fact(fact)
        source.last_observed_at = last_observed_at
        sources.append(source)
    return sources
