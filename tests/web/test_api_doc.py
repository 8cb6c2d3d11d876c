"""What docs/api.md says is true: its documents, codes, limits and metrics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graphql import parse, validate

from kgraph.api import Engine, Limits, Request, build_schema
from kgraph.api.schema import core_of
from kgraph.settings import VARIABLES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
SOURCES = {
    path: path.read_text(encoding="utf-8")
    for room in ("api", "web")
    for path in (ROOT / "kgraph" / room).rglob("*.py")
}
DOCUMENTS = re.findall(r"^```graphql\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)

# Met by whoever starts a server, not by its clients.
_OF_OPERATORS = {
    "PLAYGROUND_MISSING",
    "WIDGETS_MISSING",
    "TRACING_MISSING",
    "BAD_DOCUMENT",
    "LIMIT_EXCEEDED",
}


def codes_in_sources() -> set[str]:
    """Every code that the two rooms may give a client."""
    found: set[str] = set()
    for text in SOURCES.values():
        found.update(re.findall(r'\bcode = "([A-Z_]+)"', text))
        found.update(re.findall(r'(?<!Limit)Error\(\s*(?:\d{3},\s*)?"([A-Z]+(?:_[A-Z]+)+)"', text))
        found.update(re.findall(r'"code": "([A-Z_]+)"', text))
        found.update(f"LIMIT_{name}" for name in re.findall(r'LimitError\(\s*"([A-Z_]+)"', text))
    settings = {variable.name for variable in VARIABLES}
    return {code for code in found if "_" in code} - _OF_OPERATORS - settings


def test_every_code_is_told() -> None:
    told = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", TEXT))

    assert len(codes_in_sources()) > 20
    assert codes_in_sources() - told == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_document_fits_the_schema(document: str) -> None:
    assert validate(core_of(build_schema()), parse(document)) == []


def test_the_limits_are_those_that_hold() -> None:
    limits = Limits()
    told = dict(re.findall(r"^\| `LIMIT_([A-Z_]+)` \|[^|]*\| (\d+) \|", TEXT, re.MULTILINE))

    for name in ("cost", "depth", "aliases", "repeats", "overlaps", "tokens"):
        assert int(told[name.upper()]) == getattr(limits, name)
    assert int(told["DOCUMENT_BYTES"]) == limits.document_bytes
    assert int(told["VARIABLES_BYTES"]) == limits.variables_bytes
    assert int(told["TIME"]) == limits.seconds


def test_every_setting_that_is_named_exists() -> None:
    named = set(re.findall(r"KGRAPH_[A-Z0-9_]+", TEXT))

    assert named <= {variable.name for variable in VARIABLES}


def test_every_metric_is_told() -> None:
    metrics = next(text for path, text in SOURCES.items() if path.name == "metrics.py")
    names = set(re.findall(r'"(kgraph_[a-z_]+)"', metrics))
    told = {name.removesuffix("_total") for name in re.findall(r"`(kgraph_[a-z_]+)`", TEXT)}

    assert names == told


def test_defer_is_no_directive_here() -> None:
    engine = Engine(build_schema())

    assert engine.identify(Request("{ catalog { snapshot ... @defer { publishedAt } } }")) is None


def test_every_link_to_a_file_leads_to_one() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", TEXT) if "://" not in link]

    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []
