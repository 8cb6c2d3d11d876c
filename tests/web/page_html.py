"""Reading pages in tests: whether the markup is sound, and what a reader sees."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

# Browsers show these apart; their texts do not run together.
_APART = {"td", "th", "dt", "dd", "li", "p", "h1", "h2", "caption", "summary", "br", "tr"}
_VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


@dataclass
class Reading:
    """One page, read."""

    faults: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """Address and text of each link."""
    tags: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    text: str = ""
    """What stands on the page, blanks made one."""

    def meta(self, name: str) -> str:
        """Content of a meta element, by its name or property."""
        found = [
            attributes["content"]
            for tag, attributes in self.tags
            if tag == "meta" and name in {attributes.get("name"), attributes.get("property")}
        ]
        assert len(found) == 1, (name, found)
        return found[0]

    def link(self, rel: str, kind: str | None = None) -> str:
        """Address of the one link element of a relation."""
        found = [
            attributes["href"]
            for tag, attributes in self.tags
            if tag == "link" and attributes["rel"] == rel and attributes.get("type") == kind
        ]
        assert len(found) == 1, (rel, found)
        return found[0]

    def address(self, text: str) -> str:
        """Address of the first link that says this."""
        return next(href for href, shown in self.links if shown == text)

    def has(self, *texts: str) -> None:
        """Fail unless all of the texts stand on the page."""
        missing = [text for text in texts if text not in self.text]
        assert not missing, missing


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.reading = Reading()
        self._open: list[str] = []
        self._shown: list[str] = []
        self._link: tuple[str, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.reading.faults.append(f"{tag}: an attribute twice: {names}")
        given = {name: value or "" for name, value in attrs}
        self.reading.tags.append((tag, given))
        if "id" in given:
            self.reading.ids.append(given["id"])
        if tag in _APART or given.get("class") == "sub":
            self._shown.append(" ")
        if tag == "a":
            self._link = (given.get("href", ""), len(self._shown))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.reading.faults.append(f"line {self.getpos()[0]}: </{tag}> closes nothing")
        if tag in _APART:
            self._shown.append(" ")
        if tag == "a" and self._link is not None:
            href, start = self._link
            self.reading.links.append((href, _plain("".join(self._shown[start:]))))
            self._link = None

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in {"script", "style"}:
            self._shown.append(data)

    def finish(self) -> Reading:
        self.close()
        reading = self.reading
        reading.faults += [f"<{tag}> is not closed" for tag in self._open]
        reading.faults += [
            f"id {one} twice" for one in set(reading.ids) if reading.ids.count(one) > 1
        ]
        known = set(reading.ids)
        for tag, attributes in reading.tags:
            for name in ("aria-labelledby", "for"):
                lost = set(attributes.get(name, "").split()) - known
                reading.faults += [f"{tag}: {name} names no {one}" for one in lost]
            if tag == "a" and not attributes.get("href"):
                reading.faults.append("a link without an address")
            if "style" in attributes or any(one.startswith("on") for one in attributes):
                reading.faults.append(f"{tag}: style or script in an attribute")
        reading.text = _plain("".join(self._shown))
        return reading


def read_page(text: str) -> Reading:
    """The page, read; what is unsound about its markup is listed in `faults`."""
    reader = _Reader()
    reader.feed(text)
    return reader.finish()


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
