"""Frames of pandas or Polars from rows that are models.

A column is one value of a row, named by its path with dots, as attribute access spells it:
`run.implementation.title`. Its type follows from the model alone, so that an empty frame, and one
whose values are all absent, has the columns and types of a full one.
"""

from __future__ import annotations

import importlib
import json
import types
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from kgraph.client.errors import MISSING_EXTRA, KgraphClientError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd
    import polars as pl

Plain = Literal["integer", "number", "truth", "text", "instant", "json"]
"""What a single value is."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A value that is a list."""

    item: Kind


@dataclass(frozen=True, slots=True)
class Record:
    """An object in a list; anywhere else its fields are columns."""

    fields: Mapping[str, Kind]


Kind = Plain | ListOf | Record
"""What a column holds."""

_PLAIN: Mapping[type, Plain] = {
    bool: "truth",
    int: "integer",
    float: "number",
    str: "text",
    datetime: "instant",
}

# Types that can say "absent" without turning whole numbers into fractions.
_PANDAS: Mapping[Plain, str] = {
    "integer": "Int64",
    "number": "float64",
    "truth": "boolean",
    "text": "string",
    "instant": "datetime64[us, UTC]",
    "json": "object",
}


def read_columns(row: type[BaseModel]) -> dict[str, Kind]:
    """The columns that rows of one model give, by name."""
    return dict(_walk(row, ""))


def make_pandas(row: type[BaseModel], items: Sequence[BaseModel]) -> pd.DataFrame:
    """A pandas frame with a line for each item.

    Raises:
        KgraphClientError: pandas is not installed.
    """
    pandas = _load("pandas")
    series = {
        name: pandas.Series(
            _read_column(items, name), dtype=_PANDAS[kind] if isinstance(kind, str) else "object"
        )
        for name, kind in read_columns(row).items()
    }
    frame: pd.DataFrame = pandas.DataFrame(series)
    return frame


def make_polars(row: type[BaseModel], items: Sequence[BaseModel]) -> pl.DataFrame:
    """A Polars frame with a line for each item; free-form JSON is text in it.

    Raises:
        KgraphClientError: Polars is not installed.
    """
    polars = _load("polars")
    frame: pl.DataFrame = polars.DataFrame(
        [
            polars.Series(
                name,
                [_fit(value, kind) for value in _read_column(items, name)],
                dtype=_polars_type(polars, kind),
            )
            for name, kind in read_columns(row).items()
        ]
    )
    return frame


def _load(name: str) -> Any:  # noqa: ANN401 - a module
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise KgraphClientError(
            MISSING_EXTRA, f"{name}: not installed; pip install 'kgraph[{name}]'"
        ) from error


def _walk(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, Kind]]:
    # Generated models are built on first use, and name each other before they exist.
    model.model_rebuild()
    for name, field in model.model_fields.items():
        kind = _read_kind(field.annotation)
        nested = _as_model(field.annotation)
        if nested is not None:
            yield from _walk(nested, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", kind


def _read_kind(annotation: Any) -> Kind:  # noqa: ANN401 - any type form
    bare = _without_none(annotation)
    if get_origin(bare) is list:
        return ListOf(_read_kind(get_args(bare)[0]))
    model = _as_model(bare)
    if model is not None:
        model.model_rebuild()
        return Record(
            {name: _read_kind(field.annotation) for name, field in model.model_fields.items()}
        )
    if isinstance(bare, type):
        return "text" if issubclass(bare, Enum) else _PLAIN.get(bare, "json")
    return "json"


def _without_none(annotation: Any) -> Any:  # noqa: ANN401 - any type form
    if get_origin(annotation) in {Union, types.UnionType}:
        rest = [item for item in get_args(annotation) if item is not type(None)]
        if len(rest) == 1:
            return rest[0]
    return annotation


def _as_model(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 - any type form
    bare = _without_none(annotation)
    return bare if isinstance(bare, type) and issubclass(bare, BaseModel) else None


def _read_column(items: Sequence[BaseModel], name: str) -> list[Any]:
    path = name.split(".")
    return [_plain(_read_value(item, path)) for item in items]


def _read_value(item: object, path: Sequence[str]) -> object:
    for step in path:
        if item is None:
            return None
        item = getattr(item, step)
    return item


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case BaseModel():
            return {name: _plain(getattr(value, name)) for name in type(value).model_fields}
        case list():
            return [_plain(item) for item in value]
        case _:
            return value


def _fit(value: Any, kind: Kind) -> Any:  # noqa: ANN401 - any value of a column
    """The value with free-form JSON as text, since Polars has one type for each column."""
    if value is None:
        return None
    match kind:
        case "json":
            return json.dumps(value, ensure_ascii=False)
        case ListOf():
            return [_fit(item, kind.item) for item in value]
        case Record():
            return {name: _fit(value[name], inner) for name, inner in kind.fields.items()}
        case _:
            return value


def _polars_type(polars: Any, kind: Kind) -> Any:  # noqa: ANN401 - the module, and its types
    match kind:
        case ListOf():
            return polars.List(_polars_type(polars, kind.item))
        case Record():
            return polars.Struct(
                {name: _polars_type(polars, inner) for name, inner in kind.fields.items()}
            )
    return {
        "integer": polars.Int64,
        "number": polars.Float64,
        "truth": polars.Boolean,
        "instant": polars.Datetime("us", "UTC"),
    }.get(kind, polars.String)
