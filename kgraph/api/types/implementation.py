"""Implementations: revisions of code that compute an operation."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.enums import DeployabilityReason
from kgraph.api.inputs.facet import ImplementationFacet
from kgraph.api.lazy import LazyOperation, LazyStoredObject
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import implementation as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.api.types.project import Project
from kgraph.api.types.standing import ImplementationStanding
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, ImplementationFact
from kgraph.policy import conclude_license, judge_deployability


@object_type
class License:
    """Terms of an implementation; unknown never becomes permissive."""

    declared: str | None = plain("As the source wrote it; null where it states none.")
    concluded: str | None = plain("A valid SPDX expression; null where none can be concluded.")


@object_type
class Install:
    """How to install an implementation."""

    kind: str | None = plain("Way of installing, as `pip`; null where not stated.")
    command: str = plain("A command to run.")


@object_type
class Deployability:
    """Whether an implementation can be used today; never alters a rank."""

    eligible: bool = plain("Whether it has a public source, an install recipe and a known licence.")
    reasons: list[DeployabilityReason] = plain(
        "What keeps it from being used; empty where nothing does.", size=1
    )


@object_type
class Implementation(Node):
    """One revision of code that computes an operation."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    name: str = plain("Its `metadata.name`.")
    title: str = plain("Name for people.")
    description: str | None = plain("What it is; null where not stated.")
    language: str = plain("Language of the kernel, as `triton`.")
    revision: str | None = plain(
        "The revision as its source names it: a release or a commit; null where unknown."
    )
    commit: str | None = plain("Commit of its repository; null where unknown.")
    repository: str | None = plain("Where this revision is; null where not stated.")
    source_url: str | None = plain("Where its source text is; null where not public.")
    source_content_digest: str | None = plain(
        "Digest of the exact source bytes; null where they are not identified."
    )
    project: Project | None = plain("Project that holds it; null where none is known.")
    license: License = plain("Its terms.")
    install: Install | None = plain("How to install it; null where no recipe is known.")
    deployability: Deployability = plain("Whether it can be used today.")
    is_baseline: bool = plain("Whether its source labels it as the baseline.")
    architectures: list[str] = plain("Architectures that it states to support.", size=2)
    dtypes: list[str] = plain("Element types that it states to support.", size=2)
    authors: list[str] = plain("Authors, as its manifest names them.", size=2)
    operation: LazyOperation = linked(
        resolve.resolve_operation_of_implementation, "What it computes."
    )
    standing: ImplementationStanding | None = linked(
        resolve.resolve_standing_of_implementation,
        "How it stands over all its cohorts; null where no run of it is stored.",
    )
    object: LazyStoredObject = linked(
        resolve.resolve_object_of_implementation, "The stored manifest."
    )
    operation_digest: strawberry.Private[SpecDigest]

    @classmethod
    def from_fact(cls, fact: ImplementationFact) -> Implementation:
        """The implementation as the API shows it."""
        deployability = judge_deployability(fact)
        license_ = conclude_license(fact.license_declared, fact.license_concluded)
        return cls(
            id=encode_node_id(NodeType.IMPLEMENTATION, fact.digest),
            digest=fact.digest,
            name=fact.name,
            title=fact.title,
            description=fact.description,
            language=fact.language,
            revision=fact.version,
            commit=fact.commit,
            repository=fact.repository,
            source_url=fact.source_url,
            source_content_digest=fact.source_content_digest,
            project=None if fact.project is None else Project.from_fact(fact.project),
            license=License(declared=fact.license_declared, concluded=license_.concluded),
            install=None
            if fact.install_command is None
            else Install(kind=fact.install_kind, command=fact.install_command),
            deployability=Deployability(
                eligible=deployability.is_deployable, reasons=list(deployability.reasons)
            ),
            is_baseline=fact.is_baseline,
            architectures=list(fact.architectures),
            dtypes=list(fact.dtypes),
            authors=list(fact.authors),
            operation_digest=fact.operation_digest,
        )


@object_type
class ImplementationConnection(Connection[Implementation]):
    """A page of implementations."""

    facets: list[FacetCount] = linked(
        count_by("implementations", ImplementationFacet),
        "How many implementations share a value of one field.",
        size=20,
    )
    aggregates: list[Aggregate] = linked(
        summarise("implementations"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
