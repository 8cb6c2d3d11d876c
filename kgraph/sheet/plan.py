"""From a document to what reads one of its connections, page by page, whatever its own page is.

The document of the pages is the given one, cut down to the connection that is read: the fields that
lead there, the items as they are selected, and where the next page begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import (
    ArgumentNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLList,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    NamedTypeNode,
    NameNode,
    NullValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    get_named_type,
    print_ast,
    strip_ignored_characters,
    visit,
)

from kgraph.errors import UsageError
from kgraph.sheet.column import Column, Columns, is_connection, read_columns
from kgraph.sheet.selection import Composite, Selected, Selector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graphql import DocumentNode, GraphQLSchema, Node

_ITEMS = ("nodes", "edges")
_FORWARD, _BACKWARD = ("first", "after"), ("last", "before")
# Names that an error lists at most.
_MAX_NAMED = 10


class SheetError(UsageError):
    """A document of which no sheet can be made."""

    code = "BAD_USER_INPUT"

    def __init__(self, argument: str, problem: str, candidates: Sequence[str] = ()) -> None:
        self.argument, self.problem = argument, problem
        self.candidates = tuple(candidates)
        """Paths of the connections that could be meant."""
        super().__init__(f"{argument}: {problem}")


@dataclass(frozen=True, slots=True)
class SheetPlan:
    """How one connection is read."""

    path: str
    """Where it is in the answer, as `operation.workloads`."""
    document: str
    """Asks for one page."""
    variables: Mapping[str, Any]
    """What the document needs beside its own two."""
    first_name: str
    """Variable of `document`: how many items the page holds."""
    after_name: str
    """Variable of `document`: the cursor behind which it begins."""
    page_size: int | None
    """What the given document asks for; None where it leaves it open."""
    after: str | None
    """Where the given document begins; None for the start of the list."""
    columns: tuple[Column, ...]
    tree: Columns
    """The same columns, to read items with."""
    keys: tuple[str, ...]
    """The names in `path`."""
    items: str
    """`nodes` or `edges`, which the rows are."""

    def ask(self, first: int, after: str | None) -> dict[str, Any]:
        """The variables of one page."""
        return {**self.variables, self.first_name: first, self.after_name: after}

    def find(self, data: Mapping[str, Any]) -> dict[str, Any] | str:
        """The connection in an answer, or the path of what is null on the way there."""
        found: Any = data
        for place, key in enumerate(self.keys, 1):
            found = found[key]
            if found is None:
                return ".".join(self.keys[:place])
        connection: dict[str, Any] = found
        return connection


def plan_sheet(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Mapping[str, Any],
    *,
    given: Mapping[str, Any],
    path: str | None = None,
) -> SheetPlan:
    """How to read a connection of an operation that was validated.

    Args:
        variables: Coerced.
        given: The same as the client sent them.
        path: Response names that lead to the connection; needed where there are several.

    Raises:
        SheetError: there is no such connection, or several; it is read backwards, or its items are
            not selected.
    """
    if operation.operation is not OperationType.QUERY:
        raise SheetError("query", "found a subscription, expected a query")
    selector = Selector(schema, document, variables)
    chosen = _choose(_find_all(selector, operation), path)
    connection = chosen.steps[-1]
    items = _find_items(selector, chosen)
    kind = get_named_type(items.definition.type)
    assert isinstance(kind, Composite)  # noqa: S101 - what items of a connection are
    columns = read_columns(selector, kind, items.selections)
    if not columns.branches:
        raise SheetError("query", f"{chosen.path}: no field of its items is selected", ())
    page = _read_arguments(selector, connection.selected, chosen.path)
    names = {each.variable.name.value for each in operation.variable_definitions or ()}
    first_name, after_name = _name_free("pageFirst", names), _name_free("pageAfter", names)
    text, used = _write_document(selector, operation, chosen, items, (first_name, after_name))
    return SheetPlan(
        path=chosen.path,
        document=text,
        variables={name: value for name, value in given.items() if name in used},
        first_name=first_name,
        after_name=after_name,
        page_size=page.first,
        after=page.after,
        columns=columns.flatten(),
        tree=columns,
        keys=tuple(step.selected.key for step in chosen.steps),
        items=items.name,
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One field on the way to a connection."""

    selected: Selected
    condition: str | None
    """Type that the field is selected on, where the answer may hold others."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A connection of the document."""

    steps: tuple[_Step, ...]
    is_repeated: bool
    """Whether it lies in a list or page, so that each item has one of its own."""

    @property
    def path(self) -> str:
        return ".".join(step.selected.key for step in self.steps)


def _find_all(selector: Selector, operation: OperationDefinitionNode) -> tuple[_Found, ...]:
    root = selector.schema.get_root_type(operation.operation)
    assert root is not None  # noqa: S101 - validation needs it
    return tuple(_walk(selector, root, (operation.selection_set,), (), is_repeated=False))


def _walk(
    selector: Selector,
    kind: Composite,
    selections: tuple[SelectionSetNode, ...],
    steps: tuple[_Step, ...],
    *,
    is_repeated: bool,
) -> Iterator[_Found]:
    concrete = selector.concrete(kind)
    for each in concrete:
        condition = None if isinstance(kind, GraphQLObjectType) else each.name
        for selected in selector.select(each, selections):
            named = get_named_type(selected.definition.type)
            if not isinstance(named, Composite):
                continue
            here = (*steps, _Step(selected, condition))
            is_list = isinstance(_strip(selected.definition.type), GraphQLList)
            if is_connection(named):
                yield _Found(here, is_repeated)
                is_list = True
            yield from _walk(
                selector, named, selected.selections, here, is_repeated=is_repeated or is_list
            )


def _strip(kind: Any) -> Any:  # noqa: ANN401 - any type of a schema
    return getattr(kind, "of_type", kind) if str(kind).endswith("!") else kind


def _choose(found: tuple[_Found, ...], path: str | None) -> _Found:
    single = [each for each in found if not each.is_repeated]
    paths = sorted({each.path for each in single})
    if path is None:
        if len(single) == 1:
            return single[0]
        if len(paths) > 1:
            raise SheetError(
                "path", f"found several connections, expected one of {_name_some(paths)}", paths
            )
    matching = single if path is None else [each for each in single if each.path == path]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise SheetError(
            "path",
            f"{matching[0].path} stands for connections of several types; give each an alias",
            paths,
        )
    repeated = {each.path for each in found if each.is_repeated}
    if path in repeated or (path is None and repeated):
        shown = path or min(repeated)
        raise SheetError(
            "path",
            f"{shown} lies in a list, so that each of its items has one; "
            "ask for one of them by a field of its own",
            paths,
        )
    if path is None or not paths:
        raise SheetError("query", "found no connection, expected a field with nodes or edges")
    raise SheetError("path", f"found {path[:90]!r}, expected {_name_some(paths)}", paths)


def _name_some(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_MAX_NAMED])
    return shown if len(paths) <= _MAX_NAMED else f"{shown} and {len(paths) - _MAX_NAMED} others"


def _find_items(selector: Selector, chosen: _Found) -> Selected:
    """The field of the connection whose items are the rows."""
    selected = chosen.steps[-1].selected
    kind = get_named_type(selected.definition.type)
    assert isinstance(kind, GraphQLObjectType)  # noqa: S101 - see is_connection
    items = [each for each in selector.select(kind, selected.selections) if each.name in _ITEMS]
    if len(items) != 1:
        found = " and ".join(each.key for each in items) or "neither"
        raise SheetError(
            "query", f"{chosen.path}: found {found}, expected nodes or edges, once, for the rows"
        )
    return items[0]


@dataclass(frozen=True, slots=True)
class _Page:
    first: int | None
    after: str | None


def _read_arguments(selector: Selector, selected: Selected, path: str) -> _Page:
    """Where the connection begins, and how long its pages are."""
    if not set(_FORWARD) <= selected.definition.args.keys():
        raise SheetError("query", f"{path}: takes no first and after, so it has no pages")
    values: dict[str, Any] = {}
    for argument in selected.nodes[0].arguments or ():
        value = selector.value_of(argument.value)
        if isinstance(value, IntValueNode):
            value = int(value.value)
        elif isinstance(value, NullValueNode):
            value = None
        else:
            value = getattr(value, "value", value)
        values[argument.name.value] = value
    for name in _BACKWARD:
        if values.get(name) is not None:
            raise SheetError(name, f"{path} is read from its start on, by first and after")
    return _Page(values.get("first"), values.get("after"))


def _name_free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _write_document(
    selector: Selector,
    operation: OperationDefinitionNode,
    chosen: _Found,
    items: Selected,
    names: tuple[str, str],
) -> tuple[str, set[str]]:
    """The text of the document of one page, and the names of the given variables in it."""
    field = _write_connection(chosen.steps[-1].selected, items, names)
    for step, inner in zip(reversed(chosen.steps[:-1]), reversed(chosen.steps[1:]), strict=True):
        field = _copy(step.selected, _select(_conditioned(field, inner.condition)))
    top = _conditioned(field, chosen.steps[0].condition)
    # Fragments first, since they may use variables as well.
    used = _Used()
    visit(top, used)
    fragments: dict[str, Node] = {}
    while waiting := used.fragments - fragments.keys():
        for name in sorted(waiting):
            fragments[name] = selector.fragments[name]
            visit(selector.fragments[name], used)
    kept = [
        each
        for each in operation.variable_definitions or ()
        if each.variable.name.value in used.variables
    ]
    types = zip(names, ("Int", "String"), strict=True)
    own = [
        VariableDefinitionNode(variable=_variable(name), type=NamedTypeNode(name=_name(kind)))
        for name, kind in types
    ]
    page = OperationDefinitionNode(
        operation=OperationType.QUERY,
        name=operation.name,
        variable_definitions=(*kept, *own),
        directives=(),
        selection_set=_select(top),
    )
    text = "\n".join(print_ast(each) for each in (page, *fragments.values()))
    return strip_ignored_characters(text), {each.variable.name.value for each in kept}


def _write_connection(selected: Selected, items: Selected, names: tuple[str, str]) -> FieldNode:
    """The connection as a page asks for it."""
    page_info = _field("pageInfo", _select(_field("hasNextPage"), _field("endCursor")))
    rows = _field(items.name, _merge(items))
    paging = {*_FORWARD, *_BACKWARD}
    given = [each for each in selected.nodes[0].arguments or () if each.name.value not in paging]
    own = [
        ArgumentNode(name=_name(argument), value=_variable(name))
        for argument, name in zip(_FORWARD, names, strict=True)
    ]
    return _copy(selected, _select(_field("totalCount"), page_info, rows), (*given, *own))


def _copy(
    selected: Selected,
    selections: SelectionSetNode,
    arguments: tuple[ArgumentNode, ...] | None = None,
) -> FieldNode:
    """The field under its own response name, so that errors name the path that the client knows."""
    node = selected.nodes[0]
    return FieldNode(
        alias=node.alias,
        name=node.name,
        arguments=node.arguments if arguments is None else arguments,
        directives=(),
        selection_set=selections,
    )


def _conditioned(field: FieldNode, condition: str | None) -> FieldNode | InlineFragmentNode:
    if condition is None:
        return field
    return InlineFragmentNode(
        type_condition=NamedTypeNode(name=_name(condition)),
        directives=(),
        selection_set=_select(field),
    )


def _merge(selected: Selected) -> SelectionSetNode:
    return SelectionSetNode(
        selections=tuple(each for one in selected.selections for each in one.selections)
    )


def _select(*nodes: FieldNode | InlineFragmentNode) -> SelectionSetNode:
    return SelectionSetNode(selections=nodes)


def _field(name: str, selections: SelectionSetNode | None = None) -> FieldNode:
    return FieldNode(
        alias=None, name=_name(name), arguments=(), directives=(), selection_set=selections
    )


def _name(value: str) -> NameNode:
    return NameNode(value=value)


def _variable(name: str) -> VariableNode:
    return VariableNode(name=_name(name))


class _Used(Visitor):
    """Collects the variables and fragments that a part of a document uses."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: set[str] = set()
        self.fragments: set[str] = set()

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        """Note a variable."""
        self.variables.add(node.name.value)

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        """Note a fragment."""
        self.fragments.add(node.name.value)
