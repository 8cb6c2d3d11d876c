"""TypeScript programs that ask every question through one of the generated clients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphql import (
    DirectiveNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    NameNode,
    OperationDefinitionNode,
    Visitor,
    parse,
    print_ast,
    visit,
)
from graphql.language import ArgumentNode, BooleanValueNode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from documents import Question

# A client that types nothing would take both, and an unused expectation does not compile.
_PROGRAM = """{imports}
import {{ check }} from './answers';
import {{ report }} from './server';

async function main(): Promise<void> {{
  const answers = {{
{answers}
  }};
  check(answers);
  // @ts-expect-error a field that was not asked for
  void answers.Catalog.catalog.nonsense;
  // @ts-expect-error a variable of another type
  void (() => {wrong});
  report(answers);
}}

main().catch((error: unknown) => {{
  console.error(error);
  process.exitCode = 1;
}});
"""


def write_preset_program(folder: Path, questions: Sequence[Question]) -> None:
    """`run_preset.ts`, for the client preset of GraphQL Code Generator."""
    names = ", ".join(f"{question.name}Document" for question in questions)
    _write(
        folder / "run_preset.ts",
        ["import { ask } from './ask_preset';", f"import {{ {names} }} from './preset/graphql';"],
        [f"{q.name}: await ask({q.name}Document, {q.literal})" for q in questions],
        "ask(FamilyPageDocument, { slug: 1 })",
    )


def write_tada_program(folder: Path, questions: Sequence[Question]) -> None:
    """`run_tada.ts`, for gql.tada, which reads documents where they stand."""
    documents = [f"const {q.name}Query = graphql(`\n{q.document}\n`);" for q in questions]
    _write(
        folder / "run_tada.ts",
        ["import { ask, graphql } from './ask_tada';", "", *documents],
        [f"{q.name}: await ask({q.name}Query, {q.literal})" for q in questions],
        "ask(FamilyPageQuery, { slug: 1 })",
    )


def write_relay_program(folder: Path, questions: Sequence[Question]) -> None:
    """`run_relay.ts`, and under `relay/` the documents as Relay's compiler wants them named."""
    imports = ["import { ask } from './ask_relay';"]
    for question in questions:
        query = f"{question.name}Query"
        module = f"'./relay/__generated__/{query}.graphql'"
        imports.append(f"import {query}Node, {{ type {query} }} from {module};")
        text = _name_for_relay(question)
        (folder / "relay" / f"{question.name}.ts").write_text(text, encoding="utf-8")
    _write(
        folder / "run_relay.ts",
        imports,
        [f"{q.name}: await ask<{q.name}Query>({q.name}QueryNode, {q.literal})" for q in questions],
        "ask<FamilyPageQuery>(FamilyPageQueryNode, { slug: 1 })",
    )


def _write(path: Path, imports: Sequence[str], answers: Sequence[str], wrong: str) -> None:
    text = _PROGRAM.format(
        imports="\n".join(imports),
        answers="\n".join(f"    {answer}," for answer in answers),
        wrong=wrong,
    )
    path.write_text(text, encoding="utf-8")


class _RelayNames(Visitor):
    """Names operations and fragments after their module, and reads fragments where they are spread.

    Relay hides the fields of a fragment from whoever spreads it, which suits components; a program
    that reads a whole answer asks for the opposite.
    """

    def __init__(self, module: str) -> None:
        super().__init__()
        self._module = module

    def enter_operation_definition(
        self, node: OperationDefinitionNode, *_: object
    ) -> OperationDefinitionNode:
        return replace(node, name=NameNode(value=f"{self._module}Query"))

    def enter_fragment_definition(
        self, node: FragmentDefinitionNode, *_: object
    ) -> FragmentDefinitionNode:
        return replace(node, name=NameNode(value=f"{self._module}_{node.name.value}"))

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> FragmentSpreadNode:
        mask = ArgumentNode(name=NameNode(value="mask"), value=BooleanValueNode(value=False))
        open_up = DirectiveNode(name=NameNode(value="relay"), arguments=(mask,))
        name = NameNode(value=f"{self._module}_{node.name.value}")
        return replace(node, name=name, directives=(*(node.directives or ()), open_up))


def _name_for_relay(question: Question) -> str:
    document = visit(parse(question.document), _RelayNames(question.name))
    literals = [
        f"export const part{place} = graphql`\n{print_ast(node)}\n`;"
        for place, node in enumerate(document.definitions)
    ]
    return "\n\n".join(["import { graphql } from 'relay-runtime';", *literals, ""])
