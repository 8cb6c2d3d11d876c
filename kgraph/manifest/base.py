"""What manifests of all kinds have in common."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema

from kgraph.canonical import JsonValue
from kgraph.manifest.fields import Long, Many, NameText, Short, SpecDigestText, Word
from kgraph.vocab import KERNELINDEX_API_VERSION, KGRAPH_API_VERSION, Kind

SharedVersion: TypeAlias = Literal["kernelindex.dev/v1alpha1"]
"""apiVersion of the kinds that the field shares."""

OwnVersion: TypeAlias = Literal["kgraph.dev/v1"]
"""apiVersion of kgraph's own kinds."""

API_VERSIONS: Final = (KERNELINDEX_API_VERSION, KGRAPH_API_VERSION)


class Part(BaseModel):
    """Any part of a manifest: frozen, strict, camelCase outside, unknown fields refused."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
        serialize_by_alias=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
        defer_build=True,  # a process seldom needs every kind, and building them all takes 0.1 s
    )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """The parser of the part, with `null` refused: what is not known is left out.

        Optional fields default to None, which pydantic would also accept from a document; there it
        would be a second way to say the same, with another digest.
        """
        schema = handler(source)
        inner: Any = schema
        while inner["type"] != "model-fields":
            inner = inner["schema"]
        for field in inner["fields"].values():
            default = field["schema"]
            if default["type"] == "default" and default["schema"]["type"] == "nullable":
                default["schema"] = default["schema"]["schema"]
        return schema


class Artifact(Part):
    """Bytes kept elsewhere, named by what they hold."""

    uri: Long
    """Where they may be fetched."""
    digest: SpecDigestText
    """SHA-256 of the bytes."""


class Author(Part):
    """A person or group credited."""

    name: Short | None = None
    """As they call themselves."""
    github: Short | None = None
    """Account on GitHub."""


class SourceRef(Part):
    """Where a fact was read."""

    url: Long
    """Address of the page or file."""


class Metadata(Part):
    """What is editorial about a manifest; never part of its spec digest."""

    name: NameText
    """Short name; not an identity."""
    title: Short | None = None
    """One line for people, in any script."""
    description: Long | None = None
    """A paragraph for people."""
    labels: dict[Word, Short] | None = None
    """Facts that identify nothing, e.g. the release of a library or `role: baseline`."""
    authors: Many[Author] | None = None
    """Who made what is described, in the order given."""
    source_refs: Many[SourceRef] | None = None
    """Where the facts were read, in the order given."""


class Manifest(Part):
    """One published document: `{apiVersion, kind, metadata, spec}`.

    Subclasses fix `apiVersion`, `kind` and the shape of `spec`. Made by `make_manifest` and
    `read_manifest`; what the document leaves unset stays unset, so that its digest is kept.
    """

    api_version: str
    """Version of the vocabulary that the manifest is written in."""
    kind: str
    """What the manifest describes."""
    metadata: Metadata
    """Editorial facts."""
    spec: Part
    """Meaning; what the spec digest is taken over."""

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    def as_kind(self) -> Kind:
        """The kind as a member of the vocabulary."""
        return Kind(self.kind)

    def to_json(self) -> dict[str, JsonValue]:
        """The manifest as plain JSON values, without what is unset."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
