"""The application as its clients see it, without a network."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.applications import Starlette

NOW = datetime(2026, 9, 1, tzinfo=UTC)
"""The time at which tests ask; that of the shared catalogue fixture."""

BASE_URL = "http://kgraph.test"


class Client:
    """Sends requests to an application and waits for each."""

    def __init__(self, app: Starlette, *, raises: bool = True) -> None:
        """A client of `app`.

        Args:
            raises: Whether a fault of the application is a fault of the test.
        """
        self._app, self._raises = app, raises

    def send(self, method: str, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own
        """The response to one HTTP request."""

        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=self._raises)
            async with httpx.AsyncClient(transport=transport, base_url=BASE_URL) as client:
                return await client.request(method, path, **options)

        return asyncio.run(once())

    def ask(
        self,
        document: str,
        variables: Mapping[str, Any] | None = None,
        operation: str | None = None,
    ) -> dict[str, Any]:
        """The whole answer to a document, sent as clients send it."""
        body = {"query": document, "variables": dict(variables or {}), "operationName": operation}
        answer: dict[str, Any] = self.send("POST", "/graphql", json=body).json()
        return answer

    def data(self, document: str, variables: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 - as the document asks
        """The data of an answer without errors."""
        answer = self.ask(document, variables)
        assert "errors" not in answer, json.dumps(answer["errors"], indent=1)
        return answer["data"]

    def error(self, document: str, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The one error of an answer."""
        errors = self.ask(document, variables)["errors"]
        assert len(errors) == 1, errors
        error: dict[str, Any] = errors[0]
        return error
