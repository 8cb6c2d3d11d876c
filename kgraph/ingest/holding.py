"""What a stored manifest is and what it cites, read from its canonical bytes alone.

Bytes that a store returns were verified against their name, and were a valid manifest when they
were published; so they are read here without the models, at a fraction of their cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.canonical import encode_canonical
from kgraph.digest import ObjectId, SpecDigest, digest_spec
from kgraph.store import ObjectStrangeError
from kgraph.vocab import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN_KINDS = frozenset({Kind.BENCHMARK_RUN, Kind.SERVING_RUN})
"""Kinds that are one measurement."""

_ANY_KIND = frozenset(Kind)
_OPERATION = frozenset({Kind.OPERATION_SPEC})
_WORKLOADS = frozenset({Kind.WORKLOAD_CASE, Kind.WORKLOAD_SUITE})

# Where each kind cites another manifest, and of which kinds that may be. `[]` steps into each item
# of a list. Digests of other bytes (trees, images, logs) name no manifest and are not listed.
_CITES: dict[Kind, tuple[tuple[str, frozenset[Kind]], ...]] = {
    Kind.WORKLOAD_CASE: (("operationSpecDigest", _OPERATION),),
    Kind.WORKLOAD_SUITE: (("operationSpecDigest", _OPERATION),),
    Kind.IMPLEMENTATION_REVISION: (("operation.specDigest", _OPERATION),),
    Kind.BENCHMARK_RUN: (
        ("implementationDigest", frozenset({Kind.IMPLEMENTATION_REVISION})),
        ("workloadDigest", _WORKLOADS),
        ("protocolDigest", frozenset({Kind.BENCHMARK_PROTOCOL})),
        ("environmentDigest", frozenset({Kind.EXECUTION_ENVIRONMENT})),
    ),
    Kind.SERVING_CONFIGURATION: (("stackDigest", frozenset({Kind.SERVING_STACK_REVISION})),),
    Kind.SERVING_RUN: (
        ("modelDigest", frozenset({Kind.MODEL_REVISION})),
        ("configurationDigest", frozenset({Kind.SERVING_CONFIGURATION})),
        ("workloadDigest", frozenset({Kind.SERVING_WORKLOAD})),
    ),
    Kind.LISTING: (
        ("entries.[].subject", _ANY_KIND),
        ("entries.[].project", frozenset({Kind.SOFTWARE_PROJECT})),
    ),
    Kind.CORRECTION: (("run", RUN_KINDS), ("replacement", RUN_KINDS)),
    Kind.ATTESTATION: (("run", RUN_KINDS),),
}


@dataclass(frozen=True, slots=True)
class Citation:
    """One place where a manifest cites another."""

    field: str
    """Path of the field, for example `spec.entries[3].subject`."""
    digest: SpecDigest
    kinds: frozenset[Kind]
    """What the cited manifest may be."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One manifest, by its names and what it cites."""

    object_id: ObjectId
    digest: SpecDigest
    kind: Kind
    name: str
    citations: tuple[Citation, ...]
    slugs: tuple[tuple[SpecDigest, str], ...] = ()
    """Of a Listing: its subjects that it gives a slug, with that."""

    def find_cited(self, field: str) -> SpecDigest | None:
        """The digest that a field cites, by its path; None where it cites nothing there."""
        return next((one.digest for one in self.citations if one.field == field), None)


def read_holding(object_id: ObjectId, content: bytes) -> Holding:
    """Names and citations of a manifest, from its verified canonical bytes.

    Raises:
        ObjectStrangeError: the bytes are no manifest that this version publishes.
    """
    try:
        document = orjson.loads(content)
        kind, spec = Kind(document["kind"]), document["spec"]
        head = {"apiVersion": document["apiVersion"], "kind": kind, "spec": spec}
        return Holding(
            object_id=object_id,
            digest=digest_spec(encode_canonical(head)),
            kind=kind,
            name=document["metadata"]["name"],
            citations=tuple(_iter_citations(kind, spec)),
            slugs=tuple(_iter_slugs(kind, spec)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ObjectStrangeError(object_id, f"bytes that cannot be read ({error})") from error


def _iter_citations(kind: Kind, spec: dict[str, Any]) -> Iterator[Citation]:
    for path, kinds in _CITES.get(kind, ()):
        for field, value in _walk("spec", spec, path.split(".")):
            yield Citation(field, SpecDigest(value), kinds)


def _iter_slugs(kind: Kind, spec: dict[str, Any]) -> Iterator[tuple[SpecDigest, str]]:
    for entry in spec["entries"] if kind is Kind.LISTING else ():
        if entry.get("slug") is not None:
            yield SpecDigest(entry["subject"]), entry["slug"]


def _walk(where: str, value: Any, steps: list[str]) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    if not steps:
        yield where, value
    elif steps[0] == "[]":
        for position, item in enumerate(value):
            yield from _walk(f"{where}[{position}]", item, steps[1:])
    elif steps[0] in value:
        yield from _walk(f"{where}.{steps[0]}", value[steps[0]], steps[1:])
