"""The limits of a request."""

from __future__ import annotations

from kgraph.api.context import Info
from kgraph.api.types.limits import Limits


def resolve_limits(info: Info) -> Limits:
    """What the request may ask for, and what it asks for."""
    return Limits.from_fact(info.context.limits, info.context.cost)
