"""A GraphQL request out of an HTTP request, or the reason why it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from kgraph.api import Request
from kgraph.web.negotiate import is_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request as HttpRequest


class BadHttpError(Exception):
    """An HTTP request that carries no GraphQL request."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.status, self.code, self.message = status, code, message
        self.headers = dict(headers or {})
        super().__init__(message)


async def read_request(http: HttpRequest, *, max_bytes: int) -> Request:
    """The GraphQL request of a GET or POST.

    Raises:
        BadHttpError: the body is no JSON object, too long or of another type; a parameter is
            missing or of another type.
    """
    if http.method == "POST":
        return _make_request(await _read_body(http, max_bytes))
    given: dict[str, object] = dict(http.query_params)
    for name in ("variables", "extensions"):
        text = given.get(name)
        if isinstance(text, str):
            given[name] = _parse_json(text.encode("utf-8", "replace"), name) if text else None
    if not given.get("operationName"):
        given["operationName"] = None
    return _make_request(given)


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


def _make_request(given: Mapping[str, object]) -> Request:
    document = given.get("query")
    name = given.get("operationName")
    variables = given.get("variables")
    extensions = given.get("extensions")
    if not isinstance(document, str) or not document.strip():
        raise BadHttpError(
            400, "BAD_REQUEST", f"query: found {_name(document)}, expected a document"
        )
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
    return Request(document, variables or {}, name)


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
