"""Addresses of pages, objects and queries, as other pages link to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

# Twelve digits tell apart more runs than any catalogue holds, and keep long tables short.
_SHORT_DIGITS = 12
_APART = re.compile(r"[^a-z0-9]+")


def hardware_slug(product: str) -> str:
    """A product's name as it stands in an address: `nvidia-a100`."""
    return _APART.sub("-", product.lower()).strip("-")


def safe_href(address: str | None) -> str | None:
    """The address where it leads to a web page; None for any other scheme, and for none."""
    if not address:
        return None
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        # Catalogues carry what their sources wrote; what cannot be read is no link.
        return None
    return address.strip() if parts.scheme in {"http", "https"} and parts.netloc else None


@dataclass(frozen=True, slots=True)
class Links:
    """Builds addresses below one base."""

    base_url: str
    """Where the application is reached, without a slash at the end."""
    pin: tuple[str, str] | None
    """The parameter by which the reader pinned a snapshot, and its value; links keep it."""
    playground: str | None
    """Path of the playground; None where it is not served."""

    def absolute(self, path: str) -> str:
        """The whole address of a path that one of these methods gave."""
        origin = urlsplit(self.base_url)
        return f"{origin.scheme}://{origin.netloc}{path}"

    def page(self, path: str, fragment: str = "", **parameters: str | int | None) -> str:
        """A page with its query; parameters that are None or empty are left out."""
        given = {name: value for name, value in parameters.items() if value not in {None, ""}}
        if self.pin is not None:
            given[self.pin[0]] = self.pin[1]
        query = f"?{urlencode(given, safe=':/')}" if given else ""
        return f"{urlsplit(self.base_url).path}{path}{query}" + (f"#{fragment}" if fragment else "")

    def file(self, path: str) -> str:
        """Something that is the same in every snapshot."""
        return f"{urlsplit(self.base_url).path}{path}"

    def operation(self, slug: str, fragment: str = "", **parameters: str | int | None) -> str:
        """An operation's page."""
        return self.page(f"/o/{quote(slug, safe=':')}", fragment, **parameters)

    def run(self, digest: str) -> str:
        """A run's page, by the first digits of its digest."""
        return self.page(f"/r/{digest.rpartition(':')[2][:_SHORT_DIGITS]}")

    def whole_run(self, digest: str) -> str:
        """A run's page, by its whole digest."""
        return self.page(f"/r/{digest}")

    def workload(self, digest: str) -> str:
        """A workload's page, by the first digits of its digest; it leads on to the whole."""
        return self.page(f"/w/{digest.rpartition(':')[2][:_SHORT_DIGITS]}")

    def whole_workload(
        self, digest: str, fragment: str = "", **parameters: str | int | None
    ) -> str:
        """A workload's page, by its whole digest."""
        return self.page(f"/w/{digest}", fragment, **parameters)

    def hardware(self, product: str, fragment: str = "", **parameters: str | int | None) -> str:
        """A product's page."""
        return self.page(f"/hardware/{hardware_slug(product)}", fragment, **parameters)

    def records(self, fragment: str = "", **parameters: str | int | None) -> str:
        """The records, narrowed by what is given."""
        return self.page("/records", fragment, **parameters)

    def search(self, text: str) -> str:
        """What the text leads to."""
        return self.page("/search", q=text)

    def badge(self, comparison: str) -> str:
        """The badge of a comparison."""
        return self.page(f"/badge/{comparison}.svg")

    def operation_badge(self, slug: str) -> str:
        """The badge of an operation's fastest run."""
        return self.page(f"/badge/o/{quote(slug, safe='')}.svg")

    def chart(self, kind: str, name: str, suffix: str, **parameters: str | int | None) -> str:
        """A chart of a comparison or an operation.

        Args:
            kind: `history`, `ranking` or `scaling`.
            suffix: `svg`, `png` or `vl.json`.
        """
        return self.page(f"/chart/{kind}/{quote(name, safe=':')}.{suffix}", "", **parameters)

    def manifest(self, name: str) -> str:
        """A stored object, by any of its names."""
        return self.file(f"/objects/{name}")

    def ask(self, document: str, variables: Mapping[str, object]) -> str | None:
        """The playground with a query; None where there is no playground."""
        if self.playground is None:
            return None
        given = orjson.dumps(dict(variables)).decode()
        return f"{self.file(self.playground)}?{urlencode({'query': document, 'variables': given})}"
