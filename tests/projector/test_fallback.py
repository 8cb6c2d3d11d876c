"""Whatever is unusual is left to stock execution, and never answered by a projection."""

from __future__ import annotations

import asyncio
import inspect
from enum import Enum, StrEnum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import strawberry
from graphql import ExecutionResult, GraphQLSchema, execute, parse, validate
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from kgraph.api.describe import linked, object_type, plain
from kgraph.api.resolvers.link import answered_by
from kgraph.api.schema import core_of
from kgraph.api.shapes import StrawberryProjectingExecutor, StrawberryShapes
from kgraph.projector import ProjectionMemory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@strawberry.enum
class Colour(Enum):
    """A closed set."""

    RED = "red"
    BLUE = "blue"


class Text(StrEnum):
    """A text that is no plain one."""

    WORD = "word"


class Asked:
    """A link that notes what it is asked for; the answer is prepared by each test."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, dict[str, Any]]] = []
        self.answer: Any = None

    def load(self, context: object, sources: Sequence[Any], arguments: Mapping[str, Any]) -> object:
        """What the test prepared, for all sources."""
        assert context == "context"
        self.calls.append((len(sources), dict(arguments)))
        found = self.answer(sources) if callable(self.answer) else self.answer
        if isinstance(found, Exception):
            raise found
        return found


NEXT, MANY, LATER = Asked(), Asked(), Asked()


def _one_of(link: Asked, root: object, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - any field
    found: Any = link.load("context", [root], arguments)
    return found[0]


@answered_by(NEXT)  # type: ignore[arg-type] # stands in for a link
def resolve_next(root: strawberry.Parent[Any]) -> Any:  # noqa: ANN401 - the field says
    return _one_of(NEXT, root, {})


@answered_by(MANY)  # type: ignore[arg-type] # stands in for a link
def resolve_many(root: strawberry.Parent[Any], size: int = 2) -> Any:  # noqa: ANN401 - the field says
    return _one_of(MANY, root, {"size": size})


@answered_by(LATER)  # type: ignore[arg-type] # stands in for a link
async def resolve_later(root: strawberry.Parent[Any]) -> Any:  # noqa: ANN401 - the field says
    return (await LATER.load("context", [root], {}))[0]  # type: ignore[misc] # prepared so


def resolve_slowly(root: strawberry.Parent[Any]) -> str:
    return f"slow {root.text}"


@object_type
class Leaf:
    """An object."""

    text: str = plain("Text.")
    number: int = plain("A number.")
    share: float = plain("A number.")
    maybe: int | None = plain("A number, or none.")
    flag: bool = plain("A truth value.")
    colour: Colour = plain("A colour.")
    numbers: list[int] = plain("Numbers.")
    inner: Leaf | None = plain("Another.")
    leaves: list[Leaf | None] = plain("Others.")
    slow: str = linked(resolve_slowly, "A field that only its resolver answers.")
    next: Leaf = linked(resolve_next, "Another, by link.")
    many: list[Leaf] = linked(resolve_many, "Others, by link.")
    later: Leaf | None = linked(resolve_later, "Another, not at hand.")


def make(**changes: object) -> Leaf:
    """A usual object with unusual parts."""
    usual = {
        "text": "t",
        "number": 1,
        "share": 0.5,
        "maybe": None,
        "flag": True,
        "colour": Colour.RED,
        "numbers": [1, 2],
        "inner": None,
        "leaves": [],
    }
    return Leaf(**{**usual, **changes})  # type: ignore[arg-type] # unusual on purpose


class Roots:
    """What the root field gives in the test that runs."""

    value: Any = None


@object_type
class Query:
    """The root."""

    @strawberry.field
    def leaf(self) -> Leaf | None:
        """What the test wants."""
        found: Leaf | None = Roots.value
        return found

    @strawberry.field
    def leaves(self) -> list[Leaf]:
        """Two of it."""
        return [Roots.value, Roots.value]


SCHEMA = core_of(strawberry.Schema(Query))
ALL = "text number share maybe flag colour numbers inner { text } leaves { text number }"


def run(
    schema: GraphQLSchema, text: str, memory: ProjectionMemory | None
) -> tuple[ExecutionResult, bool]:
    """The result, and whether any part of it is a projection's."""
    document = parse(text)
    assert not validate(schema, document)
    made: list[Any] = []

    class Noted(StrawberryProjectingExecutor):
        def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - those of the base
            super().__init__(*args, **kwargs)
            made.append(self)

    async def once() -> ExecutionResult:
        extra: dict[str, Any] = {}
        if memory is not None:
            extra["projections"] = memory.find(document, document.definitions[0], {})  # type: ignore[arg-type] # an operation
        result = execute(
            schema,
            document,
            context_value="context",
            executor_class=StrawberryGraphQLCoreExecutionContext if memory is None else Noted,
            **extra,
        )
        return await result if inspect.isawaitable(result) else result

    return asyncio.run(once()), any(executor.has_projected for executor in made)


def ask(text: str) -> tuple[ExecutionResult, ExecutionResult, bool]:
    """The results of stock execution and of projections, and whether there were any."""
    stock, _ = run(SCHEMA, text, None)
    projected, has_projected = run(SCHEMA, text, ProjectionMemory(StrawberryShapes()))
    return stock, projected, has_projected


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"maybe": 3, "inner": make(text="inner")},
        {"leaves": [make(), None, make(number=2)]},
        {"leaves": (make(),)},
        {"colour": Colour.BLUE},
        {"text": Text.WORD},
        {"number": True},
        {"number": 3.0},
        {"share": 2},
        {"flag": 1},
        {"text": 7},
        {"numbers": [True, 2.0]},
    ],
    ids=str,
)
def test_values_that_stock_execution_serves_are_served_alike(changes: dict[str, Any]) -> None:
    Roots.value = make(**changes)

    stock, projected, has_projected = ask(f"{{ leaf {{ {ALL} }} }}")

    assert not stock.errors
    assert has_projected
    assert repr(projected.data) == repr(stock.data)


@pytest.mark.parametrize(
    "changes",
    [
        {"text": None},
        {"text": ["no text"]},
        {"number": 2**31},
        {"number": "one"},
        {"share": float("inf")},
        {"share": float("nan")},
        {"flag": "yes"},
        {"colour": "green"},
        {"numbers": [1, None]},
        {"numbers": 3},
        {"inner": make(text=None)},
        {"leaves": [make(number=None)]},
        {"text": ValueError("as a value")},
        {"inner": ValueError("as a value")},
    ],
    ids=str,
)
def test_an_unusual_value_is_an_error_of_both(changes: dict[str, Any]) -> None:
    Roots.value = make(**changes)

    stock, projected, _ = ask(f"{{ leaf {{ {ALL} }} }}")

    assert stock.errors
    # What exactly is wrong, stock execution says; that something is must not be overlooked.
    assert projected.errors


@pytest.mark.parametrize("changes", [{"inner": SimpleNamespace(text="t")}, {"numbers": {1, 2}}])
def test_an_object_of_another_class_is_left_to_stock_execution(changes: dict[str, Any]) -> None:
    Roots.value = make(**changes)

    stock, projected, _ = ask("{ leaf { numbers inner { text } } }")

    assert not stock.errors
    assert projected.errors


def test_a_root_of_another_class_is_not_projected() -> None:
    Roots.value = SimpleNamespace(text="t")

    stock, projected, has_projected = ask("{ leaf { text } leaves { text } }")

    assert not has_projected
    assert projected == stock


def test_a_value_that_is_yet_to_come_is_left_to_stock_execution() -> None:
    async def come() -> str:
        return "late"

    found = []
    for memory in (None, ProjectionMemory(StrawberryShapes())):
        coming = come()
        Roots.value = make(text=coming)
        found.append(run(SCHEMA, "{ leaf { text } }", memory)[0])
        coming.close()

    assert found[0].data == {"leaf": {"text": "late"}}
    assert found[1].errors


def test_a_link_is_asked_once_for_all_objects() -> None:
    Roots.value, shared = make(), make(text="shared")
    NEXT.answer = lambda sources: [shared] * len(sources)
    MANY.answer = lambda sources: [[shared, shared]] * len(sources)
    text = "{ leaves { next { text many(size: 3) { text next { number } } } } }"
    stock, _ = run(SCHEMA, text, None)
    NEXT.calls.clear()
    MANY.calls.clear()

    projected, _ = run(SCHEMA, text, ProjectionMemory(StrawberryShapes()))

    assert projected == stock
    assert NEXT.calls == [(2, {}), (1, {})]
    assert MANY.calls == [(1, {"size": 3})]


def test_what_a_link_gives_later_is_waited_for() -> None:
    Roots.value, other = make(), make(text="other")

    async def load(sources: Sequence[Any]) -> list[Leaf | None]:
        await asyncio.sleep(0)
        return [None if source is other else other for source in sources]

    LATER.answer = load
    stock, projected, has_projected = ask(
        "{ leaves { a: later { slow text later { text } } b: later { number } slow } }"
    )

    assert has_projected
    assert not stock.errors
    assert repr(projected.data) == repr(stock.data)


@pytest.mark.parametrize(
    "answer",
    [
        ValueError("no luck"),
        [None, None],
        [make(text=None), make()],
        [SimpleNamespace(text=3), make()],
        [],
        [make()],
    ],
    ids=str,
)
def test_a_link_that_fails_is_an_error(answer: object) -> None:
    Roots.value, NEXT.answer = make(), answer

    projected, _ = run(SCHEMA, "{ leaves { next { text } } }", ProjectionMemory(StrawberryShapes()))

    assert projected.errors


def test_a_list_with_a_gap_is_an_error_where_none_may_be() -> None:
    Roots.value, MANY.answer = make(), [[make(), None]]

    stock, projected, _ = ask("{ leaf { many { text } } }")

    assert stock.errors
    assert projected.errors


def test_a_field_that_fails_leaves_nothing_behind_unawaited() -> None:
    Roots.value = make()

    async def load(_: Sequence[Any]) -> list[Leaf]:
        return [make()]

    LATER.answer, NEXT.answer = load, ValueError("no luck")
    projected, _ = run(
        SCHEMA, "{ leaf { later { text } next { text } } }", ProjectionMemory(StrawberryShapes())
    )

    # A coroutine that nobody awaited would be a warning, and warnings are errors here.
    assert projected.errors


def test_fragments_that_open_to_any_size_are_left_to_stock_execution() -> None:
    Roots.value = make()
    NEXT.answer = lambda sources: [Roots.value] * len(sources)
    levels = 10
    twice = "fragment F{0} on Leaf {{ a: next {{ ...F{1} }} b: next {{ ...F{1} }} }}"
    parts = [twice.format(level, level + 1) for level in range(levels)]
    text = f"{{ leaf {{ ...F0 }} }} {' '.join(parts)} fragment F{levels} on Leaf {{ text }}"

    stock, projected, has_projected = ask(text)

    assert not has_projected
    assert projected == stock


def test_deep_objects_are_projected_piece_by_piece() -> None:
    Roots.value = None
    for level in range(12):
        Roots.value = make(text=str(level), inner=Roots.value)
    text = "text"
    for _ in range(11):
        text = f"text inner {{ {text} }}"

    stock, projected, has_projected = ask(f"{{ leaf {{ {text} }} }}")

    assert has_projected
    assert repr(projected.data) == repr(stock.data)


def test_memory_of_projections_is_bounded() -> None:
    Roots.value = make()
    memory = ProjectionMemory(StrawberryShapes(), max_bytes=20_000)

    for number in range(20):
        name = f"n{number}"
        result, has_projected = run(SCHEMA, f"{{ {name}: leaf {{ text number }} }}", memory)
        assert has_projected
        assert result.data == {name: {"text": "t", "number": 1}}
        assert len(memory) <= 3

    # One that is larger than all the room there is takes it, and is answered all the same.
    text = f"{{ leaf {{ {' '.join(f'n{number}: number' for number in range(500))} }} }}"
    result, has_projected = run(SCHEMA, text, memory)
    assert has_projected
    assert not result.errors
    assert len(memory) == 1


def test_the_same_operation_is_compiled_once() -> None:
    memory = ProjectionMemory(StrawberryShapes())
    document = parse("query ($x: Boolean!, $n: Int) { leaf { text @skip(if: $x) } }")
    operation: Any = document.definitions[0]

    first = memory.find(document, operation, {"x": True, "n": 1})

    assert memory.find(document, operation, {"x": True, "n": 2}) is first
    assert memory.find(document, operation, {"x": False, "n": 1}) is not first
