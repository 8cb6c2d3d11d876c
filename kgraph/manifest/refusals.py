"""Why a document is no manifest: pydantic's errors in kgraph's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from kgraph.canonical import MAX_INTEGER, Refusal, join_path, show
from kgraph.errors import KgraphError
from kgraph.manifest.fields import PATTERN_WORDS


class ManifestRefusedError(KgraphError):
    """A document is no valid manifest; every reason is listed."""

    code = "MANIFEST_REFUSED"

    def __init__(self, where: str, refusals: tuple[Refusal, ...]) -> None:
        self.where, self.refusals = where, refusals
        super().__init__(f"{where}: " + "; ".join(str(refusal) for refusal in refusals))


_EXPECTED: Final = {
    "missing": "a value, since the field is required",
    "string_type": "text",
    "string_unicode": "text without lone surrogates",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "an object",
    "model_type": "an object",
    "tuple_type": "a list",
    "finite_number": "a finite number",
}
"""What was expected, by pydantic's type of error."""


def refusals_of(
    error: ValidationError, document: object, known_fields: Iterable[str]
) -> tuple[Refusal, ...]:
    """The refusals that a validation error lists, one a path, in document order of detection.

    Args:
        error: what pydantic raised.
        document: the document it was raised for.
        known_fields: names of fields of the kind, for suggestions.
    """
    known = tuple(known_fields)
    merged: dict[str, Refusal] = {}
    for detail in error.errors(include_url=False):
        if detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]:
            continue  # pydantic counts items that pass; those that do not are reported themselves
        refusal = _refusal(detail, document, known)
        before = merged.get(refusal.path)
        if before is None:
            merged[refusal.path] = refusal
        elif refusal.expected not in before.expected:
            # A value that fits no member of a union is reported once for each.
            expected = f"{before.expected} or {refusal.expected}"
            merged[refusal.path] = Refusal(refusal.path, before.found, expected)
    return tuple(merged.values())


def _refusal(detail: ErrorDetails, document: object, known: Sequence[str]) -> Refusal:
    kind, context = detail["type"], detail.get("ctx", {})
    path, is_key = _path_of(detail["loc"], document, is_missing=kind == "missing")
    if kind == "kgraph":
        return Refusal(path, context["found"], context["expected"])
    found = show(detail["input"])
    if is_key:
        return Refusal(path, f"the key {found}", _expected(kind, context, detail["msg"]))
    if kind == "missing":
        return Refusal(path, "nothing", _EXPECTED[kind])
    if kind == "extra_forbidden":
        name = str(detail["loc"][-1])
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        return Refusal(path, f"an unknown field, {found}", f"only known fields{hint}")
    return Refusal(path, found, _expected(kind, context, detail["msg"]))


def _path_of(loc: tuple[int | str, ...], document: object, *, is_missing: bool) -> tuple[str, bool]:
    """The path in the document, without the names of union members that pydantic puts between.

    Returns:
        The path, and whether the error is about the last key rather than its value.
    """
    path, node = "", document
    for position, key in enumerate(loc):
        members = _members(node)
        if key in members:
            node = members[key]
        elif not (is_missing and position == len(loc) - 1):
            continue
        path = join_path(path, key)
    return path, bool(loc) and loc[-1] == "[key]"


def _members(node: object) -> Mapping[int | str, object]:
    """What stands below a node, by key or position; nothing below a scalar."""
    if isinstance(node, Mapping):
        return node
    return dict(enumerate(node)) if isinstance(node, list | tuple) else {}


def _expected(kind: str, context: Mapping[str, Any], message: str) -> str:  # noqa: PLR0911 - a table
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    match kind:
        case "string_pattern_mismatch":
            pattern = context["pattern"]
            return PATTERN_WORDS.get(pattern, f"text that matches {pattern}")
        case "string_too_long":
            return f"at most {context['max_length']} characters"
        case "string_too_short":
            return f"at least {context['min_length']} characters"
        case "too_long":
            return f"at most {context['max_length']} items"
        case "too_short":
            return f"at least {context['min_length']} items"
        case "greater_than":
            return f"a number above {_number(context['gt'])}"
        case "greater_than_equal":
            return f"a number not below {_number(context['ge'])}"
        case "less_than_equal":
            return f"a number not above {_number(context['le'])}"
        case "literal_error":
            return str(context["expected"])
        case _:
            return message


def _number(bound: float) -> str:
    if abs(bound) == MAX_INTEGER:
        return "2^53 - 1" if bound > 0 else "-(2^53 - 1)"
    return f"{bound:g}"
