"""What the server counts, as Prometheus reads it.

The library is loaded when something is first counted or read, off the path of starting. Where
several processes serve one port, each writes its numbers into a shared folder and whoever is asked
adds them up (the library's multiprocess mode).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from kgraph import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

    from kgraph.catalog import CatalogSource

# Names come from clients: the first of them have series of their own, the rest share one.
MAX_OPERATIONS = 64
"""Operation names that are told apart, those of trusted documents not counted."""

_OTHER = "other"
_ANONYMOUS = "anonymous"

# From a cached answer to the time budget.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# How long counts of repeated answers wait to be added up.
_SECONDS_UNCOUNTED = 1.0

_ROUTES = frozenset(
    {
        "graphql",
        "export",
        "objects",
        "schema.graphql",
        "healthz",
        "readyz",
        "metrics",
        "playground",
        "",
    }
)
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Metrics:
    """Counts of one server process."""

    def __init__(
        self,
        source: CatalogSource,
        *,
        clock: Callable[[], datetime],
        known_operations: Iterable[str] = (),
        folder: Path | None = None,
    ) -> None:
        """Counts that start at nothing.

        Args:
            known_operations: Names that have series of their own whatever clients send.
            folder: What the processes of one server share; None for a server of one.
        """
        self._source, self._clock, self._folder = source, clock, folder
        self._known = frozenset(known_operations)
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        self._made: _Instruments | None = None
        self._children: dict[tuple[str, ...], Any] = {}
        # What adds up counts that wait.
        self._waiting: set[Callable[[], None]] = set()

    @property
    def _instruments(self) -> _Instruments:
        return self._made or self.load()

    def load(self) -> _Instruments:
        """Make ready to count; else the first count does."""
        with self._lock:
            self._made = self._made or _Instruments()
            return self._made

    def close(self) -> None:
        """Add up what waits, and take this process out of the sums over all that are alive."""
        for add_up in tuple(self._waiting):
            add_up()
        if self._folder is not None:
            from prometheus_client import multiprocess  # noqa: PLC0415

            multiprocess.mark_process_dead(  # type: ignore[no-untyped-call] # ships no types
                os.getpid(), str(self._folder)
            )

    def count_request(self, path: str, method: str, status: int) -> None:
        """Count an HTTP request that was answered."""
        self._requests(path, method, status).inc()

    def _requests(self, path: str, method: str, status: int) -> Any:  # noqa: ANN401 - a counter
        first = path.split("/", 2)[1] if "/" in path else ""
        route = f"/{first}" if first in _ROUTES else _OTHER
        shown = method if method in _METHODS else _OTHER
        return self._child("requests", route, shown, str(status))

    def count_operation(self, name: str | None, outcome: str, seconds: float) -> None:
        """Count a GraphQL request.

        Args:
            outcome: `hit`, `miss`, `not_modified`, `failed`, `refused` or `stream`.
        """
        label = self._label(name) if outcome != "refused" else _OTHER
        self._child("operations", label, outcome).inc()
        if outcome != "stream":
            self._child("seconds", label).observe(seconds)

    def make_hit_counter(
        self, path: str, method: str, status: int, *, operation: str | None, outcome: str | None
    ) -> Callable[[], None]:
        """A function that counts one more request that is answered as one like it was before.

        For the event loop. What it counts is added up a second later, or when counts are asked
        for: most of what a repeated answer costs would else be its counts. It is not timed.

        Args:
            outcome: As of `count_operation`; a `hit` counts as a look into the memory of answers.
                None where it is no GraphQL request.
        """
        series = [self._requests(path, method, status)]
        if outcome is not None:
            series.append(self._child("operations", self._label(operation), outcome))
        if outcome == "hit":
            series.append(self._child("answers", "hit"))
        waiting: deque[None] = deque()

        def add_up() -> None:
            self._waiting.discard(add_up)
            # Whoever asks for counts may do so in another thread, while more come in.
            count = 0
            with contextlib.suppress(IndexError):
                while True:
                    waiting.popleft()
                    count += 1
            for each in series:
                each.inc(count)

        def note() -> None:
            # In this order: what comes while counts are added up is either among them or waits.
            waiting.append(None)
            if add_up not in self._waiting:
                self._waiting.add(add_up)
                asyncio.get_running_loop().call_later(_SECONDS_UNCOUNTED, add_up)

        return note

    def count_answer(self, *, is_hit: bool) -> None:
        """Count a look into the memory of whole answers."""
        self._child("answers", "hit" if is_hit else "miss").inc()

    def count_errors(self, codes: Iterable[str]) -> None:
        """Count errors that clients were told."""
        for code in codes:
            self._child("errors", code).inc()

    def count_connection(self, transport: str, change: int) -> None:
        """Count a live connection that came or went."""
        self._instruments.connections.labels(transport).inc(change)

    def count_subscription(self, change: int) -> None:
        """Count a subscription that came or went."""
        self._instruments.subscriptions.inc(change)

    def count_message(self) -> None:
        """Count a message of a subscription."""
        self._instruments.messages.inc()

    def count_dropped(self, reason: str) -> None:
        """Count a live connection that was refused or cut: `full`, `slow` or `origin`."""
        self._instruments.dropped.labels(reason).inc()

    def render(self, accept: str) -> tuple[bytes, str]:
        """Everything that was counted, and the media type of the text; blocks."""
        from prometheus_client.exposition import choose_encoder  # noqa: PLC0415

        encode, content_type = choose_encoder(accept)
        return encode(self._collect()), content_type

    def _collect(self) -> CollectorRegistry:
        from prometheus_client import CollectorRegistry, ProcessCollector  # noqa: PLC0415
        from prometheus_client.multiprocess import MultiProcessCollector  # noqa: PLC0415

        for add_up in tuple(self._waiting):
            add_up()
        if self._folder is None:
            registry = self._instruments.registry
            if not self._instruments.has_state:
                self._instruments.has_state = True
                registry.register(_State(self._source, self._clock))
                ProcessCollector(registry=registry)
            return registry
        self.load()
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(self._folder))  # type: ignore[no-untyped-call] # ships no types
        registry.register(_State(self._source, self._clock))
        return registry

    def _child(self, name: str, *labels: str) -> Any:  # noqa: ANN401 - a counter or a histogram
        """A series of its own; the library looks it up at several times the price."""
        key = (name, *labels)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = getattr(self._instruments, name).labels(*labels)
        return child

    def _label(self, name: str | None) -> str:
        if name is None:
            return _ANONYMOUS
        if name in self._known or name in self._seen:
            return name
        with self._lock:
            if len(self._seen) >= MAX_OPERATIONS:
                return _OTHER
            self._seen.add(name)
        return name


class _Instruments:
    """The counters themselves, in a registry of their own: a process may hold several servers."""

    def __init__(self) -> None:
        from prometheus_client import (  # noqa: PLC0415
            CollectorRegistry,
            Counter,
            Gauge,
            Histogram,
        )

        self.has_state = False
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "kgraph_http_requests",
            "HTTP requests that were answered.",
            ("route", "method", "status"),
            registry=registry,
        )
        self.operations = Counter(
            "kgraph_graphql_requests",
            "GraphQL requests by operation and outcome.",
            ("operation", "outcome"),
            registry=registry,
        )
        self.seconds = Histogram(
            "kgraph_graphql_request_seconds",
            "Time to answer a GraphQL request, from its first byte to its answer; those repeated "
            "byte for byte take microseconds and are not timed.",
            ("operation",),
            buckets=_SECONDS,
            registry=registry,
        )
        self.answers = Counter(
            "kgraph_answer_cache_lookups",
            "Looks into the memory of whole answers; the hit rate is that of result=hit.",
            ("result",),
            registry=registry,
        )
        self.errors = Counter(
            "kgraph_graphql_errors", "Errors told to clients.", ("code",), registry=registry
        )
        self.connections = Gauge(
            "kgraph_live_connections",
            "Open connections that subscriptions come over.",
            ("transport",),
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.subscriptions = Gauge(
            "kgraph_live_subscriptions",
            "Subscriptions at work.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.messages = Counter(
            "kgraph_live_messages", "Messages that subscriptions sent.", registry=registry
        )
        self.dropped = Counter(
            "kgraph_live_dropped",
            "Live connections that were refused or cut.",
            ("reason",),
            registry=registry,
        )
        for result in ("hit", "miss"):
            self.answers.labels(result)
        for transport in ("websocket", "sse"):
            self.connections.labels(transport)


class _State:
    """What is read rather than counted: the snapshot that is answered from, and its age."""

    def __init__(self, source: CatalogSource, clock: Callable[[], datetime]) -> None:
        self._source, self._clock = source, clock

    def describe(self) -> list[Metric]:
        """Nothing: a registry then does not ask for the state when this is added to it."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The state as of now."""
        from prometheus_client.metrics_core import GaugeMetricFamily  # noqa: PLC0415

        def tell(name: str, text: str, value: float, **labels: Any) -> Metric:  # noqa: ANN401 - text
            family = GaugeMetricFamily(name, text, labels=tuple(labels))
            family.add_metric(tuple(labels.values()), value)
            return family

        catalog = self._source.current()
        head, counts = catalog.head, catalog.counts()
        yield tell("kgraph_build_info", "The program.", 1, version=__version__)
        yield tell(
            "kgraph_snapshot_info",
            "The snapshot that unpinned requests are answered from.",
            1,
            snapshot=catalog.snapshot,
        )
        yield tell("kgraph_catalog_runs", "Kernel runs in the snapshot.", counts.runs)
        if head is None:
            return
        published = head.published_at.timestamp()
        yield tell("kgraph_snapshot_sequence", "Publications up to the snapshot.", head.sequence)
        yield tell(
            "kgraph_snapshot_published_timestamp_seconds",
            "When the snapshot was published.",
            published,
        )
        yield tell(
            "kgraph_index_age_seconds",
            "Time since the snapshot of the index was published.",
            self._clock().timestamp() - published,
        )
