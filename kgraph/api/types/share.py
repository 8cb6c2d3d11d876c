"""What some part of the catalogue, a device or a project, holds of the rest."""

from __future__ import annotations

from datetime import datetime

import strawberry

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.lazy import LazyFamily
from kgraph.api.resolvers import share as resolve
from kgraph.facts import FamilyShareFact, HardwareShareFact, RecipeFact, VersionFact
from kgraph.vocab import Slug


@object_type
class FamilyShare:
    """What of one family a device or a project holds."""

    operation_count: int = plain("Operations of the family.")
    workload_count: int = plain("Workloads measured.")
    run_count: int = plain("Runs, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    record_count: int = plain(
        "Of a device, cohorts with a standing record; of a project, the records that it holds."
    )
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing is eligible."
    )
    family: LazyFamily = linked(resolve.resolve_family_of_share, "The family.")
    family_slug: strawberry.Private[Slug]

    @classmethod
    def from_fact(cls, fact: FamilyShareFact) -> FamilyShare:
        """The share as the API shows it."""
        return cls(
            operation_count=fact.operation_count,
            workload_count=fact.workload_count,
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            record_count=fact.record_count,
            last_observed_at=fact.last_observed_at,
            family_slug=fact.family,
        )


@object_type
class HardwareShare:
    """What of one device a project holds."""

    product: str = plain("Product name, as hardware filters take it.")
    vendor: str = plain("Maker.")
    run_count: int = plain("Runs on it, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    record_count: int = plain("Standing records that the project holds on it.")
    last_observed_at: datetime | None = plain(
        "Latest eligible observation; null where nothing is eligible."
    )

    @classmethod
    def from_fact(cls, fact: HardwareShareFact) -> HardwareShare:
        """The share as the API shows it."""
        return cls(
            product=fact.product,
            vendor=fact.vendor,
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            record_count=fact.record_count,
            last_observed_at=fact.last_observed_at,
        )


@object_type
class LicenseShare:
    """Implementations of a project under one licence."""

    license: str | None = plain(
        "Concluded SPDX expression; null for those from which none can be concluded."
    )
    implementation_count: int = plain("How many.")


@object_type
class InstallRecipe:
    """One way to install implementations of a project."""

    kind: str | None = plain("Way of installing, as `pip`; null where not stated.")
    command: str = plain("A command to run.")
    implementation_count: int = plain("Implementations that it installs.")

    @classmethod
    def from_fact(cls, fact: RecipeFact) -> InstallRecipe:
        """The recipe as the API shows it."""
        return cls(
            kind=fact.kind,
            command=fact.command,
            implementation_count=fact.implementation_count,
        )


@object_type
class ProjectVersion:
    """One version of a project, and when it was measured."""

    version: str | None = plain("As its implementations name it; null for those that name none.")
    implementation_count: int = plain("Implementations of the version.")
    run_count: int = plain("Runs, eligible or not.")
    eligible_run_count: int = plain("Runs that take part in ranking.")
    record_count: int = plain("Standing records that it holds.")
    first_observed_at: datetime | None = plain(
        "Its first observation; null where no run of it is stored."
    )
    last_observed_at: datetime | None = plain("Its last observation; null likewise.")

    @classmethod
    def from_fact(cls, fact: VersionFact) -> ProjectVersion:
        """The version as the API shows it."""
        return cls(
            version=fact.version,
            implementation_count=fact.implementation_count,
            run_count=fact.run_count,
            eligible_run_count=fact.eligible_run_count,
            record_count=fact.record_count,
            first_observed_at=fact.first_observed_at,
            last_observed_at=fact.last_observed_at,
        )
