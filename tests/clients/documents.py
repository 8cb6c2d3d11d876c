"""The documents that every client must take, and what to send with them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphql import OperationDefinitionNode, parse, print_ast
from graphql.utilities import separate_operations

ROOT = Path(__file__).resolve().parents[2]

_SLUG = "liger-distill-cosine-loss"
_REQUEST = {
    "operation": _SLUG,
    "axes": [
        {"name": "tokens", "value": 4096},
        {"name": "hidden", "value": 4096},
        {"name": "vocab", "value": 128256},
    ],
    "dtypes": ["bf16"],
    "hardware": "NVIDIA A100",
    "deployable": False,
}


@dataclass(frozen=True, slots=True)
class Question:
    """One operation with the fragments it uses, and variables for it."""

    name: str
    document: str
    variables: dict[str, Any]

    @property
    def literal(self) -> str:
        """The variables as JavaScript writes them."""
        return json.dumps(self.variables)


def find_documents() -> Path:
    """The folder of the acceptance documents; of our own examples where those are not at hand."""
    shared = ROOT.parent / "shared" / "acceptance"
    return shared if shared.is_dir() else ROOT / "frontend" / "examples"


def load_questions(run: str) -> list[Question]:
    """Every operation of every document.

    Args:
        run: a name of a run that is in the catalogue.
    """
    variables: dict[str, dict[str, Any]] = {
        "Catalog": {},
        "Object": {"ref": run},
        "FamilyPage": {"slug": _SLUG},
        "RunPage": {"ref": run},
        "Records": {"where": {"hardware": {"eq": "NVIDIA A100"}}, "first": 5},
        "History": {"where": {"operation": {"in": [_SLUG]}}, "first": 5},
        "Headroom": {"slug": _SLUG, "first": 2},
        "Resolve": {"input": _REQUEST},
    }
    found = []
    for path in sorted(find_documents().glob("*.graphql")):
        for name, document in separate_operations(parse(path.read_text(encoding="utf-8"))).items():
            # The operation leads: a reader of types takes the first definition for the document.
            nodes = sorted(
                document.definitions,
                key=lambda node: not isinstance(node, OperationDefinitionNode),
            )
            text = "\n\n".join(print_ast(node) for node in nodes)
            found.append(Question(name, text, variables[name]))
    return found
