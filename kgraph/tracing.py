"""Spans: how long the parts of a request take, for whoever installed a tracer. Else nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tracer(Protocol):
    """What opens spans; OpenTelemetry's tracers are some."""

    def start_as_current_span(
        self, name: str, *, attributes: Mapping[str, str | bool | int | float] | None = None
    ) -> AbstractContextManager[object]:
        """A span that lasts as long as the context."""


_NOTHING = nullcontext()


class _Tracing:
    tracer: Tracer | None = None


def install_tracer(tracer: Tracer | None) -> None:
    """Open spans with `tracer` from now on in the whole process; None for no longer."""
    _Tracing.tracer = tracer


def is_tracing() -> bool:
    """Whether a tracer is installed."""
    return _Tracing.tracer is not None


def span(
    name: str, attributes: Mapping[str, str | bool | int | float] | None = None
) -> AbstractContextManager[object]:
    """A span around a part of the work, below the one that is open in this context."""
    tracer = _Tracing.tracer
    if tracer is None:
        return _NOTHING
    return tracer.start_as_current_span(name, attributes=attributes)
