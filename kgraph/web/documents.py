"""Documents that need not be sent: trusted ones from a folder, and those that clients register.

Source: GraphQL over HTTP, appendix A (persisted documents), for `documentId`; Apollo's automatic
persisted queries for `extensions.persistedQuery`.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import orjson
from cachetools import LRUCache

from kgraph.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SUFFIXES = frozenset({".graphql", ".gql"})
_SHA256 = re.compile(r"[0-9a-f]{64}")
# What the appendix allows for an id without a colon.
_CUSTOM_ID = re.compile(r"[A-Za-z0-9._~-]{1,200}")

# In characters of document text; a client's page document has some thousand.
_REGISTERED_SIZE = 2_000_000


class BadDocumentError(UsageError):
    """A trusted document that cannot be used; the server does not start with it."""

    code = "BAD_DOCUMENT"

    def __init__(self, where: str, problem: str) -> None:
        self.where, self.problem = where, problem
        super().__init__(f"{where}: {problem}")


def hash_document(text: str) -> str:
    """SHA-256 of a document's text in UTF-8, as hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def load_documents(folder: Path) -> dict[str, str]:
    """The documents of a folder and the folders below it, by id.

    A `.graphql` or `.gql` file is one document, named by the SHA-256 of its text, also of its text
    without the line end that editors add. A `.json` file maps ids to documents, as client
    generators write them; an id of 64 hex digits must be the SHA-256 of its document.

    Returns:
        Hex digits, or an id of the client's own, to document.

    Raises:
        BadDocumentError: the folder is none, a file is not what it should be, or two documents have
            one id.
    """
    if not folder.is_dir():
        raise BadDocumentError(str(folder), "no folder, expected one of GraphQL documents")
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        for name, text in _read_file(path):
            if found.setdefault(name, text) != text:
                raise BadDocumentError(str(path), f"id {name} is another document's, too")
    return found


def _read_file(path: Path) -> Iterator[tuple[str, str]]:
    if path.suffix not in _SUFFIXES | {".json"} or not path.is_file():
        return
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadDocumentError(str(path), "found no UTF-8") from error
    if path.suffix in _SUFFIXES:
        for form in {text, text.rstrip("\r\n")}:
            yield hash_document(form), form
        return
    yield from _read_map(path, text)


def _read_map(path: Path, text: str) -> Iterator[tuple[str, str]]:
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadDocumentError(str(path), "found no JSON") from error
    if not isinstance(given, dict):
        raise BadDocumentError(str(path), "expected an object of ids and documents")
    for written, document in given.items():
        name = written.removeprefix("sha256:")
        if not isinstance(document, str):
            raise BadDocumentError(str(path), f"{written[:90]}: expected a document as text")
        if _SHA256.fullmatch(name):
            if name != hash_document(document):
                raise BadDocumentError(str(path), f"{written}: is not its document's SHA-256")
        elif name != written or not _CUSTOM_ID.fullmatch(name):
            raise BadDocumentError(str(path), f"{written[:90]!r}: expected an id")
        yield name, document


class Documents:
    """Documents by id: trusted ones, and those that clients have registered here."""

    def __init__(
        self, trusted: Mapping[str, str] | None = None, *, is_closed: bool = False
    ) -> None:
        """Documents without any registered yet.

        Args:
            trusted: as `load_documents` gives them.
            is_closed: Whether no others are taken.
        """
        self.trusted = dict(trusted or {})
        self.is_closed = is_closed
        self._registered: LRUCache[str, str] = LRUCache(_REGISTERED_SIZE, getsizeof=len)

    def find(self, name: str) -> str | None:
        """The document of an id; None where it is not known, or not any more."""
        found = self.trusted.get(name)
        return self._registered.get(name) if found is None else found

    def is_taken(self, text: str) -> bool:
        """Whether a document that was sent as text may be executed."""
        return not self.is_closed or hash_document(text) in self.trusted

    def register(self, name: str, text: str) -> None:
        """Keep a document of a client under its SHA-256; the ones not used for longest go."""
        if not self.is_closed and name not in self.trusted:
            self._registered[name] = text
