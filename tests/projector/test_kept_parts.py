"""What an object that is kept was made into is kept with it, and nothing else is."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest
import strawberry
from graphql import execute, parse, validate

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.resolvers.link import answered_by
from kgraph.api.schema import core_of
from kgraph.api.shapes import StrawberryProjectingExecutor, StrawberryShapes
from kgraph.projector import ProjectionMemory
from kgraph.projector.plan import MAX_PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class NextNode:
    """A link to what a test wants."""

    wanted: Node | None = None

    def load(
        self, _context: object, sources: Sequence[Any], _arguments: Mapping[str, Any]
    ) -> list[Node | None]:
        """The same for all sources."""
        return [self.wanted] * len(sources)


NEXT = NextNode()


@answered_by(NEXT)  # type: ignore[arg-type] # stands in for a link
def resolve_next(root: strawberry.Parent[Any]) -> Any:  # noqa: ANN401 - the field says
    return NEXT.load("context", [root], {})[0]


@object_type
class Node:
    """An object."""

    text: str = plain("Text.")
    inner: Node | None = plain("Another.", size=1)
    next: Node | None = linked(resolve_next, "Another, by link.")


class Listed:
    """What the root field gives in the test that runs."""

    nodes: tuple[Node, ...] = ()


@object_type
class Query:
    """The root."""

    @strawberry.field
    def nodes(self) -> list[Node]:
        """What the test wants."""
        return list(Listed.nodes)


SCHEMA = core_of(strawberry.Schema(Query))


class Asker:
    """Asks one document again and again."""

    def __init__(self, text: str, kept: frozenset[type]) -> None:
        self._document: Any = parse(text)
        assert not validate(SCHEMA, self._document)
        self._memory = ProjectionMemory(StrawberryShapes(kept))

    def ask(self) -> list[dict[str, Any]]:
        """The nodes of the answer, which is a projection's."""
        made: list[Any] = []

        class Noted(StrawberryProjectingExecutor):
            def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - those of the base
                super().__init__(*args, **kwargs)
                made.append(self)

        projections: Any = self._memory.find(self._document, self._document.definitions[0], {})

        async def once() -> Any:  # noqa: ANN401 - a result
            extra: dict[str, Any] = {"projections": projections}
            found = execute(SCHEMA, self._document, executor_class=Noted, **extra)
            return await found if inspect.isawaitable(found) else found

        result = asyncio.run(once())
        assert not result.errors
        assert any(executor.has_projected for executor in made)
        nodes: list[dict[str, Any]] = result.data["nodes"]
        return nodes


@pytest.mark.parametrize(("kept", "second"), [(True, "first"), (False, "second")], ids=str)
def test_an_object_is_read_once_where_it_is_kept(kept: bool, second: str) -> None:
    node = Node(text="first", inner=None)
    Listed.nodes = (node,)
    asker = Asker("{ nodes { text inner { text } } }", frozenset({Node} if kept else ()))

    assert asker.ask() == [{"text": "first", "inner": None}]
    node.text = "second"
    assert asker.ask() == [{"text": second, "inner": None}]


def test_another_object_is_another_part() -> None:
    asker = Asker("{ nodes { text } }", frozenset({Node}))

    for round_ in range(50):
        # Each takes the place of the last, were that not kept.
        Listed.nodes = (Node(text=f"{round_}", inner=None),)
        assert asker.ask() == [{"text": f"{round_}"}]


def test_what_a_link_leads_to_is_found_anew_each_time() -> None:
    Listed.nodes = (Node(text="a", inner=None), Node(text="b", inner=None))
    asker = Asker("{ nodes { text next { text } } }", frozenset({Node}))

    for wanted in ("one", None, "two"):
        NEXT.wanted = None if wanted is None else Node(text=wanted, inner=None)
        found = None if wanted is None else {"text": wanted}
        assert asker.ask() == [{"text": "a", "next": found}, {"text": "b", "next": found}]


def test_an_answer_does_not_change_with_later_ones() -> None:
    Listed.nodes = (Node(text="a", inner=None),)
    asker = Asker("{ nodes { text next { text } } }", frozenset({Node}))
    NEXT.wanted = Node(text="one", inner=None)
    first = asker.ask()

    NEXT.wanted = Node(text="two", inner=None)
    asker.ask()

    assert first == [{"text": "a", "next": {"text": "one"}}]


def test_nothing_is_kept_around_a_link_of_an_inner_object() -> None:
    inner = Node(text="inner", inner=None)
    Listed.nodes = (Node(text="a", inner=inner),)
    asker = Asker("{ nodes { text inner { text next { text } } } }", frozenset({Node}))

    for wanted in ("one", "two"):
        NEXT.wanted = Node(text=wanted, inner=None)
        assert asker.ask() == [{"text": "a", "inner": {"text": "inner", "next": {"text": wanted}}}]


def test_so_many_parts_are_kept_and_no_more() -> None:
    first = Node(text="first", inner=None)
    asker = Asker("{ nodes { text } }", frozenset({Node}))
    Listed.nodes = (first, *(Node(text="other", inner=None) for _ in range(MAX_PARTS)))
    assert len(asker.ask()) == MAX_PARTS + 1

    first.text = "changed"
    Listed.nodes = (first,)

    assert asker.ask() == [{"text": "changed"}]
