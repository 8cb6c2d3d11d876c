"""Asking the API as any client may: a stored document with variables, answered by the engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgraph.api import Engine, Moment, Request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import QueryParams

    from kgraph.web.pages.links import Links

Data = dict[str, Any]
"""An object of an answer, as JSON has it."""

DOCUMENTS = Path(__file__).parent / "documents"
"""Where the documents lie that pages are made of."""


@cache
def load_document(name: str, folder: Path = DOCUMENTS) -> str:
    """The text of one document."""
    return (folder / f"{name}.graphql").read_text(encoding="utf-8")


class PageError(Exception):
    """A page that is not shown as asked for; each subclass is answered in its own way."""


class PageMissingError(PageError):
    """The address holds a name that the catalogue does not know."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind, self.name = kind, name
        super().__init__(f"{kind}: found no {name[:90]!r}")


class PageMovedError(PageError):
    """The page has another address."""

    def __init__(self, location: str) -> None:
        self.location = location
        super().__init__(f"moved to {location}")


class PageAmbiguousError(PageError):
    """The address holds a prefix that several objects share, or a name of several operations."""

    def __init__(
        self, name: str, message: str, candidates: tuple[str, ...], *, is_slug: bool = False
    ) -> None:
        self.name, self.message, self.candidates = name, message, candidates
        self.is_slug = is_slug
        super().__init__(message)


class PageRefusedError(PageError):
    """The API refuses what the address asks for, as a cursor of an earlier snapshot."""

    def __init__(self, message: str, *, is_ours: bool) -> None:
        self.message, self.is_ours = message, is_ours
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a page."""

    name: str
    """What its path names; empty where the path names nothing."""
    query: QueryParams
    links: Links
    moment: Moment
    engine: Engine
    documents: Path = DOCUMENTS
    """Where the documents lie that are asked by name."""

    def given(self, parameter: str) -> str | None:
        """A parameter of the query; None where it is left out or empty."""
        return self.query.get(parameter) or None

    async def ask(
        self, document: str, variables: Mapping[str, object], *, kind: str = "page"
    ) -> Data:
        """The data of an answer without errors.

        Args:
            kind: what the address names; said where it names nothing.

        Raises:
            PageMissingError: a name in the request is no name.
            PageAmbiguousError: a digest prefix or a slug fits several objects.
            PageRefusedError: anything else that the API refuses.
        """
        answer = await self.engine.answer(
            Request(load_document(document, self.documents), dict(variables)), self.moment
        )
        for error in answer.body.get("errors", ()):
            extensions, message = error.get("extensions", {}), str(error["message"])
            code = extensions.get("code")
            if code in {"AMBIGUOUS_DIGEST", "AMBIGUOUS_SLUG"}:
                candidates = tuple(extensions.get("candidates", ()))
                is_slug = code == "AMBIGUOUS_SLUG"
                raise PageAmbiguousError(self.name, message, candidates, is_slug=is_slug)
            if code == "BAD_USER_INPUT" and extensions.get("argument") in {"ref", "slug"}:
                raise PageMissingError(kind, self.name)
            raise PageRefusedError(message, is_ours=code in {"INTERNAL", "LIMIT_TIME"})
        data: Data = answer.body["data"]
        return data
