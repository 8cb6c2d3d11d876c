"""Which media type and which content coding a client takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

GRAPHQL_RESPONSE = "application/graphql-response+json"
"""The media type of GraphQL over HTTP: the status says whether the request was sound."""

JSON = "application/json"
"""The older media type: sound JSON requests are answered 200, whatever the document."""

EVENT_STREAM = "text/event-stream"
"""The media type of server-sent events."""

CODINGS = ("zstd", "gzip")
"""Content codings that are served, the better one first."""

# Order of preference where a client takes both alike. `*/*` means a client that did not think about
# it, and gets what every client reads.
_SERVED = (JSON, GRAPHQL_RESPONSE)


def choose_media_type(accept: str | None) -> str | None:
    """The media type to answer with; None where the client takes neither.

    Args:
        accept: value of the Accept header; None or empty means anything.
    """
    return choose_among(accept, _SERVED)


def choose_among(accept: str | None, served_types: Sequence[str]) -> str | None:
    """The media type of several that a client takes most; None where it takes none.

    Args:
        served_types: the one for whoever takes all alike first.
    """
    if accept is None or not accept.strip():
        return served_types[0]
    ranges = [_parse_range(part) for part in accept.split(",") if part.strip()]
    best: tuple[float, int, int] | None = None
    chosen: str | None = None
    for place, served in enumerate(served_types):
        matching = [
            (specificity, weight) for name, weight in ranges if (specificity := _fit(name, served))
        ]
        if not matching:
            continue
        # The most specific range that fits a type decides its weight, also where it forbids it.
        specificity, weight = max(matching)
        rank = (weight, specificity, -place)
        if weight > 0 and (best is None or rank > best):
            best, chosen = rank, served
    return chosen


def takes_event_stream(accept: str | None) -> bool:
    """Whether the client names server-sent events as something that it takes."""
    return any(
        name == EVENT_STREAM and weight > 0
        for name, weight in map(_parse_range, (accept or "").split(","))
    )


def choose_coding(accept_encoding: str) -> str | None:
    """The content coding to answer with; None for the plain bytes.

    Args:
        accept_encoding: value of the Accept-Encoding header; empty means that none is wanted.
    """
    weights = dict(map(_parse_range, accept_encoding.split(",")))
    anything = weights.get("*", 0.0)
    plain = weights.get("identity", 0.0)
    chosen, best = None, 0.0
    for coding in CODINGS:
        weight = weights.get(coding, anything)
        if weight > best:
            chosen, best = coding, weight
    # Plain bytes need not be named; they are preferred where they are, above every coding.
    return None if plain > best else chosen


def is_json(content_type: str) -> bool:
    """Whether a request body of this Content-Type is JSON in UTF-8."""
    name, _, parameters = content_type.partition(";")
    charset = ""
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            charset = value.strip().strip('"').lower()
    return name.strip().lower() == JSON and charset in {"", "utf-8", "utf8"}


def takes_html(accept: str | None) -> bool:
    """Whether the client is a browser that opens a page."""
    return accept is not None and "text/html" in accept.lower()


def _fit(name: str, served: str) -> int:
    """How exactly a range names a type: 3 by name, 2 by group, 1 for anything, 0 not at all."""
    if name == served:
        return 3
    if name == f"{served.partition('/')[0]}/*":
        return 2
    return 1 if name == "*/*" else 0


def _parse_range(part: str) -> tuple[str, float]:
    name, *parameters = part.split(";")
    weight = 1.0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                weight = min(max(float(value), 0.0), 1.0)
            except ValueError:
                # A weight that cannot be read is no wish for the type.
                weight = 0.0
    return name.strip().lower(), weight
