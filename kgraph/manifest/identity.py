"""The two names of a manifest, taken over its canonical bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgraph.canonical import MAX_BYTES, JsonValue, Refusal, encode_canonical
from kgraph.digest import ObjectId, SpecDigest, digest_object, digest_spec
from kgraph.manifest.base import Manifest
from kgraph.manifest.kinds import make_manifest
from kgraph.manifest.refusals import ManifestRefusedError
from kgraph.vocab import Kind


@dataclass(frozen=True, slots=True)
class Identified:
    """A manifest with its names and the bytes that carry them."""

    manifest: Manifest
    kind: Kind
    name: str
    """`metadata.name`; not an identity."""
    digest: SpecDigest
    """What the manifest means."""
    object_id: ObjectId
    """Which bytes are stored."""
    content: bytes
    """Canonical JSON of the whole manifest."""


def identify(manifest: Manifest) -> Identified:
    """The manifest with its names and canonical bytes.

    Raises:
        ManifestRefusedError: the canonical form is longer than `MAX_BYTES`, so that no reader
            would take it.
    """
    value = manifest.to_json()
    # apiVersion and kind are literals of the models, so they need no escaping; spec is encoded
    # once for both names. The order of the four members is the canonical one.
    head = f'{{"apiVersion":"{manifest.api_version}","kind":"{manifest.kind}",'.encode()
    spec = b'"spec":' + encode_canonical(value["spec"]) + b"}"
    content = head + b'"metadata":' + encode_canonical(value["metadata"]) + b"," + spec
    if len(content) > MAX_BYTES:
        refusal = Refusal("", f"{len(content)} bytes", f"at most {MAX_BYTES} bytes")
        raise ManifestRefusedError(f"{manifest.kind} {manifest.name}", (refusal,))
    return Identified(
        manifest=manifest,
        kind=Kind(manifest.kind),
        name=manifest.metadata.name,
        digest=digest_spec(head + spec),
        object_id=digest_object(content),
        content=content,
    )


def identify_value(value: Mapping[str, JsonValue], *, where: str) -> Identified:
    """What plain JSON values describe, validated, canonicalised and named in one step.

    Raises:
        ManifestRefusedError: the values are no valid manifest.
    """
    return identify(make_manifest(value, where=where))


def spec_digest_of(manifest: Manifest) -> SpecDigest:
    """What the manifest means: SHA-256 over canonical `{apiVersion, kind, spec}`."""
    return identify(manifest).digest


def object_id_of(manifest: Manifest) -> ObjectId:
    """Which bytes are stored: BLAKE3 over the canonical form of the whole manifest."""
    return identify(manifest).object_id
