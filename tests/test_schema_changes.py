"""No change of the API breaks a client unless the changelog says so.

`golden/schema.graphql` is the schema of the last release. A release replaces it:
`pytest tests/test_schema_changes.py --release-schema`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graphql import build_schema
from graphql.utilities import find_breaking_changes

ROOT = Path(__file__).resolve().parents[1]
CURRENT = ROOT / "schema.graphql"
RELEASED = Path(__file__).parent / "golden" / "schema.graphql"
CHANGELOG = ROOT / "CHANGELOG.md"

_OLD = """
type Query { run(ref: String!, old: Int): Run kind: Kind }
type Run { title: String! rank: Int! }
enum Kind { ONE TWO }
input Where { title: String }
"""


def find_unnamed(released: str, current: str, changelog: str) -> list[str]:
    """Breaking changes whose coordinate, as `Run.title`, stands nowhere under "Unreleased"."""
    section = re.search(r"^## \[Unreleased\]$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    assert section is not None, "CHANGELOG.md has no section [Unreleased]"
    changes = find_breaking_changes(build_schema(released), build_schema(current))
    return [
        change.description
        for change in changes
        if f"`{name_of(change.description)}`" not in section[1]
    ]


def name_of(description: str) -> str:
    """The coordinate of the changed thing: the first word that is none of the sentence's own."""
    lead = r"(?:(?:A required )?(?:field|argument|directive|enum value|input field) )?"
    found = re.match(rf"{lead}(\S+)", description, re.IGNORECASE)
    assert found is not None
    return found[1]


def test_no_release_is_broken_without_a_word(request: pytest.FixtureRequest) -> None:
    current = CURRENT.read_text(encoding="utf-8")
    if request.config.getoption("--release-schema"):
        RELEASED.write_text(current, encoding="utf-8")
    released = RELEASED.read_text(encoding="utf-8")

    unnamed = find_unnamed(released, current, CHANGELOG.read_text(encoding="utf-8"))

    assert unnamed == [], "name these in CHANGELOG.md, or keep what clients use"


@pytest.mark.parametrize(
    ("was", "now", "name"),
    [
        ("title: String! rank", "rank", "Run.title"),
        ("rank: Int!", "rank: Int", "Run.rank"),
        ("rank: Int!", "rank: Float!", "Run.rank"),
        (", old: Int", "", "Query.run(old:)"),
        (", old: Int", ", old: Int!", "Query.run(old:)"),
        ("ref: String!,", "ref: String!, new: Int!,", "Query.run(new:)"),
        ("ONE TWO", "ONE", "Kind.TWO"),
        ("input Where { title: String }", "", "Where"),
        ("{ title: String }", "{ title: Int }", "Where.title"),
        ("{ title: String }", "{ title: String more: Int! }", "Where.more"),
    ],
)
def test_a_breaking_change_must_be_named(was: str, now: str, name: str) -> None:
    assert was in _OLD
    new = _OLD.replace(was, now)
    silent = "## [Unreleased]\n\n- Nothing.\n\n## [0.1.0]\n\n- `" + name + "`\n"

    assert len(find_unnamed(_OLD, new, silent)) == 1
    assert find_unnamed(_OLD, new, silent.replace("Nothing", f"`{name}` left")) == []


def test_additions_need_no_word() -> None:
    new = _OLD.replace("rank: Int!", "rank: Int! more: Int").replace("ONE TWO", "ONE TWO THREE")

    assert find_unnamed(_OLD, new, "## [Unreleased]\n") == []
