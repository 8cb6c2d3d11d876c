"""The root of subscriptions: what is told as it happens."""

from __future__ import annotations

import strawberry

from kgraph.api.describe import object_type
from kgraph.api.resolvers import live as resolve


@object_type
class Subscription:
    """What newer snapshots bring, as they come; over graphql-transport-ws or server-sent events.

    Each message is of the snapshot that stands in `extensions.snapshot`. Give
    `extensions.resumeFrom` of the last one as `since` to go on after a broken connection; what was
    told of a snapshot that broke off midway is then told again.
    """

    record_broken = strawberry.subscription(
        resolver=resolve.follow_record_events,
        description=(
            "Changes of records, oldest first in each snapshot; corrections that give a record "
            "back are among them, ask by `cause`."
        ),
    )
    published = strawberry.subscription(
        resolver=resolve.follow_publications,
        description="Publications, in the order of the log.",
    )
