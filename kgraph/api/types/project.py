"""Software projects and what the catalogue holds of each."""

from __future__ import annotations

import strawberry

from kgraph.api.connection import Connection
from kgraph.api.describe import linked, object_type, plain
from kgraph.api.inputs.facet import ProjectFacet
from kgraph.api.node import Node, NodeType, encode_node_id
from kgraph.api.resolvers import project as resolve
from kgraph.api.resolvers.facets import count_by, summarise
from kgraph.api.types.measure import Aggregate, FacetCount
from kgraph.api.types.share import (
    FamilyShare,
    HardwareShare,
    InstallRecipe,
    LicenseShare,
    ProjectVersion,
)
from kgraph.catalog import ProjectPage
from kgraph.digest import SpecDigest
from kgraph.facts import Filter, ProjectFact, ProjectStandingFact


@object_type
class ProjectCounts:
    """How much of a project the catalogue holds."""

    implementations: int = plain("Implementations.")
    operations: int = plain("Operations that they compute.")
    families: int = plain("Families of these.")
    runs: int = plain("Runs, eligible or not.")
    eligible_runs: int = plain("Runs that take part in ranking.")
    records: int = plain("Cohorts whose standing record is a run of the project.")

    @classmethod
    def from_fact(cls, fact: ProjectStandingFact) -> ProjectCounts:
        """The counts as the API shows them."""
        return cls(
            implementations=fact.implementation_count,
            operations=fact.operation_count,
            families=fact.family_count,
            runs=fact.run_count,
            eligible_runs=fact.eligible_run_count,
            records=fact.record_count,
        )


@object_type
class ProjectHoldings:
    """What the catalogue holds of a project, by family, device, licence, recipe and version."""

    families: list[FamilyShare] = plain("By family.", size=10)
    hardware: list[HardwareShare] = plain("Devices, most runs first.", size=5)
    licenses: list[LicenseShare] = plain("Licences, most frequent first.", size=2)
    recipes: list[InstallRecipe] = plain("Ways to install, most used first.", size=2)
    versions: list[ProjectVersion] = plain(
        "Versions by first observation, unmeasured ones last.", size=5
    )

    @classmethod
    def from_fact(cls, fact: ProjectPage) -> ProjectHoldings:
        """The holdings as the API shows them."""
        return cls(
            families=[FamilyShare.from_fact(share) for share in fact.families],
            hardware=[HardwareShare.from_fact(share) for share in fact.hardware],
            licenses=[
                LicenseShare(license=license_, implementation_count=count)
                for license_, count in fact.licenses
            ],
            recipes=[InstallRecipe.from_fact(recipe) for recipe in fact.recipes],
            versions=[ProjectVersion.from_fact(version) for version in fact.versions],
        )


@object_type
class Project(Node):
    """A software project that holds implementations."""

    digest: SpecDigest = plain("Spec digest of its manifest.")
    slug: str = plain("Name in filters.")
    name: str = plain("Name for people.")
    repository: str | None = plain("Where its code is; null where not stated.")
    homepage: str | None = plain("Its own page; null where not stated.")
    counts: ProjectCounts = linked(
        resolve.resolve_counts_of_project, "How much of it the catalogue holds."
    )
    holdings: ProjectHoldings = linked(
        resolve.resolve_holdings, "What the catalogue holds of it, part by part."
    )

    @classmethod
    def from_fact(cls, fact: ProjectFact) -> Project:
        """The project as the API shows it."""
        return cls(
            id=encode_node_id(NodeType.PROJECT, fact.slug),
            digest=fact.digest,
            slug=fact.slug,
            name=fact.name,
            repository=fact.repository,
            homepage=fact.homepage,
        )


@object_type
class ProjectConnection(Connection[Project]):
    """A page of projects."""

    facets: list[FacetCount] = linked(
        count_by("projects", ProjectFacet), "How many projects share a value of one field.", size=20
    )
    aggregates: list[Aggregate] = linked(
        summarise("projects"),
        "Summaries of the primary values of their runs, one for each metric, statistic and unit.",
        size=5,
    )
    where: strawberry.Private[Filter | None]
