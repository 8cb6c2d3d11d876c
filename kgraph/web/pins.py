"""Which snapshot a request is answered from, and what "now" means to it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from kgraph.errors import DamageError, KgraphError
from kgraph.web.incoming import BadHttpError
from kgraph.web.observe import exchange_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import HTTPConnection

    from kgraph.catalog import Catalog, CatalogSource

_log = logging.getLogger(__name__)

SNAPSHOT_HEADER = "Kgraph-Snapshot"
"""Says which snapshot an answer is of; in a request, which one it is wanted of."""


_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Pin:
    """What a request is answered from."""

    catalog: Catalog
    now: datetime
    """What "now" means to staleness and citations."""
    is_final: bool
    """Whether the same request is answered from this snapshot for ever."""


class PinRefusedError(BadHttpError):
    """A request pins what is no snapshot of this log, or what cannot be read."""


def is_pinned(http: HTTPConnection) -> bool:
    """Whether a request says which snapshot it is to be answered from."""
    return bool(
        http.query_params.get("snapshot")
        or http.query_params.get("asOf")
        or http.headers.get(SNAPSHOT_HEADER)
    )


class Pinner:
    """Chooses snapshots for requests.

    Now is the hour that has begun, so that answers within it are equal byte for byte, or the
    moment of publication where that is later. Both are known of an earlier snapshot as well, so a
    pinned answer is the one that was given in the hour in which the snapshot was published.
    """

    def __init__(self, source: CatalogSource, clock: Callable[[], datetime]) -> None:
        self._source, self._clock = source, clock
        self._published: tuple[str, datetime | None] | None = None
        self._current: tuple[Pin, datetime] | None = None

    def current(self) -> Pin:
        """The newest snapshot, as of now; the same object while that is the same."""
        catalog, instant = self._source.current(), self._clock()
        known = self._current
        # A clock may be set back.
        if known is None or known[0].catalog is not catalog or not _is_within(instant, known[1]):
            pin = Pin(catalog, _begin_hour(instant, self._find_published(catalog)), is_final=False)
            known = self._current = (pin, _end_hour(instant))
        return known[0]

    def stands(self, pin: Pin) -> bool:
        """Whether a request that was answered from a pin would be answered the same now."""
        if pin.is_final:
            return True
        current = self.current()
        return pin is current or (
            pin.now == current.now and pin.catalog.snapshot == current.catalog.snapshot
        )

    def now_for(self, catalog: Catalog) -> datetime:
        """What "now" means to a request for a snapshot that is the newest at this time."""
        return _begin_hour(self._clock(), self._find_published(catalog))

    async def choose(self, http: HTTPConnection) -> Pin:
        """The snapshot that a request pins, or the newest.

        Raises:
            PinRefusedError: the pin names no snapshot of the log, or that snapshot cannot be read.
        """
        pin = http.query_params.get("snapshot") or http.headers.get(SNAPSHOT_HEADER)
        as_of = http.query_params.get("asOf")
        if pin and as_of:
            raise PinRefusedError(
                400, "BAD_REQUEST", "asOf: found beside snapshot, expected one of them"
            )
        if not pin and not as_of:
            return self.current()
        try:
            if as_of:
                return await asyncio.to_thread(self._choose_as_of, _parse_instant(as_of))
            return await asyncio.to_thread(self._choose_named, pin or "")
        except KgraphError as error:
            is_ours = error.public_message != str(error) or isinstance(error, DamageError)
            if is_ours:
                _log.error("request %s: %s", exchange_of(http.scope).request_id, error)
            raise PinRefusedError(
                500 if is_ours else 400, error.code, error.public_message
            ) from error

    def _choose_named(self, name: str) -> Pin:
        catalog = self._source.at(name)
        published = _published_at(catalog)
        return Pin(catalog, published or self._clock(), is_final=published is not None)

    def _choose_as_of(self, instant: datetime) -> Pin:
        catalog = self._source.as_of(instant)
        # Until something later is published, what comes next may still belong before the instant.
        newest = _published_at(self._source.current())
        is_final = newest is not None and newest > instant
        return Pin(catalog, _begin_hour(instant, _published_at(catalog)), is_final)

    def _find_published(self, catalog: Catalog) -> datetime | None:
        """When the newest snapshot was published; asked of the index once."""
        known = self._published
        if known is None or known[0] != catalog.snapshot:
            known = self._published = (catalog.snapshot, _published_at(catalog))
        return known[1]


def _published_at(catalog: Catalog) -> datetime | None:
    head = catalog.head
    return None if head is None else head.published_at


def _is_within(instant: datetime, end: datetime) -> bool:
    """Whether an instant lies in the hour that ends at `end`."""
    return end - _HOUR <= instant < end


def _end_hour(instant: datetime) -> datetime:
    return instant.replace(minute=0, second=0, microsecond=0) + _HOUR


def _begin_hour(instant: datetime, published: datetime | None) -> datetime:
    hour = instant.replace(minute=0, second=0, microsecond=0)
    return hour if published is None else max(hour, published)


def _parse_instant(text: str) -> datetime:
    """The instant of an `asOf`: RFC 3339 with a zone, or a day, which counts to its end.

    Raises:
        PinRefusedError: it is neither.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise _bad_instant(text) from error
    if len(text) == len("2026-01-02"):
        return instant.replace(hour=23, minute=59, second=59, microsecond=999_999, tzinfo=UTC)
    if instant.tzinfo is None:
        raise _bad_instant(text)
    return instant.astimezone(UTC)


def _bad_instant(text: str) -> PinRefusedError:
    return PinRefusedError(
        400,
        "BAD_REQUEST",
        f"asOf: found {text[:40]!r}, expected 2026-01-02 or 2026-01-02T03:04:05Z",
    )
