"""Relay global object identification: one id for everything that can be asked for again."""

from __future__ import annotations

from enum import StrEnum

import strawberry

from kgraph.api.describe import interface_type, plain
from kgraph.api.errors import BadArgumentError


class NodeType(StrEnum):
    """Types that have a global id; the value stands in the id."""

    SOURCE = "Source"
    FAMILY = "Family"
    OPERATION = "Operation"
    WORKLOAD = "Workload"
    IMPLEMENTATION = "Implementation"
    PROJECT = "Project"
    PROTOCOL = "Protocol"
    ENVIRONMENT = "Environment"
    COHORT = "Cohort"
    RUN = "Run"
    SERVING_RUN = "ServingRun"
    STORED_OBJECT = "StoredObject"


@interface_type
class Node:
    """Anything that `node` finds again by its global id."""

    id: strawberry.ID = plain("Global id; opaque, stable across snapshots.")


def encode_node_id(kind: NodeType, key: str) -> strawberry.ID:
    """The global id of the thing of that kind and key. A publication's id is its snapshot alone."""
    return strawberry.ID(f"{kind.value}:{key}")


def parse_node_id(argument: str, text: str) -> tuple[NodeType | None, str]:
    """Kind and key that a global id names; no kind where it is a publication's.

    Raises:
        BadArgumentError: the text is no global id.
    """
    if text.startswith("blake3:"):
        return None, text
    kind, separator, key = text.partition(":")
    if separator and key and kind in NodeType._value2member_map_:
        return NodeType(kind), key
    raise BadArgumentError(argument, f"found {text[:90]!r}, expected a global id")
