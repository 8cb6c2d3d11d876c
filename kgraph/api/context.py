"""What every resolver of one request shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from strawberry import Info as StrawberryInfo

from kgraph.api.limits import Limits
from kgraph.catalog import Catalog
from kgraph.digest import ObjectId

if TYPE_CHECKING:
    from kgraph.api.feed import Feed, Step
    from kgraph.api.loaders import Loaders
    from kgraph.api.worker import Worker


@dataclass(slots=True)
class Position:
    """How far a subscription has come: what its next message is of."""

    feed: Feed
    clock: Callable[[Catalog], datetime]
    """What "now" means to staleness and citations of a snapshot."""
    since: ObjectId | None = None
    """Snapshot that the client has seen, where its transport says so."""
    step: Step | None = None
    """Where the message comes from; None before the first."""
    is_last: bool = False
    """Whether no other message of the step follows."""

    def move(self, step: Step, *, is_last: bool) -> None:
        """Say what the message that is given next is of."""
        self.step, self.is_last = step, is_last

    @property
    def resume_from(self) -> ObjectId | None:
        """The snapshot to go on from after a broken connection, so that nothing is missed."""
        if self.step is None:
            return None
        return self.step.after.snapshot if self.is_last else self.step.before.snapshot


@dataclass(frozen=True, slots=True)
class Context:
    """One request: its snapshot, its moment and its loaders."""

    catalog: Catalog
    """Bound to one snapshot; the whole answer is of it."""
    loaders: Loaders
    worker: Worker
    now: datetime
    """What "now" means to staleness and citations; the same for the whole answer."""
    base_url: str
    """Where this API is reached, without a slash at the end; what permalinks start with."""
    limits: Limits = field(default_factory=Limits)
    """What the request may ask for."""
    cost: int = 0
    """Objects that the answer may hold."""
    live: Position | None = None
    """How far a subscription has come; None in a query."""


if TYPE_CHECKING:
    Info = StrawberryInfo[Context, None]
else:
    # At run time strawberry only looks for its own class.
    Info = StrawberryInfo

__all__ = ["Context", "Info", "Position"]
