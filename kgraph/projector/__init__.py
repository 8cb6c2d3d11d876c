"""Selections in, compiled projections out; knows graphql-core and nothing of what is projected."""

from kgraph.projector.executor import ProjectingExecutor
from kgraph.projector.field import Attribute, Description, Link, ObjectShape
from kgraph.projector.later import Later
from kgraph.projector.leaf import UnusualValueError
from kgraph.projector.memory import ProjectionMemory, Projections

__all__ = [
    "Attribute",
    "Description",
    "Later",
    "Link",
    "ObjectShape",
    "ProjectingExecutor",
    "ProjectionMemory",
    "Projections",
    "UnusualValueError",
]
