"""`kgraph headroom`: records beside the floor that the hardware sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kgraph.cli.opening import open_catalog
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.cli.output import print_json, print_table, print_text
from kgraph.facts import PageRequest
from kgraph.units import format_quantity, format_ratio
from kgraph.vocab import BelowFloor, HeadroomPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog
    from kgraph.facts import OpportunityFact, Page

_PAGE = 200


@click.group()
def command() -> None:
    """Hold records against the floor that hardware sets.

    A floor is an estimate, never evidence: a record below it says that the estimate counts too
    much, or that the record deserves a second look.
    """


@command.command()
@click.option(
    "--policy",
    type=click.Choice([policy.value for policy in HeadroomPolicy]),
    default=HeadroomPolicy.HEADROOM_V2.value,
    show_default=True,
    help="Version of the estimate.",
)
@store_option
@json_option
def audit(store: str | None, *, policy: str, as_json: bool) -> int:
    """List cohorts whose record lies below its floor, each with what explains it.

    Exit status 1 where a record lies below the strict floor, which no data and no cache can
    undercut, by more than datasheets round.
    """
    version = HeadroomPolicy(policy)
    catalog = open_catalog(settings_for(store)).current()
    found = catalog.audit_headroom(version, PageRequest(first=_PAGE))
    below = list(_read_all(catalog, version, found.below))
    rows = _describe(catalog, below)
    counts = found.counts
    if as_json:
        print_json(
            {
                "policy": policy,
                "snapshot": catalog.snapshot,
                "cohorts": counts.cohort_count,
                "withFloor": counts.floor_count,
                "withFloorAndRecord": counts.ratio_count,
                "below": found.below.total_count,
                "belowByExplanation": {one.value: count for one, count in counts.below_counts},
                "withoutFloorByReason": dict(counts.reason_counts),
                "records": rows,
            }
        )
    else:
        print_text(f"policy             {policy}")
        print_text(f"cohorts            {counts.cohort_count:,}")
        print_text(f"with a floor       {counts.floor_count:,}")
        print_text(f"and with a record  {counts.ratio_count:,}")
        print_text(f"below the floor    {found.below.total_count:,}")
        for explanation, count in counts.below_counts:
            print_text(f"  {explanation.value}  {count:,}")
        for reason, count in counts.reason_counts:
            print_text(f"no floor for {count:,}: {reason}")
        if rows:
            print_text("")
            print_table(
                ("ratio", "record", "floor", "explanation", "hardware", "operation", "workload"),
                (
                    (
                        format_ratio(one.record_ratio),
                        format_quantity(one.record_ns, "ns"),
                        format_quantity(one.floor_ns, "ns"),
                        one.below_floor,
                        row["hardware"],
                        row["operation"],
                        row["workload"],
                    )
                    for one, row in zip(below, rows, strict=True)
                ),
            )
    return 1 if any(one is BelowFloor.IMPOSSIBLE for one, _ in counts.below_counts) else 0


def _read_all(
    catalog: Catalog, policy: HeadroomPolicy, page: Page[OpportunityFact]
) -> Iterator[OpportunityFact]:
    yield from page.items
    while page.has_next:
        request = PageRequest(first=_PAGE, after=page.cursors[-1])
        page = catalog.page_below_floor(policy, request)
        yield from page.items


def _describe(catalog: Catalog, below: list[OpportunityFact]) -> list[dict[str, object]]:
    cohorts = catalog.load_cohorts(one.cohort for one in below)
    operations = catalog.load_operations(cohort.operation for cohort in cohorts.values())
    workloads = catalog.load_workloads(cohort.workload for cohort in cohorts.values())
    environments = catalog.load_environments(cohort.environment for cohort in cohorts.values())
    rows: list[dict[str, object]] = []
    for one in below:
        cohort = cohorts[one.cohort]
        rows.append(
            {
                "cohort": one.cohort,
                "record": one.record,
                "operation": operations[cohort.operation].slug,
                "workload": workloads[cohort.workload].label,
                "hardware": environments[cohort.environment].hardware.product,
                "recordNs": one.record_ns,
                "floorNs": one.floor_ns,
                "recordRatio": one.record_ratio,
                "explanation": one.below_floor,
                "caveat": one.caveat,
            }
        )
    return rows
