"""Images for where people look: badges and charts, each from a document of the public API."""

from kgraph.web.images.painter import Painter
from kgraph.web.images.routes import image_routes

__all__ = ["Painter", "image_routes"]
