"""`Catalog`: every question that a reader may ask of one snapshot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kgraph.catalog.answers import HeadroomAudit
from kgraph.catalog.compare import compare_named_runs
from kgraph.catalog.coverage import Coverage, find_coverage
from kgraph.catalog.hardware import (
    HardwareComparison,
    HardwarePage,
    compare_hardware,
    find_hardware_page,
)
from kgraph.catalog.pages import PageReader
from kgraph.catalog.query import QueryAnswer, answer_query
from kgraph.catalog.query_intent import KnownValues
from kgraph.catalog.regression import RegressionView, find_regression
from kgraph.catalog.serving import RankedServingCohort, rank_serving_cohort
from kgraph.catalog.standing import (
    ImplementationStanding,
    ProjectPage,
    find_project_page,
    find_standings,
)
from kgraph.catalog.strict import rank_strictly
from kgraph.catalog.walk import Walk
from kgraph.facts import AllOf, Condition, Order
from kgraph.index import (
    CoverageOwner,
    query_challenge_page,
    query_headroom_counts,
    query_measured_hardware,
    query_opportunity_page,
    query_project_page,
    query_projects,
    query_search,
)
from kgraph.policy import STALE_AFTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kgraph.catalog.answers import Record
    from kgraph.catalog.strict import StrictRanking
    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        ChallengeFact,
        Filter,
        MeasuredHardwareFact,
        OpportunityFact,
        Page,
        PageRequest,
        ProjectStandingFact,
        SearchHit,
    )
    from kgraph.policy import Comparison, ServingObjective
    from kgraph.vocab import CohortKey, HeadroomPolicy, SearchKind, Slug


class Catalog(PageReader):
    """The catalogue as of one snapshot: its facts, and questions over many of them.

    Safe to ask from any thread; each question costs at most a fixed number of SQL statements.
    """

    def walk(self) -> Walk:
        """The snapshot read whole, a chunk at a time."""
        return Walk(self._index, self._store)

    def search(
        self,
        text: str,
        kinds: Sequence[SearchKind],
        page: PageRequest,
        order: tuple[Order, ...] = (),
    ) -> Page[SearchHit]:
        """A page of what a text leads to: exact names, then prefixes, words and typos.

        Args:
            kinds: What is looked for; everything where empty.
            order: By `kind`, `name` or `run_count`; by how exact a hit is where empty.

        Raises:
            PageSizeError, CursorError: the page cannot be met.
        """
        return query_search(self._index, text, kinds, page, order)

    def answer_query(self, text: str, page: PageRequest) -> QueryAnswer:
        """What one line in the query language is understood as, and the answer to that.

        Raises:
            PageSizeError, CursorError: the page of records cannot be met.
            AmbiguousRefError: the words are a digest prefix that fits several operations.
        """
        known = self._memory.load("known_values", [0], lambda _: {0: self._find_known_values()})
        return answer_query(self._index, self, text, page, known[0])

    def _find_known_values(self) -> KnownValues:
        return KnownValues(
            *(
                frozenset(facet.value for facet in self.count_facets(name, None, field))
                for name, field in (("workloads", "dtype"), ("implementations", "language"))
            )
        )

    # --- coverage

    def find_coverage(
        self,
        owner: CoverageOwner,
        key: str,
        page: PageRequest,
        order: tuple[Order, ...] = (),
    ) -> Coverage:
        """Which workloads of an operation or family are measured on which devices.

        Args:
            owner: Whether `key` is the digest of an operation or the slug of a family.
            page: Of workloads, the rows of the matrix.
            order: How the rows are sorted; as the list of workloads where empty.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        flagships = [(hardware.product, hardware.vendor) for hardware in self._flagships()]
        return find_coverage(
            self._index,
            self,
            owner,
            key,
            page,
            order=order,
            flagships=flagships,
            now=self._clock(),
        )

    def page_challenges(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ChallengeFact]:
        """A page of workloads that nobody measured on a device, most measured neighbours first.

        A neighbour is the same workload on another device, or a workload on the same device that
        differs in the value of one axis. Devices on which nothing of the family runs are left out.
        """
        return query_challenge_page(self._index, where, order, page)

    def page_stale_records(self, where: Filter | None, page: PageRequest) -> Page[Record]:
        """A page of standing records too old to rely on as of now, oldest observation first."""
        limit = Condition("observed_at", "lt", self._clock() - STALE_AFTER)
        parts = (limit,) if where is None else (limit, where)
        return self.page_records(AllOf(parts), (Order("observed_at"),), page)

    # --- devices

    def load_measured_hardware(self, products: Iterable[str]) -> Mapping[str, MeasuredHardwareFact]:
        """Measured products by name."""
        return query_measured_hardware(self._index, products)

    def find_hardware_page(self, text: str) -> HardwarePage | None:
        """What is measured on a product, and its datasheet rows.

        Args:
            text: A product, with or without the maker's name or a form factor: `H100`.

        Returns:
            None where the text means no product that is measured or known, or several.
        """
        return find_hardware_page(self._index, text)

    def compare_hardware(self, operation: SpecDigest, policy: HeadroomPolicy) -> HardwareComparison:
        """The records of one operation on every device, each as a ratio to its own floor."""
        return compare_hardware(self, operation, policy)

    # --- implementations and projects

    def load_standings(
        self, implementations: Iterable[SpecDigest]
    ) -> Mapping[SpecDigest, ImplementationStanding]:
        """How each implementation stands over all its cohorts; absent for what has no run."""
        return find_standings(self._index, implementations)

    def load_projects(self, slugs: Iterable[Slug]) -> Mapping[Slug, ProjectStandingFact]:
        """Projects by slug, with how much of each the catalogue holds."""
        return query_projects(self._index, slugs)

    def page_projects(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ProjectStandingFact]:
        """A page of projects, by slug unless ordered otherwise."""
        return query_project_page(self._index, where, order, page)

    def find_project_page(self, slug: Slug) -> ProjectPage | None:
        """What a project holds, where, under which licences, and its versions over time."""
        return find_project_page(self._index, slug)

    def find_regression(
        self,
        operation: str,
        implementation: str,
        *,
        threshold: float,
        cohorts: Sequence[CohortKey] = (),
        version: str | None = None,
        baseline: str | None = None,
    ) -> RegressionView:
        """One implementation over its revisions and dates, in every cohort that measured it.

        Args:
            operation: Slug, alias or digest.
            implementation: A title, `project/title`, or a digest of any revision of it.
            threshold: Share by which a value may differ and count as unchanged: 0.05 for 5%.
            cohorts: Those to look at, of a sweep for instance; all where empty.
            version: The version that is asked about; the newest measured where absent.
            baseline: The version to compare it with; the one before it where absent.

        Raises:
            UnknownLineageError: a name means nothing, or several implementations.
            AmbiguousRefError: the operation's prefix fits several.
        """
        return find_regression(
            self._index,
            self,
            operation=operation,
            implementation=implementation,
            threshold=threshold,
            cohorts=cohorts,
            version=version,
            baseline=baseline,
        )

    # --- serving, a surface of its own

    def rank_serving_cohort(
        self, cohort: CohortKey, objective: ServingObjective
    ) -> RankedServingCohort | None:
        """Where the runs of one serving cohort stand under one objective; None for no cohort."""
        return rank_serving_cohort(self._index, cohort, objective)

    # --- headroom

    def page_opportunities(
        self,
        policy: HeadroomPolicy,
        where: Filter | None,
        order: tuple[Order, ...],
        page: PageRequest,
    ) -> Page[OpportunityFact]:
        """A page of records beside their floors, the one farthest above its floor first."""
        version = Condition("policy", "eq", policy.value)
        parts = (version,) if where is None else (version, where)
        return query_opportunity_page(self._index, AllOf(parts), order, page)

    def audit_headroom(
        self, policy: HeadroomPolicy, page: PageRequest, order: tuple[Order, ...] = ()
    ) -> HeadroomAudit:
        """Records that lie below their floor, the farthest below first, and counts over all.

        Args:
            order: Of the records, where it is another.
        """
        counts = query_headroom_counts(self._index)[policy]
        return HeadroomAudit(counts, self.page_below_floor(policy, page, order))

    def page_below_floor(
        self, policy: HeadroomPolicy, page: PageRequest, order: tuple[Order, ...] = ()
    ) -> Page[OpportunityFact]:
        """A page of records below their floor, the farthest below first unless ordered."""
        below = Condition("below_floor", "is_null", value=False)
        return self.page_opportunities(policy, below, order or (Order("ratio"),), page)

    # --- runs side by side

    def load_strict_rankings(self, keys: Iterable[CohortKey]) -> Mapping[CohortKey, StrictRanking]:
        """Each cohort ranked by bootstrapped samples or intervals (`ranking-v2`).

        Raises:
            ObjectNotFoundError, ObjectCorruptError: the store lost or changed a run with samples.
        """
        return self._memory.load("strict_ranking", keys, partial(rank_strictly, self))

    def compare_runs(self, refs: Sequence[str]) -> Comparison:
        """Two to eight runs field by field, and a winner where one cohort's ranking has one.

        Args:
            refs: Digests, object ids or unique prefixes of different runs.

        Raises:
            ComparisonError: there are too few, too many, one twice, or one that is not known.
            BadDigestError, AmbiguousRefError: a reference names no digest, or several.
        """
        return compare_named_runs(self, refs)
