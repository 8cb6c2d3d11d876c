from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from graphql import (
    FragmentDefinitionNode,
    OperationDefinitionNode,
    build_schema,
    parse,
    print_ast,
    validate,
)

from kgraph.client.generated import awaiting, blocking

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "schema.graphql"
DOCUMENTS = ROOT / "kgraph" / "client" / "documents"


def embedded(module: object) -> list[str]:
    """The documents that a generated client sends."""
    source = Path(inspect.getfile(module)).read_text(encoding="utf-8")  # type: ignore[arg-type] # a module
    return re.findall(r'gql\("""(.*?)"""\)', source, flags=re.DOTALL)


@pytest.mark.parametrize("module", [blocking, awaiting])
def test_every_document_that_is_sent_fits_the_schema(module: object) -> None:
    schema = build_schema(SCHEMA.read_text(encoding="utf-8"))

    found = [error.message for text in embedded(module) for error in validate(schema, parse(text))]

    assert len(embedded(module)) >= 9
    assert found == []


@pytest.mark.parametrize("module", [blocking, awaiting])
def test_what_is_sent_is_what_the_documents_say(module: object) -> None:
    written = parse("\n".join(path.read_text() for path in sorted(DOCUMENTS.glob("*.graphql"))))
    sent = [definition for text in embedded(module) for definition in parse(text).definitions]

    def texts(definitions: list[object]) -> set[str]:
        kept = OperationDefinitionNode | FragmentDefinitionNode
        return {print_ast(node) for node in definitions if isinstance(node, kept)}

    assert texts(list(sent)) == texts(list(written.definitions)), (
        "run tests/clients/generate_client.py"
    )
