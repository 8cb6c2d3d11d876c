"""The web application: GraphQL over HTTP, stored objects, health, and the playground."""

from kgraph.web.app import WebOptions, build_app

__all__ = ["WebOptions", "build_app"]
