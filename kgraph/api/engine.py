"""From a request to an answer: prepare, weigh, execute, say what went wrong."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import orjson
import strawberry
from cachetools import LRUCache
from graphql import (
    ExecutionResult,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    execute,
    get_variable_values,
)

from kgraph.api.context import Context, Position
from kgraph.api.cost import CostModel
from kgraph.api.document import DocumentCache, Prepared, RequestError
from kgraph.api.errors import (
    BAD_INPUT,
    OPERATION_FAILED,
    LimitError,
    TimeBudgetError,
    describe_error,
    format_error,
)
from kgraph.api.limits import Limits
from kgraph.api.live import stream_results
from kgraph.api.loaders import Loaders
from kgraph.api.schema import core_of
from kgraph.api.shapes import StrawberryProjectingExecutor, StrawberryShapes
from kgraph.api.unstarted import Unstarted
from kgraph.api.worker import Worker
from kgraph.catalog import Catalog
from kgraph.errors import DamageError, KgraphError
from kgraph.projector import ProjectionMemory, Projections
from kgraph.sheet import SheetPlan, plan_sheet
from kgraph.tracing import span

_THREADS = 4
"""Questions that the database is asked at once, each on one thread."""

_MAX_COERCION_ERRORS = 20

# Characters of a document that is looked at where it is met: the worst of that length takes 20 ms.
_LONG_DOCUMENT = 2_000

# Some thousand of the documents that pages ask.
_MAX_READY_BYTES = 64_000_000
# Twice what was measured: a parsed document takes 53 bytes a character.
_BYTES_A_CHARACTER = 100

_NO_STREAM = (
    "subscription: asked for one answer, expected graphql-transport-ws or accept: text/event-stream"
)

_WARM_UP = """
{
  catalog { counts { runs } sources { slug } }
  operations(first: 1, orderBy: [{ field: ELIGIBLE_RUN_COUNT, direction: DESC }]) {
    totalCount
    nodes {
      family { slug }
      fastest { reported { run { implementation { title license { concluded } } } } }
      workloads(first: 2) {
        nodes {
          challenges { reason }
          cohorts {
            protocol { title }
            hardware { product }
            record { run { labels { name } object { publication { at } } } }
            ranking(first: 1) { nodes { rank } }
            headroom { floorNs }
            history(first: 1) { nodes { run { digest } } }
          }
        }
      }
      sweeps { series { implementation { title } points { run { digest } } } }
      sources { slug }
    }
  }
}
"""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    document: str
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """What a sound request asks, whatever blanks and comments it is written with."""

    document: str
    """Equal for documents that differ in blanks, commas and comments alone."""
    operation_name: str | None
    """Name of the chosen operation; None where it has none."""
    is_subscription: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """Under which circumstances a request is answered."""

    catalog: Catalog
    now: datetime
    """What "now" means to staleness and citations."""
    base_url: str
    """Where the API is reached, without a slash at the end."""
    request_id: str
    """Stands in the log beside whatever goes wrong."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client gets back."""

    body: dict[str, Any]
    """`data`, `errors` and `extensions`, ready to be written as JSON."""
    is_refused: bool
    """Whether the request was refused before execution; then there is no `data`."""
    has_damage: bool = False
    """Whether something went wrong because the store or its index is damaged."""

    @property
    def has_errors(self) -> bool:
        """Whether anything went wrong."""
        return "errors" in self.body


class Engine:
    """Answers requests against one schema; shared by all of them."""

    def __init__(
        self,
        schema: strawberry.Schema,
        limits: Limits | None = None,
        *,
        projector: bool = True,
    ) -> None:
        """An engine that has seen no document yet.

        Args:
            projector: Whether plain selections are projected; answers are the same either way.
        """
        self.limits = limits or Limits()
        self._schema = schema
        self._core = core_of(schema)
        self._projections = ProjectionMemory(StrawberryShapes()) if projector else None
        self._costs = CostModel(self._core)
        # By document, operation name and variables: what was asked before is not checked again.
        self._ready: LRUCache[tuple[str, str | None, bytes], _Ready] = LRUCache(
            _MAX_READY_BYTES, getsizeof=_weigh_ready
        )
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="kgraph-ask")
        # One: documents made to keep it busy then wait for each other, and not the database.
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="kgraph-read")
        self.documents = DocumentCache(self._core, self.limits)

    def close(self) -> None:
        """Let the threads go once their questions are answered."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._reader.shutdown(wait=False, cancel_futures=True)

    def warm_up(self, catalog: Catalog) -> None:
        """Answer one request of every common kind, so that no client waits for what is lazy.

        Blocks; for a thread of its own. What is loaded: the facts of a catalogue that fits in
        memory, the list of licences, the database's own view of its tables, what graphql-core
        derives from the schema.
        """
        catalog.preload()
        head = catalog.head
        now = datetime.now(UTC) if head is None else head.published_at
        moment = Moment(catalog, now, base_url="", request_id="warm-up")
        asyncio.run(self.answer(Request(_WARM_UP), moment))

    async def read(self, request: Request) -> None:
        """Look at a long document that is new in a thread, so that others are answered meanwhile.

        What is found is at hand afterwards, a refusal too; whoever asks next meets it.
        """
        text = request.document
        if len(text) <= _LONG_DOCUMENT or self.documents.is_known(text):
            return
        prepare = partial(contextvars.copy_context().run, self.documents.prepare, text)
        with contextlib.suppress(RequestError, LimitError):
            await asyncio.get_running_loop().run_in_executor(self._reader, prepare)

    def identify(self, request: Request) -> Identity | None:
        """What the request asks; None where its document is refused, as `answer` will say."""
        try:
            prepared = self.documents.prepare(request.document)
            operation = prepared.choose(request.operation_name)
        except (RequestError, LimitError):
            return None
        return Identity(
            prepared.name,
            operation.name.value if operation.name else None,
            operation.operation is OperationType.SUBSCRIPTION,
        )

    async def answer(self, request: Request, moment: Moment) -> Answer:
        """The answer to one request; never raises for what a client may have sent."""
        extensions: dict[str, Any] = {"snapshot": moment.catalog.snapshot}
        await self.read(request)
        try:
            ready = self._prepare(request)
            if ready.operation.operation is OperationType.SUBSCRIPTION:
                raise RequestError(OPERATION_FAILED, [GraphQLError(_NO_STREAM, ready.operation)])
        except (RequestError, KgraphError) as error:
            return refuse_request(error, moment.request_id, extensions)
        extensions["cost"] = {"requested": ready.cost, "limit": self.limits.cost}
        worker = Worker(moment.catalog, self._executor)
        try:
            async with asyncio.timeout(self.limits.seconds):
                with span("graphql.execute", {"graphql.cost": ready.cost}):
                    result = await self._execute(ready, request, moment, worker)
        except TimeoutError:
            worker.stop()
            late = TimeBudgetError(self.limits.seconds)
            shown = [{"message": str(late), "extensions": describe_error(late)}]
            return Answer(
                {"errors": shown, "data": None, "extensions": extensions}, is_refused=False
            )
        except asyncio.CancelledError:
            # Nobody waits for the answer any more, so the database need not go on.
            worker.stop()
            raise
        body: dict[str, Any] = {}
        if result.errors:
            body["errors"] = [format_error(error, moment.request_id) for error in result.errors]
        has_damage = any(
            isinstance(error.original_error, DamageError) for error in result.errors or ()
        )
        return Answer(
            body | {"data": result.data, "extensions": extensions},
            is_refused=False,
            has_damage=has_damage,
        )

    async def stream(
        self, request: Request, moment: Moment, live: Position
    ) -> AsyncGenerator[Answer, None]:
        """The answers to a subscription, one a message, or the only answer to anything else.

        Ends where the request is refused or the stream fails, which the last answer says.

        Args:
            moment: When it starts; each message is of the snapshot that it comes from.
        """
        extensions: dict[str, Any] = {"snapshot": moment.catalog.snapshot}
        await self.read(request)
        try:
            ready = self._prepare(request)
        except (RequestError, KgraphError) as error:
            yield refuse_request(error, moment.request_id, extensions)
            return
        if ready.operation.operation is not OperationType.SUBSCRIPTION:
            yield await self.answer(request, moment)
            return
        cost = {"requested": ready.cost, "limit": self.limits.cost}

        def make_context(catalog: Catalog) -> Context:
            now = live.clock(catalog)
            at = Moment(catalog, now, moment.base_url, moment.request_id)
            return self._make_context(ready, at, Worker(catalog, self._executor), live)

        results = stream_results(
            self._core,
            ready.prepared.document,
            request.variables,
            request.operation_name,
            executor_class=self._schema.execution_context_class,
            first=self._make_context(ready, moment, Worker(moment.catalog, self._executor), live),
            make_context=make_context,
            seconds=self.limits.seconds,
        )
        async with contextlib.aclosing(results):
            async for result in results:
                body: dict[str, Any] = {}
                if result.errors:
                    body["errors"] = [
                        format_error(each, moment.request_id) for each in result.errors
                    ]
                told: dict[str, Any] = {"snapshot": moment.catalog.snapshot, "cost": cost}
                if live.step is not None:
                    told["snapshot"] = live.step.after.snapshot
                    told["resumeFrom"] = live.resume_from
                if not result.is_event:
                    yield Answer(body | {"extensions": told}, is_refused=True)
                    return
                yield Answer(body | {"data": result.data, "extensions": told}, is_refused=False)

    def weigh(self, request: Request) -> int:
        """Objects that the answer may hold.

        Raises:
            RequestError, KgraphError: the request is refused, as `answer` will say.
        """
        return self._prepare(request).cost

    def plan_sheet(self, request: Request, path: str | None) -> SheetPlan:
        """How one connection of the request is read; its cost is that of the plan's own document.

        Raises:
            RequestError, KgraphError: the request is refused, or has no such connection.
        """
        given = len(orjson.dumps(request.variables)) if request.variables else 0
        prepared, operation, variables = self._choose(request, given)
        return plan_sheet(
            self._core,
            prepared.document,
            operation,
            variables,
            given=request.variables,
            path=path,
        )

    def _prepare(self, request: Request) -> _Ready:
        """What the request amounts to; all is checked that needs no catalogue."""
        given = orjson.dumps(request.variables) if request.variables else b""
        key = (request.document, request.operation_name, given)
        with self._lock:
            known = self._ready.get(key)
        if known is None:
            known = self._check(request, len(given))
            # One that is too large for the memory is checked each time.
            with self._lock, contextlib.suppress(ValueError):
                self._ready[key] = known
        return known

    def _check(self, request: Request, variables_bytes: int) -> _Ready:
        prepared, operation, variables = self._choose(request, variables_bytes)
        cost = self._costs.measure(prepared.document, operation, variables)
        if cost > self.limits.cost:
            raise LimitError(
                "COST", self.limits.cost, cost, "ask for shorter pages or fewer nested lists"
            )
        return _Ready(prepared, operation, variables, variables_bytes, cost)

    def _choose(
        self, request: Request, size: int
    ) -> tuple[Prepared, OperationDefinitionNode, dict[str, Any]]:
        """The document, the operation and its coerced variables, all within the limits.

        Args:
            size: Bytes of the variables as JSON.
        """
        if size > self.limits.variables_bytes:
            raise LimitError(
                "VARIABLES_BYTES",
                self.limits.variables_bytes,
                size,
                "send several smaller requests",
            )
        prepared = self.documents.prepare(request.document)
        operation = prepared.choose(request.operation_name)
        coerced = get_variable_values(
            self._core,
            operation.variable_definitions or (),
            dict(request.variables),
            max_errors=_MAX_COERCION_ERRORS,
        )
        if isinstance(coerced, list):
            raise RequestError(BAD_INPUT, [_name_variable(error) for error in coerced])
        return prepared, operation, coerced.coerced

    async def _execute(
        self, ready: _Ready, request: Request, moment: Moment, worker: Worker
    ) -> ExecutionResult:
        if self._projections is not None:
            document = ready.prepared.document
            found = self._projections.find(document, ready.operation, ready.variables)
            result = await self._run(ready, request, moment, worker, found)
            if not result.errors:
                return result
            # What is wrong, and where, is for stock execution to say.
        return await self._run(ready, request, moment, worker, None)

    async def _run(
        self,
        ready: _Ready,
        request: Request,
        moment: Moment,
        worker: Worker,
        projections: Projections | None,
    ) -> ExecutionResult:
        context = self._make_context(ready, moment, worker)
        stock = self._schema.execution_context_class
        extra: dict[str, Any] = {} if projections is None else {"projections": projections}
        unstarted = Unstarted()
        try:
            result = execute(
                self._core,
                ready.prepared.document,
                context_value=context,
                variable_values=dict(request.variables),
                operation_name=request.operation_name,
                executor_class=stock if projections is None else StrawberryProjectingExecutor,
                is_awaitable=cast("Any", unstarted.is_awaitable),
                **extra,
            )
            return await result if inspect.isawaitable(result) else result
        finally:
            unstarted.close()

    def _make_context(
        self, ready: _Ready, moment: Moment, worker: Worker, live: Position | None = None
    ) -> Context:
        return Context(
            catalog=moment.catalog,
            loaders=Loaders(moment.catalog, worker, moment.now),
            worker=worker,
            now=moment.now,
            base_url=moment.base_url,
            limits=self.limits,
            cost=ready.cost,
            live=live,
        )


@dataclass(frozen=True, slots=True)
class _Ready:
    """A request that may be executed."""

    prepared: Prepared
    operation: OperationDefinitionNode
    variables: dict[str, Any]
    """Coerced."""
    variables_bytes: int
    """Length of the variables as JSON."""
    cost: int


def _weigh_ready(ready: _Ready) -> int:
    """About how much memory it takes, with its key."""
    place = ready.prepared.document.loc
    length = 0 if place is None else place.end - place.start
    return (length + ready.variables_bytes) * _BYTES_A_CHARACTER + 1_000


def refuse_request(
    error: RequestError | KgraphError, request_id: str, extensions: dict[str, Any]
) -> Answer:
    """What is answered to a request that is not executed."""
    shown = (
        [format_error(each, request_id, code=error.code) for each in error.errors]
        if isinstance(error, RequestError)
        else [{"message": str(error), "extensions": describe_error(error)}]
    )
    return Answer({"errors": shown, "extensions": extensions}, is_refused=True)


def _name_variable(error: GraphQLError) -> GraphQLError:
    """The error with the variable at fault named as its argument."""
    nodes = error.nodes or ()
    variable = getattr(nodes[0], "variable", None) if nodes else None
    name = None if variable is None else variable.name.value
    extensions = {**(error.extensions or {}), "code": BAD_INPUT}
    if name is not None:
        extensions["argument"] = name
    error.extensions = extensions
    return error
