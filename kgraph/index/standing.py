"""Where implementations stand over all their cohorts, and what a project is made of."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kgraph.facts import (
    CohortPlaceFact,
    Filter,
    HardwareShareFact,
    Order,
    Page,
    PageRequest,
    ProjectStandingFact,
    RecipeFact,
    VersionFact,
)
from kgraph.index import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kgraph.digest import SpecDigest
    from kgraph.index.read import Index
    from kgraph.vocab import Slug


def query_projects(index: Index, slugs: Iterable[Slug]) -> dict[Slug, ProjectStandingFact]:
    """Projects by slug. Source: table `project`."""
    found = index.fetch_by(
        "project", rows.PROJECT_COLUMNS, "slug", list(slugs), order="digest DESC"
    )
    return {row[0]: rows.make_project(row) for row in found}


def query_project_page(
    index: Index, where: Filter | None, order: Sequence[Order], request: PageRequest
) -> Page[ProjectStandingFact]:
    """One page of projects; errors as `query_page`. Source: table `project`."""
    return index.fetch_page("projects", rows.make_project, where, order, request)


def query_places(
    index: Index, implementations: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[CohortPlaceFact, ...]]:
    """Every cohort in which an implementation is ranked, with its best run there; by cohort.

    Source: tables `run` and `cohort`.
    """
    keys = list(dict.fromkeys(implementations))
    if not keys:
        return {}
    found = index.fetch(
        "WITH mine AS (SELECT * FROM run WHERE implementation IN"
        f" ({', '.join('?' * len(keys))}) AND rank IS NOT NULL),"
        " rivals AS (SELECT cohort, count(DISTINCT implementation)::INTEGER AS rivals FROM run"
        " WHERE cohort IN (SELECT cohort FROM mine) AND rank IS NOT NULL GROUP BY cohort)"
        " SELECT m.implementation, m.cohort, m.workload, m.digest, m.rank, m.is_tied,"
        " m.ratio_to_leader, r.rivals, coalesce(h.implementation = m.implementation, false)"
        " FROM mine m JOIN rivals r ON r.cohort = m.cohort"
        " LEFT JOIN record h ON h.cohort = m.cohort"
        " QUALIFY row_number() OVER (PARTITION BY m.implementation, m.cohort"
        " ORDER BY m.position) = 1 ORDER BY m.implementation, m.cohort",
        keys,
    )
    places: defaultdict[SpecDigest, list[CohortPlaceFact]] = defaultdict(list)
    for row in found:
        places[row[0]].append(CohortPlaceFact(*row))
    return {implementation: tuple(owned) for implementation, owned in places.items()}


def query_refusals(
    index: Index, implementations: Iterable[SpecDigest]
) -> dict[SpecDigest, tuple[int, int, tuple[tuple[str, int], ...]]]:
    """Runs of each implementation, those that may not be ranked, and why, by reason code.

    A run with several reasons counts for each. Source: table `run`.
    """
    keys = list(dict.fromkeys(implementations))
    if not keys:
        return {}
    totals: dict[SpecDigest, tuple[int, int]] = {}
    reasons: defaultdict[SpecDigest, list[tuple[str, int]]] = defaultdict(list)
    for implementation, reason, count, refused in index.fetch(
        "WITH mine AS (SELECT implementation, is_eligible, reasons FROM run WHERE implementation"
        f" IN ({', '.join('?' * len(keys))}))"
        " SELECT implementation, NULL, count(*), count(*) FILTER (NOT is_eligible) FROM mine"
        " GROUP BY implementation UNION ALL"
        " SELECT implementation, reason, count(*), 0 FROM (SELECT implementation,"
        " unnest(reasons) AS reason FROM mine WHERE NOT is_eligible) GROUP BY 1, 2 ORDER BY 1, 2",
        keys,
    ):
        if reason is None:
            totals[implementation] = count, refused
        else:
            reasons[implementation].append((reason, count))
    return {
        implementation: (*counts, tuple(reasons[implementation]))
        for implementation, counts in totals.items()
    }


# --- one project -----------------------------------------------------------------------------


def query_hardware_shares(index: Index, project: Slug) -> tuple[HardwareShareFact, ...]:
    """What a project holds of each product, most runs first. Source: tables `run`, `record`."""
    found = index.fetch(
        "SELECT r.product, min(r.vendor), count(*), count(*) FILTER (r.is_eligible), count(c.run),"
        " max(r.observed_at) FILTER (r.is_eligible)"
        " FROM run r LEFT JOIN record c ON c.run = r.digest WHERE r.project_slug = ?"
        " GROUP BY r.product ORDER BY 3 DESC, 1",
        [project],
    )
    return tuple(
        HardwareShareFact(
            product, vendor, runs, eligible, records, last and rows.make_instant(last)
        )
        for product, vendor, runs, eligible, records, last in found
    )


def query_recipes(index: Index, project: Slug) -> tuple[RecipeFact, ...]:
    """Install recipes of a project, most used first. Source: table `implementation`."""
    found = index.fetch(
        "SELECT install_kind, install_command, count(*) FROM implementation"
        " WHERE project_slug = ? AND install_command IS NOT NULL GROUP BY ALL"
        " ORDER BY 3 DESC, 2, 1 NULLS LAST",
        [project],
    )
    return tuple(RecipeFact(*row) for row in found)


def query_license_counts(index: Index, project: Slug) -> tuple[tuple[str | None, int], ...]:
    """Concluded licences of a project's implementations, most frequent first.

    Source: table `implementation`.
    """
    return tuple(
        index.fetch(
            "SELECT license, count(*) FROM implementation WHERE project_slug = ? GROUP BY license"
            " ORDER BY 2 DESC, 1 NULLS LAST",
            [project],
        )
    )


def query_versions(index: Index, project: Slug) -> tuple[VersionFact, ...]:
    """Versions of a project by first observation; unmeasured ones last, by name.

    Source: tables `implementation`, `run` and `record`.
    """
    found = index.fetch(
        "SELECT i.version, count(DISTINCT i.digest), count(r.digest),"
        " count(r.digest) FILTER (r.is_eligible), count(c.run), min(r.observed_at),"
        " max(r.observed_at) FROM implementation i"
        " LEFT JOIN run r ON r.implementation = i.digest LEFT JOIN record c ON c.run = r.digest"
        " WHERE i.project_slug = ? GROUP BY i.version"
        " ORDER BY 6 NULLS LAST, 1 NULLS LAST",
        [project],
    )
    return tuple(
        VersionFact(
            version,
            implementations,
            runs,
            eligible,
            records,
            first and rows.make_instant(first),
            last and rows.make_instant(last),
        )
        for version, implementations, runs, eligible, records, first, last in found
    )
