"""Documents of the public API, asked of a running server or of the store at hand."""

from __future__ import annotations

import asyncio
import functools
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from kgraph.cli.opening import open_catalog
from kgraph.cli.options import json_option, settings_for, store_option
from kgraph.errors import KgraphError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kgraph.api import Engine, Moment
    from kgraph.catalog import Catalog
    from kgraph.client import Client

Data = dict[str, Any]
"""An object of an answer, as JSON has it."""

Function = TypeVar("Function", bound="Callable[..., int]")

_QUERIES = Path(__file__).parent / "queries"
_DAY = len("2026-01-02")


class BadInstantError(UsageError):
    """`--as-of` holds no day and no instant."""

    code = "BAD_INSTANT"

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(
            f"--as-of: found {found[:40]!r}, expected 2026-01-02 or 2026-01-02T03:04:05Z"
        )


class ClashingOptionsError(UsageError):
    """Two options that say different things of one."""

    code = "CLASHING_OPTIONS"

    def __init__(self, one: str, other: str) -> None:
        self.one, self.other = one, other
        super().__init__(f"{other}: found beside {one}, expected one of the two")


class ClientMissingError(UsageError):
    """A server cannot be asked, since the library that sends is not installed."""

    code = "CLIENT_MISSING"

    def __init__(self) -> None:
        super().__init__("--server: needs httpx; pip install 'kgraph[client]'")


class AnswerRefusedError(KgraphError):
    """A question that was not answered."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """Who is asked, and for which state of the catalogue."""

    server: str | None
    """Address of a server; the store at hand where None."""
    store: str | None
    snapshot: str | None
    as_of: date | None
    as_json: bool


def asking_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of a command that asks the API, handed to it as one `options`."""

    @click.option("--server", metavar="URL", help="Ask a running server, in place of a store.")
    @store_option
    @click.option("--snapshot", metavar="ID", help="An earlier snapshot, by its id or a prefix.")
    @click.option(
        "--as-of", metavar="TIME", help="What stood at the end of a day, or at an instant."
    )
    @json_option
    @functools.wraps(function)
    def with_options(
        *arguments: Any,  # noqa: ANN401 - whatever the command itself takes
        server: str | None,
        store: str | None,
        snapshot: str | None,
        as_of: str | None,
        as_json: bool,
        **named: Any,  # noqa: ANN401 - likewise
    ) -> int:
        if server is not None and store is not None:
            raise ClashingOptionsError("--server", "--store")
        if snapshot is not None and as_of is not None:
            raise ClashingOptionsError("--snapshot", "--as-of")
        instant = None if as_of is None else _parse_instant(as_of)
        options = AskingOptions(server, store, snapshot, instant, as_json)
        return function(*arguments, options=options, **named)

    return with_options


def load_query(name: str) -> str:
    """The text of one of the documents that commands ask."""
    return (_QUERIES / f"{name}.graphql").read_text(encoding="utf-8")


class Asker(Protocol):
    """Answers documents, all of one snapshot."""

    def ask(self, query: str, /, **variables: object) -> Data:
        """The data of the answer to one of our documents.

        Raises:
            KgraphError: it was not answered, or the answer holds errors.
        """


@contextmanager
def open_asker(options: AskingOptions) -> Iterator[Asker]:
    """Whoever answers, as the options say.

    Raises:
        KgraphError: there is no store, no server or no such snapshot.
    """
    if options.server is not None:
        with _open_client(options) as client:
            yield _ServerAsker(client)
        return
    # It brings the schema along, which a client of a server does without.
    from kgraph.api import Engine, Limits, build_schema  # noqa: PLC0415

    settings = settings_for(options.store)
    source = open_catalog(settings)
    is_pinned = True
    if options.snapshot is not None:
        catalog = source.at(options.snapshot)
    elif options.as_of is not None:
        catalog = source.as_of(_end_of(options.as_of))
    else:
        catalog, is_pinned = source.current(), False
    # A person at their own machine is held only to the time they are ready to wait.
    engine = Engine(build_schema(), Limits(seconds=settings.limits.request_seconds * 10))
    try:
        yield _StoreAsker(engine, _moment_of(catalog, options.as_of, is_pinned=is_pinned))
    finally:
        engine.close()


class _StoreAsker:
    def __init__(self, engine: Engine, moment: Moment) -> None:
        self._engine, self._moment = engine, moment

    def ask(self, query: str, /, **variables: object) -> Data:
        from kgraph.api import Request  # noqa: PLC0415 - see open_asker

        request = Request(load_query(query), variables)
        answer = asyncio.run(self._engine.answer(request, self._moment))
        for error in answer.body.get("errors", ()):
            raise AnswerRefusedError(error["extensions"]["code"], error["message"])
        data: Data = answer.body["data"]
        return data


class _ServerAsker:
    def __init__(self, client: Client) -> None:
        self._client = client

    def ask(self, query: str, /, **variables: object) -> Data:
        return self._client.execute(load_query(query), variables)


@contextmanager
def _open_client(options: AskingOptions) -> Iterator[Client]:
    try:
        from kgraph.client import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ClientMissingError from error
    assert options.server is not None  # noqa: S101 - see open_asker
    client = Client(options.server, snapshot=options.snapshot, as_of=options.as_of)
    with client:
        is_pinned = options.snapshot is not None or options.as_of is not None
        # Answers to one command must agree, whatever is published between them.
        yield client if is_pinned else client.pinned()


def _moment_of(catalog: Catalog, as_of: date | None, *, is_pinned: bool) -> Moment:
    """What "now" is to the store's answers: as a server has it, without the hour's rounding."""
    from kgraph.api import Moment  # noqa: PLC0415 - see open_asker

    now = datetime.now(UTC)
    if as_of is not None:
        now = min(now, _end_of(as_of))
    elif is_pinned and catalog.head is not None:
        now = catalog.head.published_at
    return Moment(catalog, now, base_url="", request_id="ask")


def _end_of(as_of: date) -> datetime:
    if isinstance(as_of, datetime):
        return as_of
    return datetime(as_of.year, as_of.month, as_of.day, 23, 59, 59, 999_999, tzinfo=UTC)


def _parse_instant(text: str) -> date:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInstantError(text) from error
    if len(text) == _DAY:
        return instant.date()
    if instant.tzinfo is None:
        raise BadInstantError(text)
    return instant.astimezone(UTC)
