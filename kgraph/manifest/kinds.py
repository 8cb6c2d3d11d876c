"""The kinds of manifest, and how plain values become one."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from kgraph.canonical import JsonValue, Refusal, show
from kgraph.manifest.base import Manifest
from kgraph.manifest.implementation import ImplementationRevision, SoftwareProject
from kgraph.manifest.measurement import BenchmarkProtocol, BenchmarkRun, ExecutionEnvironment
from kgraph.manifest.operation import OperationSpec
from kgraph.manifest.own import Attestation, Correction, Listing, Publication, Source
from kgraph.manifest.refusals import ManifestRefusedError, refusals_of
from kgraph.manifest.serving import (
    ModelRevision,
    ServingConfiguration,
    ServingRun,
    ServingStackRevision,
    ServingWorkload,
)
from kgraph.manifest.workload import WorkloadCase, WorkloadSuite
from kgraph.vocab import Kind

MODELS: Final[Mapping[Kind, type[Manifest]]] = types.MappingProxyType(
    {
        Kind(model.__name__): model
        for model in (
            OperationSpec,
            WorkloadCase,
            WorkloadSuite,
            SoftwareProject,
            ImplementationRevision,
            BenchmarkProtocol,
            ExecutionEnvironment,
            BenchmarkRun,
            ModelRevision,
            ServingStackRevision,
            ServingConfiguration,
            ServingWorkload,
            ServingRun,
            Source,
            Listing,
            Attestation,
            Correction,
            Publication,
        )
    }
)
"""The model of each kind."""

_MODELS_BY_NAME: Final = {kind.value: model for kind, model in MODELS.items()}


def make_manifest(value: Mapping[str, JsonValue], *, where: str) -> Manifest:
    """The manifest that plain JSON values describe.

    Durations written with a unit become integer nanoseconds; lists whose order says nothing are
    sorted and deduplicated. Nothing else is changed or filled in.

    Args:
        value: an object with `apiVersion`, `kind`, `metadata` and `spec`.
        where: names the document in messages, e.g. a file path.

    Raises:
        ManifestRefusedError: with every reason why it is none.
    """
    refusals, manifest = check_manifest(value)
    if manifest is None:
        raise ManifestRefusedError(where, refusals)
    return manifest


def check_manifest(value: object) -> tuple[tuple[Refusal, ...], Manifest | None]:
    """The manifest that plain values describe, or why they describe none: exactly one of both."""
    if not isinstance(value, Mapping):
        return (Refusal("", show(value), "an object"),), None
    kind = value.get("kind")
    model = _MODELS_BY_NAME.get(kind) if isinstance(kind, str) else None
    if model is None:
        found = show(kind) if "kind" in value else "nothing"
        return (Refusal("kind", found, "one of " + ", ".join(_MODELS_BY_NAME)),), None
    document = value if isinstance(value, dict) else dict(value)
    try:
        return (), model.model_validate(document)
    except ValidationError as error:
        return refusals_of(error, document, _field_names(model)), None


@functools.cache
def _field_names(model: type[BaseModel]) -> tuple[str, ...]:
    """Names, as documents write them, of the fields of a model and of all parts below it."""
    names: set[str] = set()
    seen: set[type[BaseModel]] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        for name, field in part.model_fields.items():
            names.add(field.alias or name)
            waiting.extend(_parts_in(field.annotation))
    return tuple(sorted(names))


def _parts_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - any annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _parts_in(argument)
