"""Long documents are looked at in a thread, once, and what is found is met by who asks next."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from asgi import NOW
from graphql import get_introspection_query
from graphql.language import Lexer, Source, TokenKind
from hypothesis import given
from hypothesis import strategies as st

from kgraph.api import Engine, Limits, Moment, Request, build_schema
from kgraph.api.errors import LimitError
from kgraph.api.limits import check_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kgraph.catalog import Catalog

LONG = "{ catalog { snapshot } } #" + "x" * 3_000
REFUSED = "{ " + " ".join(f"x{number}" for number in range(600)) + " }"
SHORT = "{ catalog { snapshot } }"


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine(build_schema())
    yield made
    made.close()


async def count_turns(engine: Engine, document: str) -> int:
    """Turns that the event loop took while a document was looked at."""
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(turn())
    try:
        await engine.read(Request(document))
    finally:
        task.cancel()
    return turns


@pytest.mark.parametrize("document", [LONG, REFUSED], ids=["sound", "refused"])
def test_others_are_served_while_a_long_document_is_looked_at(
    engine: Engine, document: str
) -> None:
    assert asyncio.run(count_turns(engine, document)) > 0
    # It is at hand now: nobody waits for it again.
    assert engine.documents.is_known(document)
    assert asyncio.run(count_turns(engine, document)) == 0


def test_a_short_document_is_looked_at_where_it_is_met(engine: Engine) -> None:
    assert asyncio.run(count_turns(engine, SHORT)) == 0
    assert not engine.documents.is_known(SHORT)


def test_an_answer_is_the_same_however_long_its_document_is(
    engine: Engine, built_catalog: Catalog
) -> None:
    moment = Moment(built_catalog, NOW, "http://kgraph.test", "r-1")

    async def ask(document: str) -> object:
        return (await engine.answer(Request(document), moment)).body

    assert asyncio.run(ask(LONG)) == asyncio.run(ask(SHORT))


PIECES = st.sampled_from(
    [
        "{", "}", "(", ")", "[", "]", ":", "=", "!", "|", "&", "@", "$", "...", "a", "_b1", "query",
        "0", "-12", "3.5", "1e9", '"text"', '"a\\"b"', '""', '"""block"""', '"""a\\"""b " ""c"""',
        "# comment\n", "#\n", " ", ",", "\n", "\ufeff",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=60).map(" ".join))
def test_tokens_are_counted_as_the_parser_counts_them(text: str) -> None:
    lexer, expected = Lexer(Source(text)), text.count("#")
    while lexer.advance().kind is not TokenKind.EOF:
        expected += 1

    check_length(text, Limits(tokens=expected))
    if expected:
        with pytest.raises(LimitError) as caught:
            check_length(text, Limits(tokens=expected - 1))
        assert caught.value.asked == expected


@pytest.mark.parametrize(
    "text",
    ['\\"""\n' * 10_000, '"""' + '\\"""' * 10_000, '"' * 60_000, '"\\' * 30_000, "#" * 60_000],
    ids=["blocks that never end", "one that never ends", "quotes", "escapes", "comment"],
)
def test_text_that_never_ends_is_read_once(text: str) -> None:
    # Read again from each place, it would take minutes.
    check_length(text, Limits(tokens=10**6))


def test_the_introspection_of_tools_stays_within_the_limits() -> None:
    check_length(get_introspection_query(), Limits())
