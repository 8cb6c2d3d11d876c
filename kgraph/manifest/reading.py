"""Documents that people and programs write, JSON or YAML, to manifests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from kgraph.canonical import Refusal, read_json
from kgraph.manifest.base import Manifest
from kgraph.manifest.kinds import check_manifest
from kgraph.manifest.refusals import ManifestRefusedError


def read_manifest(
    content: bytes,
    *,
    where: str,
    format: Literal["json", "yaml"] = "json",  # noqa: A002 - the word
) -> Manifest:
    """The manifest that a document holds.

    Args:
        content: the document, UTF-8, at most 1 MiB.
        where: names the document in messages, e.g. a file path.
        format: how it is written; YAML is YAML 1.2 with JSON's types and no aliases.

    Raises:
        ManifestRefusedError: with every reason why it is none: those of the reader and, where the
            document has a shape at all, those of the manifest's kind.
    """
    lines: Mapping[str, int] = {}
    if format == "yaml":
        # The parser takes a tenth of a second to load, which a server never needs.
        from kgraph.manifest.yaml import read_yaml  # noqa: PLC0415

        reading, lines = read_yaml(content)
    else:
        reading = read_json(content)
    if not reading.is_whole:
        raise ManifestRefusedError(where, reading.refusals)
    refusals, manifest = check_manifest(reading.value)
    if manifest is None or reading.refusals:
        # What the reader refused was read as a stand-in, so the kind's view of it says nothing.
        by_reader = {refusal.path for refusal in reading.refusals}
        by_kind = tuple(
            _with_line(refusal, lines) for refusal in refusals if refusal.path not in by_reader
        )
        raise ManifestRefusedError(where, reading.refusals + by_kind)
    return manifest


def _with_line(refusal: Refusal, lines: Mapping[str, int]) -> Refusal:
    """The refusal with the line of its path, or of the nearest path above that has one."""
    path = refusal.path
    while path not in lines and path:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return dataclasses.replace(refusal, line=lines.get(path))
