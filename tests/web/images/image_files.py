"""Reading images in tests: what an SVG says, and how large a PNG is."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from asgi import Client
from page_catalogs import hostile, make_app, starter_source

if TYPE_CHECKING:
    import httpx

SVG = "{http://www.w3.org/2000/svg}"
PNG_BEGIN = b"\x89PNG\r\n\x1a\n"


@cache
def starter_images() -> Client:
    """A client of an application over the starter catalogue, with a painter of its own."""
    return Client(make_app(starter_source()))


def get(path: str, **options: object) -> httpx.Response:
    """What the application over the starter catalogue answers."""
    return starter_images().send("GET", path, **options)


def get_hostile(path: str, **options: object) -> httpx.Response:
    """What the application over the catalogue of hard cases answers."""
    return hostile().client.send("GET", path, **options)


@dataclass(frozen=True)
class Drawing:
    """One SVG, read."""

    root: ET.Element
    text: str

    @property
    def title(self) -> str:
        return self._named("title")

    @property
    def description(self) -> str:
        return self._named("desc")

    @property
    def shown(self) -> list[str]:
        """Each text, as it is drawn."""
        return ["".join(one.itertext()) for one in self.root.iter(f"{SVG}text")]

    @property
    def ids(self) -> list[str]:
        return [one.attrib["id"] for one in self.root.iter() if "id" in one.attrib]

    @property
    def size(self) -> tuple[float, float]:
        return float(self.root.attrib["width"]), float(self.root.attrib["height"])

    def _named(self, tag: str) -> str:
        """Text of the title or description that names the drawing."""
        names = self.root.attrib["aria-labelledby"].split()
        found = [one for one in self.root if one.tag == f"{SVG}{tag}" and one.get("id") in names]
        assert len(found) == 1
        return found[0].text or ""


def read_svg(text: str) -> Drawing:
    """The SVG, which must be sound and ask for nothing beyond itself."""
    root = ET.fromstring(text)  # noqa: S314 - our own drawing, and its soundness is what is tested
    assert root.tag == f"{SVG}svg"
    assert root.attrib["role"] == "img"
    for one in root.iter():
        assert one.tag not in {f"{SVG}{tag}" for tag in ("script", "image", "style", "a", "use")}
        for name, value in one.attrib.items():
            assert not name.startswith("on"), name
            assert not name.endswith("href"), name
            assert "url(" not in value or re.fullmatch(r"url\(#[\w-]+\)", value), value
    return Drawing(root, text)


def read_png_size(content: bytes) -> tuple[int, int]:
    """Width and height in pixels."""
    assert content.startswith(PNG_BEGIN)
    width, height = struct.unpack(">II", content[16:24])
    return width, height
