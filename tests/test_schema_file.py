from __future__ import annotations

from pathlib import Path

from kgraph.api import build_schema, print_schema

SCHEMA_FILE = Path(__file__).resolve().parents[1] / "schema.graphql"


def test_the_schema_file_is_what_the_schema_prints() -> None:
    printed = print_schema(build_schema())

    assert SCHEMA_FILE.read_text(encoding="utf-8") == printed, "run `kgraph schema graphql`"
