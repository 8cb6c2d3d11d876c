"""The pages that people read: HTML made on the server, each from one document of the public API."""

from kgraph.web.pages.routes import page_routes

__all__ = ["page_routes"]
