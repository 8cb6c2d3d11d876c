"""Manifest files that a person names on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kgraph.errors import KgraphError, UsageError
from kgraph.manifest import Identified, ManifestRefusedError, Refusal, identify, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMATS: dict[str, Literal["json", "yaml"]] = {
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
}


class UnreadableFileError(UsageError):
    """A file named on the command line cannot be read."""

    code = "FILE_UNREADABLE"

    def __init__(self, path: str, problem: str) -> None:
        self.path, self.problem = path, problem
        super().__init__(f"{path}: {problem}")


class FilesRefusedError(KgraphError):
    """Files hold no valid manifests; every fault of every file is named."""

    code = "MANIFEST_REFUSED"

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(documents)
        super().__init__(
            "\n".join(
                f"{document.path}: {refusal}"
                for document in self.documents
                for refusal in document.refusals
            )
        )


@dataclass(frozen=True, slots=True)
class Document:
    """What one file holds: a manifest, or the reasons why not."""

    path: str
    identified: Identified | None
    refusals: tuple[Refusal, ...]


def read_file(path: str) -> bytes:
    """Bytes of a file.

    Raises:
        UnreadableFileError: the system cannot read it.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UnreadableFileError(path, error.strerror or str(error)) from error


def read_document(path: str) -> Document:
    """The manifest in one file, or why it holds none; `.yaml` and `.yml` are YAML, else JSON."""
    content = read_file(path)
    document_format = _FORMATS.get(Path(path).suffix.lower(), "json")
    try:
        identified = identify(read_manifest(content, where=path, format=document_format))
    except ManifestRefusedError as error:
        return Document(path, None, error.refusals)
    return Document(path, identified, ())


def read_manifests(paths: Iterable[str]) -> tuple[tuple[str, Identified], ...]:
    """The manifest of each file, by its path.

    Raises:
        FilesRefusedError: some hold none.
    """
    documents = [read_document(path) for path in paths]
    refused = [document for document in documents if document.identified is None]
    if refused:
        raise FilesRefusedError(refused)
    return tuple(
        (document.path, document.identified)
        for document in documents
        if document.identified is not None
    )
