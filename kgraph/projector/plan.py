"""One selection on one type, compiled: what is read from each object, and what is found elsewhere.

A plan is Python text made from the selection. It maps objects to dicts field by field, in the order
of the answer; what it cannot read from an object it leaves open and reports as a site.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    is_leaf_type,
)
from graphql.execution.collect_fields import collect_subfields

from kgraph.projector.field import Attribute, Link
from kgraph.projector.leaf import UnusualValueError, find_unchanged, make_coercer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphql import (
        GraphQLField,
        GraphQLLeafType,
        GraphQLOutputType,
        GraphQLSchema,
        OperationDefinitionNode,
    )
    from graphql.execution.collect_fields import FieldDetailsList, FragmentDetails
    from graphql.execution.values import VariableValues

    from kgraph.projector.field import Description, ObjectShape

MAX_FIELDS = 1_000
"""Fields of one operation that are compiled, fragments opened; page documents have up to 150.
Fragments that spread fragments can open to any size, which stock execution meets step by step."""

# Objects inside objects in one piece of text. Python bounds how deep its blocks nest.
_MAX_NESTING = 6

MAX_PARTS = 1_000
"""Objects of one place in a selection whose parts of answers are kept; five of the longest pages.
When there are more, all are made anew."""

Pair = tuple[Any, dict[str, Any]]
"""An object, and the part of the answer that stands for it."""


class TooManyFieldsError(Exception):
    """A selection opens to more fields than are compiled."""


@dataclass(frozen=True, slots=True)
class LinkSite:
    """A field that is answered for all objects of its place at once."""

    name: str
    """Its name in the answer."""
    link: Link
    definition: GraphQLField
    details: FieldDetailsList
    child: Plan | None
    """None where the field holds leaves."""
    coerce: Callable[[Any], Any] | None
    """Serves one leaf; None where the field holds objects."""
    is_list: bool
    is_nullable: bool
    has_nullable_items: bool


@dataclass(frozen=True, slots=True)
class StockSite:
    """A field that stock execution answers, object by object."""

    name: str
    parent: GraphQLObjectType
    details: FieldDetailsList


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled selection on one type."""

    kind: GraphQLObjectType
    classes: frozenset[type]
    project: Callable[[Sequence[Any], Sequence[Callable[[Pair], None]]], list[dict[str, Any]]]
    """Dicts of objects, in order. The second argument has a function for each site, which is called
    with each object that the site belongs to.

    Raises:
        UnusualValueError: a value is missing, or not of the class that its field usually has.
    """
    sites: tuple[LinkSite | StockSite, ...]
    text: str
    """What was compiled, for people who look for a fault."""


class Compiler:
    """Makes plans of one operation with one choice of what is skipped and included."""

    def __init__(
        self,
        schema: GraphQLSchema,
        description: Description,
        fragments: dict[str, FragmentDetails],
        operation: OperationDefinitionNode,
        variables: VariableValues,
    ) -> None:
        self._schema, self._description = schema, description
        self._fragments, self._operation, self._variables = fragments, operation, variables
        self.field_count = 0
        """Fields that were compiled so far."""
        self.kept_field_count = 0
        """Those of them whose values are kept, of up to `MAX_PARTS` objects each."""
        self._coercers: dict[str, Callable[[Any], Any]] = {}

    def compile(self, kind: GraphQLObjectType, details: FieldDetailsList) -> Plan | None:
        """The plan of what `details` select on `kind`; None where it is left to stock execution.

        Raises:
            TooManyFieldsError: the operation opens to more fields than are compiled.
        """
        shape = self._description.shape_of(kind)
        return None if shape is None else _Text(self, kind, shape).compile(details)

    def shape_of(self, kind: GraphQLObjectType) -> ObjectShape | None:
        """How the type's objects look."""
        return self._description.shape_of(kind)

    def collect(
        self, kind: GraphQLObjectType, details: FieldDetailsList
    ) -> dict[str, FieldDetailsList]:
        """The selected fields by name in the answer, in its order."""
        collected = collect_subfields(
            self._schema, self._fragments, self._variables, self._operation, kind, details
        )
        self.field_count += len(collected.grouped_field_set)
        if self.field_count > MAX_FIELDS:
            raise TooManyFieldsError
        return collected.grouped_field_set

    def find_field(self, kind: GraphQLObjectType, name: str) -> GraphQLField | None:
        """The definition of a field."""
        return self._schema.get_field(kind, name)

    def coercer_of(self, kind: GraphQLLeafType) -> Callable[[Any], Any]:
        """What serves the values of a leaf type; the same function each time."""
        found = self._coercers.get(kind.name)
        if found is None:
            found = self._coercers[kind.name] = make_coercer(kind)
        return found

    def make_link_site(
        self, name: str, link: Link, definition: GraphQLField, details: FieldDetailsList
    ) -> LinkSite | None:
        """The site of a link; None where its type is left to stock execution."""
        kind, is_nullable = _strip(definition.type)
        is_list, has_nullable_items = isinstance(kind, GraphQLList), False
        if isinstance(kind, GraphQLList):
            kind, has_nullable_items = _strip(kind.of_type)
        child, coerce = None, None
        if is_leaf_type(kind):
            coerce = self.coercer_of(kind)
        elif isinstance(kind, GraphQLObjectType):
            child = self.compile(kind, details)
        if child is None and coerce is None:
            return None
        return LinkSite(
            name, link, definition, details, child, coerce, is_list, is_nullable, has_nullable_items
        )


@dataclass(frozen=True, slots=True)
class _Object:
    """An object in the text."""

    variable: str
    kind: GraphQLObjectType
    shape: ObjectShape
    nesting: int
    """Objects and lists around it in the same text."""


class _Text:
    """The Python text of one plan while it is written."""

    def __init__(self, compiler: Compiler, kind: GraphQLObjectType, shape: ObjectShape) -> None:
        self._compiler, self._kind, self._shape = compiler, kind, shape
        self._lines: list[str] = []
        self._names: dict[str, Any] = {"Unusual": UnusualValueError}
        self._known: dict[int, str] = {}
        self._sites: list[LinkSite | StockSite] = []
        self._counter = 0

    def compile(self, details: FieldDetailsList) -> Plan:
        self._write(1, "dicts = []")
        self._write(1, "for o in objects:")
        made = self._write_item(2, _Object("o", self._kind, self._shape, 0), details)
        self._write(2, f"dicts.append({made})")
        self._write(1, "return dicts")
        # Bound as locals, which are read faster than globals.
        opening = [f"s{number} = sites[{number}]" for number in range(len(self._sites))]
        opening += [f"{name} = {name}_" for name in self._names]
        lines = ["def project(objects, sites):", *(f"    {line}" for line in opening)]
        text = "\n".join([*lines, *self._lines])
        space = {f"{name}_": value for name, value in self._names.items()}
        # The text holds names of the schema and response names, which are GraphQL names: letters,
        # digits and underscores. Nothing else that a client wrote stands in it.
        exec(compile(text, f"<projection of {self._kind.name}>", "exec"), space)  # noqa: S102
        return Plan(self._kind, self._shape.classes, space["project"], tuple(self._sites), text)

    def _write(self, depth: int, line: str) -> None:
        self._lines.append("    " * depth + line)

    def _new(self, prefix: str = "v") -> str:
        self._counter += 1
        return f"{prefix}{self._counter}"

    def _name(self, value: object, prefix: str) -> str:
        """A name in the text for a value made here; one name for the same value."""
        name = self._known.get(id(value))
        if name is None:
            name = self._known[id(value)] = self._new(prefix)
            self._names[name] = value
        return name

    def _write_item(self, depth: int, held: _Object, details: FieldDetailsList) -> str:
        """Write what makes, or remembers, the dict of one of many objects; gives its variable.

        What an object that is kept was made into is kept with it: without the fields of its sites,
        which are found anew each time. Where an object inside it has sites of its own, nothing is
        kept.
        """
        if not held.shape.is_kept:
            return self._write_object(depth, held, details)
        outer, self._lines = self._lines, []
        site_count, field_count = len(self._sites), self._compiler.field_count
        sites: list[int] = []
        result = self._write_object(depth + 1, held, details, sites)
        inner, self._lines = self._lines, outer
        if len(self._sites) - site_count > len(sites):
            self._lines += [line.removeprefix("    ") for line in inner]
        else:
            self._compiler.kept_field_count += self._compiler.field_count - field_count
            memory, part = self._name({}, "m"), self._new("p")
            # The object is kept as well, so that its identity names no other one.
            name, made = f"id({held.variable})", f"{result}.copy()" if sites else result
            self._write(depth, f"{part} = {memory}.get({name})")
            self._write(depth, f"if {part} is None:")
            self._lines += inner
            self._write(depth + 1, f"if len({memory}) >= {MAX_PARTS}: {memory}.clear()")
            self._write(depth + 1, f"{memory}[{name}] = ({held.variable}, {made})")
            kept = f"{part}[1].copy()" if sites else f"{part}[1]"
            self._write(depth, f"else: {result} = {kept}")
        for site in sites:
            self._write(depth, f"s{site}(({held.variable}, {result}))")
        return result

    def _write_object(
        self,
        depth: int,
        held: _Object,
        details: FieldDetailsList,
        own_sites: list[int] | None = None,
    ) -> str:
        """Write what makes the dict of an object; gives the dict's variable.

        Args:
            own_sites: Takes the sites of the object itself, which are then for the caller to fill.
        """
        classes, found = held.shape.classes, f"{held.variable}.__class__"
        if len(classes) == 1:
            test = f"{found} is not {self._name(next(iter(classes)), 'c')}"
        else:
            test = f"{found} not in {self._name(classes, 'c')}"
        self._write(depth, f"if {test}: raise Unusual({held.variable}, {held.kind.name!r})")
        entries: list[str] = []
        sites: list[int] = []
        for name, selected in self._compiler.collect(held.kind, details).items():
            made = self._write_field(depth, held, name, selected)
            if made is None:
                continue
            if isinstance(made, int):
                sites.append(made)
                made = "None"
            entries.append(f"{name!r}: {made}")
        result = self._new("d")
        self._write(depth, f"{result} = {{{', '.join(entries)}}}")
        if own_sites is not None:
            own_sites += sites
            return result
        for site in sites:
            self._write(depth, f"s{site}(({held.variable}, {result}))")
        return result

    def _write_field(
        self, depth: int, held: _Object, name: str, details: FieldDetailsList
    ) -> str | int | None:
        """An expression of the field's value, or its site, or None where the answer lacks it."""
        field_name = details[0].node.name.value
        if field_name == "__typename":
            return repr(held.kind.name)
        definition = self._compiler.find_field(held.kind, field_name)
        if definition is None:
            return None
        read = held.shape.fields.get(field_name)
        if isinstance(read, Attribute):
            if not definition.args and self._can_write(definition.type, held.nesting):
                value = self._new()
                self._write(depth, f"{value} = {held.variable}.{read.name}")
                return self._write_value(depth, value, definition.type, details, held.nesting)
        elif read is not None:
            link = self._compiler.make_link_site(name, read, definition, details)
            if link is not None:
                return self._add_site(link)
        return self._add_site(StockSite(name, held.kind, details))

    def _add_site(self, site: LinkSite | StockSite) -> int:
        self._sites.append(site)
        return len(self._sites) - 1

    def _can_write(self, type_: GraphQLOutputType, nesting: int) -> bool:
        inner, _ = _strip(type_)
        while isinstance(inner, GraphQLList):
            inner, _ = _strip(inner.of_type)
        if is_leaf_type(inner):
            return True
        return (
            isinstance(inner, GraphQLObjectType)
            and nesting < _MAX_NESTING
            and self._compiler.shape_of(inner) is not None
        )

    def _write_value(
        self,
        depth: int,
        value: str,
        type_: GraphQLOutputType,
        details: FieldDetailsList,
        nesting: int,
        *,
        is_item: bool = False,
    ) -> str:
        """Write what serves the value in variable `value`; gives an expression of the result.

        Args:
            is_item: Whether it is one of a list.
        """
        inner, is_nullable = _strip(type_)
        if is_leaf_type(inner):
            coercer = self._name(self._compiler.coercer_of(inner), "f")
            unchanged = find_unchanged(inner)
            tests = [] if unchanged is None else [f"not ({unchanged.format(value)})"]
            if is_nullable:
                tests.append(f"{value} is not None")
            served = f"{value} = {coercer}({value})"
            self._write(depth, f"if {' and '.join(tests)}: {served}" if tests else served)
            return value
        result = self._new()
        if is_nullable:
            self._write(depth, f"if {value} is None: {result} = None")
            self._write(depth, "else:")
            depth += 1
        if isinstance(inner, GraphQLList):
            self._write(
                depth, f"if {value}.__class__ is not list and {value}.__class__ is not tuple:"
            )
            self._write(depth + 1, f"raise Unusual({value}, 'a list')")
            self._write(depth, f"{result} = []")
            item = self._new("i")
            self._write(depth, f"for {item} in {value}:")
            made = self._write_value(
                depth + 1, item, inner.of_type, details, nesting + 1, is_item=True
            )
            self._write(depth + 1, f"{result}.append({made})")
            return result
        assert isinstance(inner, GraphQLObjectType)  # noqa: S101 - see _can_write
        shape = self._compiler.shape_of(inner)
        assert shape is not None  # noqa: S101 - see _can_write
        write = self._write_item if is_item else self._write_object
        made = write(depth, _Object(value, inner, shape, nesting + 1), details)
        self._write(depth, f"{result} = {made}")
        return result


def _strip(type_: GraphQLOutputType) -> tuple[GraphQLOutputType, bool]:
    """The type without its mark of being required, and whether it had none."""
    if isinstance(type_, GraphQLNonNull):
        return type_.of_type, False
    return type_, True
