"""What `kgraph.client` raises, whatever went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

UNREACHABLE = "UNREACHABLE"
"""No answer came: nothing listens there, or the connection broke."""

TIMEOUT = "TIMEOUT"
"""No answer came in time."""

BAD_ANSWER = "BAD_ANSWER"
"""An answer came that no kgraph server of this client's version gives."""

NOT_FOUND = "NOT_FOUND"
"""The catalogue has nothing of that name."""

MISSING_EXTRA = "MISSING_EXTRA"
"""A library that the call needs is not installed."""


class KgraphClientError(KgraphError):
    """A question that was not answered.

    `code` is the server's `extensions.code` where the server refused, as `BAD_USER_INPUT` or
    `LIMIT_COST`; else one of `UNREACHABLE`, `TIMEOUT`, `BAD_ANSWER`, `NOT_FOUND` and
    `MISSING_EXTRA`.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: Sequence[str | int] = (),
        extensions: Mapping[str, Any] | None = None,
        status: int | None = None,
        request_id: str | None = None,
        others: Sequence[KgraphClientError] = (),
    ) -> None:
        self.code = code
        self.message = message
        self.path = tuple(path)
        """Where in the answer, as `("operation", "workloads")`; empty for the whole of it."""
        self.extensions = dict(extensions or {})
        """What else the server says of it, as the limit and what was asked."""
        self.status = status
        """HTTP status of the answer; None where none came."""
        self.request_id = request_id
        """Names the request in the server's log."""
        self.others = tuple(others)
        """Further errors of the same answer."""
        super().__init__(f"{code}: {message}")

    @property
    def argument(self) -> str | None:
        """The argument at fault; None where the fault is not in one."""
        return self.extensions.get("argument")


def read_errors(
    errors: object, *, status: int | None, request_id: str | None
) -> KgraphClientError | None:
    """The first of an answer's errors, the others attached; None where the value lists none."""
    if not isinstance(errors, list):
        return None
    found = [
        KgraphClientError(
            str(_member(item, "extensions").get("code", BAD_ANSWER)),
            str(item.get("message", "")),
            path=item.get("path") or (),
            extensions=_member(item, "extensions"),
            status=status,
            request_id=request_id,
        )
        for item in errors
        if isinstance(item, dict)
    ]
    if not found:
        return None
    found[0].others = tuple(found[1:])
    return found[0]


def _member(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = item.get(name)
    return value if isinstance(value, dict) else {}
