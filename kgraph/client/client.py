"""The client that waits for each answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel

from kgraph.client.generated.blocking import Blocking
from kgraph.client.generated.fragments import (
    CatalogState,
    OperationPage,
    RankedRow,
    RecordEventRow,
    RecordRow,
    ResolutionAnswer,
    RunPage,
    RunRow,
)
from kgraph.client.generated.input_types import RecordEventWhere, RecordWhere, RunWhere
from kgraph.client.question import SweepRow, make_request, narrow, read_ranking, read_sweeps
from kgraph.client.rows import PAGE_SIZE, Page, Rows, Table, make_page
from kgraph.client.transport import SNAPSHOT_HEADER, address, httpx, reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from kgraph.client.generated.enums import EvidenceLevel
    from kgraph.client.generated.input_types import (
        RecordEventOrder,
        RecordOrder,
        RunOrder,
        TensorInput,
    )
    from kgraph.client.rows import Fetch

R = TypeVar("R", bound=BaseModel)

LOCAL = "http://127.0.0.1:8000"
"""Where `kgraph serve` answers unless told otherwise."""

SECONDS = 30.0
"""How long an answer is waited for; above the server's own budget, whose refusal says more."""


class Client:
    """Asks a kgraph server and waits for each answer.

    Use it in a `with` block, or close it. One client may be used by several threads.

    Args:
        url: of the server, with or without `/graphql`.
        snapshot: state of the catalogue that every answer is of; the newest where None.
        as_of: likewise, by an instant, or by a day, which counts to its end.
        timeout: seconds that an answer is waited for.
        headers: sent with every request.
        http: a client of httpx to send by, which stays open; `timeout` and `headers` are its own.
    """

    def __init__(
        self,
        url: str = LOCAL,
        *,
        snapshot: str | None = None,
        as_of: date | None = None,
        timeout: float = SECONDS,
        headers: Mapping[str, str] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self.url, self.snapshot, self.as_of = url, snapshot, as_of
        self._is_owner = http is None
        self._http = http or httpx.Client(timeout=timeout, headers=headers)
        self._generated = Blocking(address(url, as_of), self._http, snapshot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless they are another's."""
        if self._is_owner:
            self._http.close()

    def at(self, snapshot: str) -> Client:
        """A client for one snapshot, by the connections of this one."""
        return Client(self.url, snapshot=snapshot, http=self._http)

    def pinned(self) -> Client:
        """A client for the snapshot that is the newest now: all of its answers agree."""
        return self.at(self.catalog().snapshot)

    def catalog(self) -> CatalogState:
        """What the catalogue holds, and the snapshot that names it."""
        with reading(self.url):
            return self._generated.catalog().catalog

    def operation(self, slug: str, *, workloads: int = 50) -> OperationPage | None:
        """An operation with its fastest runs, and its cohorts' records and headroom.

        Args:
            slug: slug, alias, spec digest or a unique prefix of one.
            workloads: how many of its workloads, 1 to 200.

        Returns:
            None where nothing has the name.
        """
        with reading(self.url):
            return self._generated.operation(slug, workloads).operation

    def run(self, ref: str) -> RunPage | None:
        """Everything known of a run.

        Args:
            ref: spec digest, object id or a unique prefix of either.

        Returns:
            None where nothing has the name.
        """
        with reading(self.url):
            return self._generated.run(ref).run

    def runs(
        self,
        where: RunWhere | None = None,
        *,
        operation: str | None = None,
        family: str | None = None,
        hardware: str | None = None,
        cohort: str | None = None,
        order_by: Sequence[RunOrder] = (),
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> Rows[RunRow]:
        """Runs, newest observation first unless ordered otherwise.

        Args:
            where: further tests; all must hold.
            page_size: rows asked for at once, 1 to 200.
            limit: rows in all; every row where None.
        """
        tests = narrow(
            RunWhere,
            where,
            operation=operation,
            family=family,
            hardware=hardware,
            cohort=cohort,
        )

        def fetch(first: int, after: str | None, pin: str | None) -> Page[RunRow]:
            with reading(self.url):
                answer = self._generated.runs(
                    tests, list(order_by) or None, first, after, headers=_pinning(pin)
                )
            return make_page(answer.catalog.snapshot, answer.runs)

        return self._rows(RunRow, fetch, page_size, limit)

    def records(
        self,
        where: RecordWhere | None = None,
        *,
        operation: str | None = None,
        family: str | None = None,
        hardware: str | None = None,
        cohort: str | None = None,
        order_by: Sequence[RecordOrder] = (),
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> Rows[RecordRow]:
        """Standing records, latest first unless ordered otherwise.

        Args:
            where: further tests; all must hold.
            page_size: rows asked for at once, 1 to 200.
            limit: rows in all; every row where None.
        """
        tests = narrow(
            RecordWhere,
            where,
            operation=operation,
            family=family,
            hardware=hardware,
            cohort=cohort,
        )

        def fetch(first: int, after: str | None, pin: str | None) -> Page[RecordRow]:
            with reading(self.url):
                answer = self._generated.records(
                    tests, list(order_by) or None, first, after, headers=_pinning(pin)
                )
            return make_page(answer.catalog.snapshot, answer.records)

        return self._rows(RecordRow, fetch, page_size, limit)

    def record_history(
        self,
        where: RecordEventWhere | None = None,
        *,
        operation: str | None = None,
        family: str | None = None,
        hardware: str | None = None,
        cohort: str | None = None,
        order_by: Sequence[RecordEventOrder] = (),
        page_size: int = PAGE_SIZE,
        limit: int | None = None,
    ) -> Rows[RecordEventRow]:
        """Changes of records, latest first unless ordered otherwise.

        Args:
            where: further tests; all must hold.
            page_size: rows asked for at once, 1 to 200.
            limit: rows in all; every row where None.
        """
        tests = narrow(
            RecordEventWhere,
            where,
            operation=operation,
            family=family,
            hardware=hardware,
            cohort=cohort,
        )

        def fetch(first: int, after: str | None, pin: str | None) -> Page[RecordEventRow]:
            with reading(self.url):
                answer = self._generated.record_history(
                    tests, list(order_by) or None, first, after, headers=_pinning(pin)
                )
            return make_page(answer.catalog.snapshot, answer.record_history)

        return self._rows(RecordEventRow, fetch, page_size, limit)

    def ranking(
        self, cohort: str, *, page_size: int = PAGE_SIZE, limit: int | None = None
    ) -> Rows[RankedRow]:
        """Eligible runs of one cohort, best first.

        Walking it raises `KgraphClientError` with code `NOT_FOUND` where there is no such cohort.

        Args:
            cohort: its key, written out in full.
            page_size: rows asked for at once, 1 to 200.
            limit: rows in all; every row where None.
        """

        def fetch(first: int, after: str | None, pin: str | None) -> Page[RankedRow]:
            with reading(self.url):
                answer = self._generated.ranking(cohort, first, after, headers=_pinning(pin))
            return read_ranking(answer, cohort)

        return self._rows(RankedRow, fetch, page_size, limit)

    def sweep(self, slug: str, axis: str | None = None) -> Table[SweepRow]:
        """How the implementations of an operation scale, a row for each measured point.

        Args:
            slug: slug, alias, spec digest or a unique prefix of one.
            axis: the axis that varies; every axis that has a sweep where None.

        Raises:
            KgraphClientError: there is no such operation.
        """
        with reading(self.url):
            return read_sweeps(self._generated.sweeps(slug), slug, axis)

    def resolve(
        self,
        operation: str,
        *,
        axes: Mapping[str, int] | None = None,
        dtypes: Sequence[str] | None = None,
        tensors: Sequence[TensorInput] | None = None,
        hardware: str | None = None,
        software: Mapping[str, str | None] | None = None,
        minimum_evidence: EvidenceLevel | str | None = None,
        licenses: Sequence[str] | None = None,
        languages: Sequence[str] | None = None,
        deployable: bool | None = None,
    ) -> ResolutionAnswer:
        """The fastest implementation for a workload on a device, or the honest nearest.

        What is left out may be anything.

        Args:
            operation: slug, alias or digest of an operation, or slug of a family.
            axes: sizes by axis, as `{"tokens": 4096}`.
            dtypes: element types that must all occur, as `["bf16"]`.
            hardware: product, device string or architecture.
            software: versions by name; None for any version.
            minimum_evidence: weakest evidence level that is accepted.
            licenses: SPDX identifiers, any of which is accepted.
            languages: any of which is accepted.
            deployable: True where only what can be used today is accepted.
        """
        request = make_request(
            operation,
            axes=axes,
            dtypes=dtypes,
            tensors=tensors,
            hardware=hardware,
            software=software,
            minimum_evidence=minimum_evidence,
            licenses=licenses,
            languages=languages,
            deployable=deployable,
        )
        with reading(self.url):
            return self._generated.resolve(request).resolve

    def execute(
        self,
        document: str,
        variables: Mapping[str, Any] | None = None,
        *,
        operation_name: str | None = None,
    ) -> dict[str, Any]:
        """The data of any other document, as the server sends it.

        Raises:
            KgraphClientError: the answer holds errors.
        """
        response = self._generated.execute(document, operation_name, dict(variables or {}))
        return self._generated.get_data(response)

    def _rows(self, row: type[R], fetch: Fetch[R], page_size: int, limit: int | None) -> Rows[R]:
        is_pinned = self.snapshot is not None or self.as_of is not None
        return Rows(row, fetch, page_size=page_size, limit=limit, may_pin=not is_pinned)


def _pinning(snapshot: str | None) -> dict[str, str]:
    return {SNAPSHOT_HEADER: snapshot} if snapshot else {}
