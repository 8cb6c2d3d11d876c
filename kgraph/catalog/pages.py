"""Pages of the catalogue's lists: of the whole, and of what each of many owners has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from kgraph.catalog.answers import Record
from kgraph.catalog.reader import FactReader
from kgraph.facts import Order, Page, PageRequest
from kgraph.index import (
    query_histories,
    query_key_page,
    query_owned_pages,
    query_page,
    query_rankings,
    query_record_page,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kgraph.digest import SpecDigest
    from kgraph.facts import (
        AggregateFact,
        CohortFact,
        FacetCount,
        FamilyFact,
        Filter,
        ImplementationFact,
        JudgedRun,
        MeasuredHardwareFact,
        OperationFact,
        PublicationFact,
        RecordEventFact,
        ServingRunFact,
        SourceFact,
        WorkloadFact,
    )
    from kgraph.vocab import CohortKey, Slug

T = TypeVar("T")
K = TypeVar("K", bound=str)


class PageReader(FactReader):
    """Facts, and pages of them; each page costs a fixed number of statements."""

    # --- inside cohorts

    def load_rankings(
        self, keys: Iterable[CohortKey], page: PageRequest
    ) -> Mapping[CohortKey, Page[JudgedRun]]:
        """A page of each cohort's ranking, in display order.

        Raises:
            PageSizeError, CursorError: the page cannot be met.
        """
        found = query_rankings(self._index, list(keys), page)
        runs = self.load_runs(digest for ranked in found.values() for digest in ranked.items)
        return {key: _replace_items(ranked, runs) for key, ranked in found.items()}

    def load_histories(
        self,
        keys: Iterable[CohortKey],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[CohortKey, Page[RecordEventFact]]:
        """A page of each cohort's record events, oldest first unless ordered otherwise.

        Args:
            where: Which of the events.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        if where is None and not order:
            return query_histories(self._index, list(keys), page)
        held = self.load_cohorts(keys)
        oldest_first = order or (Order("ordinal"),)
        found = query_owned_pages(
            self._index, "record_events", "cohort", held, page, where=where, order=oldest_first
        )
        return cast("dict[CohortKey, Page[RecordEventFact]]", found)

    # --- pages by owner: one statement however many owners

    def load_workload_pages(
        self,
        operations: Iterable[SpecDigest],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[SpecDigest, Page[WorkloadFact]]:
        """A page of each operation's workloads, with the cursors of the list of workloads.

        Args:
            where: Which of the workloads.
            order: How they are sorted; as the list of workloads where empty.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        return self._load_owned(
            "workloads",
            "operation",
            operations,
            page,
            load=self.load_workloads,
            where=where,
            order=order,
        )

    def load_implementation_pages(
        self,
        operations: Iterable[SpecDigest],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[SpecDigest, Page[ImplementationFact]]:
        """A page of each operation's implementations; as `load_workload_pages`."""
        return self._load_owned(
            "implementations",
            "operation",
            operations,
            page,
            load=self.load_implementations,
            where=where,
            order=order,
        )

    def load_operation_pages(
        self,
        families: Iterable[Slug],
        page: PageRequest,
        *,
        where: Filter | None = None,
        order: tuple[Order, ...] = (),
    ) -> Mapping[Slug, Page[OperationFact]]:
        """A page of each family's operations; as `load_workload_pages`."""
        return self._load_owned(
            "operations",
            "family",
            families,
            page,
            load=self.load_operations,
            where=where,
            order=order,
        )

    def _load_owned(
        self,
        list_name: str,
        field: str,
        owners: Iterable[K],
        page: PageRequest,
        *,
        load: Callable[[Iterable[Any]], Mapping[Any, T]],
        where: Filter | None,
        order: tuple[Order, ...],
    ) -> dict[K, Page[T]]:
        """Pages by owner of a list whose items are kept by key: only the keys are asked for."""
        found = query_owned_pages(
            self._index, list_name, field, owners, page, where=where, order=order, is_by_key=True
        )
        items = load(key for held in found.values() for key in held.items)
        return {cast("K", owner): _replace_items(held, items) for owner, held in found.items()}

    # --- lists; fields to filter and order by are those of `kgraph.index.LISTS`

    def page_families(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[FamilyFact]:
        """A page of families, by slug unless ordered otherwise."""
        return self._page("families", self.load_families, where, order, page)

    def page_operations(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[OperationFact]:
        """A page of operations, by slug unless ordered otherwise."""
        return self._page("operations", self.load_operations, where, order, page)

    def page_workloads(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[WorkloadFact]:
        """A page of workloads: by operation, measured ones first, then by axis values."""
        return self._page("workloads", self.load_workloads, where, order, page)

    def page_implementations(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ImplementationFact]:
        """A page of implementations, by operation and title unless ordered otherwise."""
        return self._page("implementations", self.load_implementations, where, order, page)

    def page_runs(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[JudgedRun]:
        """A page of runs, newest observation first unless ordered otherwise."""
        return self._page("runs", self.load_runs, where, order, page)

    def page_cohorts(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[CohortFact]:
        """A page of cohorts, by operation and workload unless ordered otherwise."""
        return self._page("cohorts", self.load_cohorts, where, order, page)

    def page_records(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[Record]:
        """A page of standing records, latest first unless ordered otherwise."""
        found = query_record_page(self._index, where, order, page)
        cohorts = self.load_cohorts(key for key, _, _ in found.items)
        runs = self.load_runs(run for _, run, _ in found.items)
        records = tuple(Record(cohorts[key], runs[run], since) for key, run, since in found.items)
        return Page(records, found.cursors, found.total_count, found.has_next, found.has_previous)

    def page_record_events(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[RecordEventFact]:
        """A page of record events, latest first unless ordered otherwise."""
        return query_page(self._index, "record_events", where, order, page)

    def page_hardware(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[MeasuredHardwareFact]:
        """A page of measured products, by name unless ordered otherwise."""
        return query_page(self._index, "hardware", where, order, page)

    def page_sources(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[SourceFact]:
        """A page of sources, by slug unless ordered otherwise."""
        return self._page("sources", self.load_sources, where, order, page)

    def page_publications(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[PublicationFact]:
        """A page of the log, latest first unless ordered otherwise."""
        return query_page(self._index, "publications", where, order, page)

    def page_serving_runs(
        self, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[ServingRunFact]:
        """A page of serving runs, newest observation first unless ordered otherwise."""
        return self._page("serving_runs", self.load_serving_runs, where, order, page)

    def page_keys(
        self, list_name: str, where: Filter | None, order: tuple[Order, ...], page: PageRequest
    ) -> Page[Any]:
        """A page of a list by the keys of its items, for who holds the items already.

        Raises:
            PageSizeError, CursorError, UnknownFieldError: the page cannot be met.
        """
        return query_key_page(self._index, list_name, where, order, page)

    def _page(
        self,
        list_name: str,
        load: Callable[[Iterable[Any]], Mapping[Any, T]],
        where: Filter | None,
        order: tuple[Order, ...],
        page: PageRequest,
    ) -> Page[T]:
        """A page of a list whose items are kept in memory by key: only the keys are asked for."""
        found = self.page_keys(list_name, where, order, page)
        return _replace_items(found, load(found.items))

    def aggregate_runs(
        self, where: Filter | None, list_name: str = "runs"
    ) -> tuple[AggregateFact, ...]:
        """Summaries of the primary values of a list's runs, by metric, statistic and unit.

        Args:
            where: Which items of the list.
        """
        return self._index.aggregate_runs(where, list_name)

    def count_facets(
        self, list_name: str, where: Filter | None, name: str
    ) -> tuple[FacetCount, ...]:
        """How many items of a filtered list have each value of a field, most first."""
        return self._index.count_facets(list_name, where, name)


def _replace_items(page: Page[K], facts: Mapping[K, T]) -> Page[T]:
    """The page with the fact of each key in its place."""
    items = tuple([facts[key] for key in page.items])
    return Page(items, page.cursors, page.total_count, page.has_next, page.has_previous)
