"""Batch loaders: one for each relation, new for each request, one question for all keys at once.

A loader answers API types, so that resolvers need not know how they are made.
"""

from kgraph.api.loaders.loaders import Loaders

__all__ = ["Loaders"]
