"""A GraphQL request out of what a client sent, or the reason why it is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from kgraph.api import Request
from kgraph.web.documents import hash_document
from kgraph.web.negotiate import is_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request as HttpRequest

    from kgraph.web.documents import Documents

_DOCUMENT_ID = re.compile(r"(?:sha256:[0-9a-f]{64}|[A-Za-z0-9._~-]{1,200})")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_APQ_VERSION = 1

# Levels of JSON; a filter of 30 nested `and` has as many.
_MAX_NESTING = 64


class BadHttpError(Exception):
    """An HTTP request that carries no GraphQL request."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})
        super().__init__(message)


class DocumentRefusedError(BadHttpError):
    """A sound request for a document that is not known or not taken here.

    Its status is that of a refused GraphQL request, which the media type decides.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(400, code, message)


@dataclass(frozen=True, slots=True)
class Given:
    """What a client sent; the document is written out, named, or both."""

    document: str | None
    document_id: str | None
    """Without `sha256:`."""
    registers: bool
    """Whether the client asks that the document be kept, as automatic persisted queries do."""
    variables: Mapping[str, Any]
    operation_name: str | None


def find_document(given: Given, documents: Documents) -> Request:
    """The request with its document.

    Raises:
        DocumentRefusedError: the document is not known, not trusted, or not the one of its id.
    """
    text, name = given.document, given.document_id
    if text is None:
        text = documents.find(name or "")
        if text is None:
            raise _refuse_unknown(name or "", is_automatic=given.registers, documents=documents)
    elif name is not None and _SHA256.fullmatch(name) and name != hash_document(text):
        raise DocumentRefusedError(
            "PERSISTED_DOCUMENT_MISMATCH",
            f"query: found a document of another SHA-256 than {name}; send the one or the other",
        )
    elif not documents.is_taken(text):
        raise DocumentRefusedError(
            "DOCUMENT_NOT_TRUSTED",
            "query: found a document of your own, expected a trusted one; this server takes no "
            "others",
        )
    return Request(text, given.variables, given.operation_name)


def _refuse_unknown(name: str, *, is_automatic: bool, documents: Documents) -> DocumentRefusedError:
    if not is_automatic:
        return DocumentRefusedError(
            "PERSISTED_DOCUMENT_NOT_FOUND",
            f"documentId: found {name!r}, expected the id of a document that is kept here",
        )
    # Clients look for these two texts; the first makes them send the document, the second makes
    # them stop naming it.
    if documents.is_closed:
        return DocumentRefusedError("PERSISTED_QUERY_NOT_SUPPORTED", "PersistedQueryNotSupported")
    return DocumentRefusedError("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")


async def read_given(http: HttpRequest, *, max_bytes: int) -> Given:
    """What a GET or POST asks.

    Raises:
        BadHttpError: the body is no JSON object, too long or of another type; a parameter is
            missing or of another type.
    """
    if http.method == "POST":
        return make_given(await _read_body(http, max_bytes))
    given: dict[str, object] = dict(http.query_params)
    for name in ("variables", "extensions"):
        text = given.get(name)
        if isinstance(text, str):
            given[name] = _parse_json(text.encode("utf-8", "replace"), name) if text else None
    if not given.get("operationName"):
        given["operationName"] = None
    return make_given(given)


async def _read_body(http: HttpRequest, max_bytes: int) -> dict[str, object]:
    content_type = http.headers.get("content-type", "")
    if not is_json(content_type):
        found = content_type[:80] or "none"
        raise BadHttpError(
            415,
            "UNSUPPORTED_MEDIA_TYPE",
            f"content-type: found {found}, expected application/json in UTF-8",
            {"accept": "application/json"},
        )
    body = bytearray()
    async for chunk in http.stream():
        body += chunk
        if len(body) > max_bytes:
            raise BadHttpError(
                413,
                "LIMIT_BODY_BYTES",
                f"body: found more than {max_bytes} bytes, the limit; send smaller requests",
            )
    parsed = _parse_json(bytes(body), "body")
    if isinstance(parsed, list):
        raise BadHttpError(
            400, "BATCHING_OFF", "body: found a list, expected one request; batching is off"
        )
    if not isinstance(parsed, dict):
        raise BadHttpError(400, "BAD_REQUEST", f"body: found {_name(parsed)}, expected an object")
    return parsed


def _parse_json(text: bytes, where: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        shown = str(error).partition(":")[0]
        raise BadHttpError(400, "BAD_REQUEST", f"{where}: found no JSON ({shown})") from error


def make_given(given: Mapping[str, object]) -> Given:
    """What the parameters of a request ask.

    Raises:
        BadHttpError: one is missing or of another type.
    """
    document = given.get("query")
    document_id = given.get("documentId")
    name = given.get("operationName")
    variables = given.get("variables")
    extensions = given.get("extensions")
    if name is not None and not isinstance(name, str):
        raise BadHttpError(400, "BAD_REQUEST", f"operationName: found {_name(name)}, expected text")
    if variables is not None and not isinstance(variables, dict):
        raise BadHttpError(
            400, "BAD_REQUEST", f"variables: found {_name(variables)}, expected an object"
        )
    if extensions is not None and not isinstance(extensions, dict):
        raise BadHttpError(
            400, "BAD_REQUEST", f"extensions: found {_name(extensions)}, expected an object"
        )
    _check_nesting(variables or {})
    automatic = _read_automatic(extensions or {})
    if document_id is not None and (
        not isinstance(document_id, str) or not _DOCUMENT_ID.fullmatch(document_id)
    ):
        shown = repr(document_id[:90]) if isinstance(document_id, str) else _name(document_id)
        raise BadHttpError(
            400, "BAD_REQUEST", f"documentId: found {shown}, expected sha256: and 64 hex digits"
        )
    is_named = document_id is not None or automatic is not None
    if not (document is None and is_named) and (
        not isinstance(document, str) or not document.strip()
    ):
        raise BadHttpError(
            400, "BAD_REQUEST", f"query: found {_name(document)}, expected a document"
        )
    return Given(
        document,
        automatic if document_id is None else document_id.removeprefix("sha256:"),
        automatic is not None,
        variables or {},
        name,
    )


def _check_nesting(variables: Mapping[str, object]) -> None:
    """Refuse variables that no argument could take; reading and comparing them would recurse.

    Raises:
        BadHttpError: they are nested too deeply.
    """
    level: list[object] = [variables]
    for _ in range(_MAX_NESTING):
        level = [
            item
            for value in level
            if isinstance(value, dict | list)
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise BadHttpError(
        400,
        "LIMIT_VARIABLES_DEPTH",
        f"variables: found more than {_MAX_NESTING} levels, the limit; send flatter values",
    )


def _read_automatic(extensions: Mapping[str, object]) -> str | None:
    """The hash of an automatic persisted query; None where the request is none."""
    asked = extensions.get("persistedQuery")
    if asked is None:
        return None
    name = asked.get("sha256Hash") if isinstance(asked, dict) else None
    if not isinstance(asked, dict) or asked.get("version") != _APQ_VERSION:
        raise BadHttpError(
            400, "BAD_REQUEST", "extensions.persistedQuery: expected version 1 and sha256Hash"
        )
    if not isinstance(name, str) or not _SHA256.fullmatch(name):
        raise BadHttpError(
            400, "BAD_REQUEST", "extensions.persistedQuery.sha256Hash: expected 64 hex digits"
        )
    return name


def _name(value: object) -> str:
    """What kind of JSON value it is."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "a truth value"
        case str():
            return "text" if value.strip() else "empty text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case _:
            return "an object"
