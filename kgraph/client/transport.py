"""How the generated clients send documents: httpx, one place for headers, pins and errors.

Source: GraphQL over HTTP. A server may answer 200 or 4xx to a refused document, so that the body
decides, and the status only where the body is none of GraphQL's.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_json

from kgraph import __version__
from kgraph.client.errors import (
    BAD_ANSWER,
    TIMEOUT,
    UNREACHABLE,
    KgraphClientError,
    read_errors,
)
from kgraph.client.generated.base_model import UNSET

try:
    import httpx as httpx  # noqa: PLC0414 - exported to the clients
except ImportError as error:
    message = "kgraph.client needs httpx: pip install 'kgraph[client]'"
    raise ImportError(message, name=error.name) from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SNAPSHOT_HEADER = "Kgraph-Snapshot"
"""Asks for an earlier snapshot."""

HEADERS = {
    "accept": "application/graphql-response+json, application/json;q=0.9",
    "content-type": "application/json",
    "user-agent": f"kgraph-client/{__version__}",
}
"""What every request says."""

_PATH = "/graphql"
# As much of an answer that is no JSON as helps to see what answered.
_SHOWN = 80


def address(url: str, as_of: date | None) -> str:
    """Where documents go.

    Args:
        url: of the server, with or without `/graphql`.
        as_of: the state that is asked for: an instant, or a day, which counts to its end. An
            instant without a zone is taken to be in UTC.
    """
    endpoint = url.rstrip("/")
    if not endpoint.endswith(_PATH):
        endpoint += _PATH
    if as_of is None:
        return endpoint
    if isinstance(as_of, datetime) and as_of.tzinfo is None:
        as_of = as_of.replace(tzinfo=UTC)
    return f"{endpoint}?{urlencode({'asOf': as_of.isoformat()})}"


@contextmanager
def reading(url: str) -> Iterator[None]:
    """Name what keeps an answer from coming or from being read.

    Raises:
        KgraphClientError: always in place of the errors of httpx and pydantic.
    """
    try:
        yield
    except httpx.TimeoutException as error:
        raise KgraphClientError(TIMEOUT, f"{url}: no answer in time") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        found = str(error) or type(error).__name__
        raise KgraphClientError(UNREACHABLE, f"{url}: {found}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise KgraphClientError(
            BAD_ANSWER,
            f"{url}: {error.title}.{where}: {first['msg']}; is the server of another version?",
        ) from error


def read_data(response: httpx.Response) -> dict[str, Any]:
    """The data of an answer.

    Raises:
        KgraphClientError: the answer holds errors, or is none of GraphQL's.
    """
    request_id = response.headers.get("x-request-id")
    try:
        body = from_json(response.content)
    except ValueError:
        body = None
    if isinstance(body, dict):
        refused = read_errors(
            body.get("errors"), status=response.status_code, request_id=request_id
        )
        if refused is not None:
            raise refused
        data = body.get("data")
        if isinstance(data, dict):
            return data
    raise KgraphClientError(
        BAD_ANSWER,
        f"{response.url}: found status {response.status_code} and "
        f"{response.text[:_SHOWN]!r}, expected an answer to a GraphQL document",
        status=response.status_code,
        request_id=request_id,
    )


def encode_request(
    query: str, operation_name: str | None, variables: Mapping[str, Any] | None
) -> bytes:
    """The body of a request; variables that are left out stay out."""
    given = {name: _plain(value) for name, value in (variables or {}).items() if value is not UNSET}
    return to_json({"query": query, "operationName": operation_name, "variables": given})


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a variable
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_unset=True)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


class BlockingTransport:
    """Sends documents and waits for each."""

    def __init__(self, url: str, http: httpx.Client, snapshot: str | None) -> None:
        self.url, self._http = url, http
        self._headers = HEADERS | ({SNAPSHOT_HEADER: snapshot} if snapshot else {})

    def execute(
        self,
        query: str,
        operation_name: str | None = None,
        variables: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The response to a document.

        Raises:
            KgraphClientError: none came.
        """
        content = encode_request(query, operation_name, variables)
        with reading(self.url):
            return self._http.post(
                self.url, content=content, headers={**self._headers, **(headers or {})}
            )

    def get_data(self, response: httpx.Response) -> dict[str, Any]:
        """The data of a response, as `read_data` has it."""
        return read_data(response)


class AwaitingTransport:
    """Sends documents without holding up the others."""

    def __init__(self, url: str, http: httpx.AsyncClient, snapshot: str | None) -> None:
        self.url, self._http = url, http
        self._headers = HEADERS | ({SNAPSHOT_HEADER: snapshot} if snapshot else {})

    async def execute(
        self,
        query: str,
        operation_name: str | None = None,
        variables: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """The response to a document.

        Raises:
            KgraphClientError: none came.
        """
        content = encode_request(query, operation_name, variables)
        with reading(self.url):
            return await self._http.post(
                self.url, content=content, headers={**self._headers, **(headers or {})}
            )

    def get_data(self, response: httpx.Response) -> dict[str, Any]:
        """The data of a response, as `read_data` has it."""
        return read_data(response)
