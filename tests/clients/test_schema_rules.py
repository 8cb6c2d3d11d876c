from __future__ import annotations

import json
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

from documents import ROOT
from node import HERE, require_tools, run, tool

if TYPE_CHECKING:
    from pathlib import Path

# As eslint counts; a schema that outgrew an exception is warned of.
_ERROR = 2

_BROKEN = '''
"""The root."""
type Query {
  """A thing."""
  getThing: Thing
  """Things."""
  things(first: Int): ThingConnection!
}
"""Has an id."""
interface Node { """The id.""" id: ID! }
"""A thing."""
type Thing { digest: String! }
"""A page."""
type ThingConnection { edges: [ThingEdge!]! pageInfo: PageInfo! }
"""An item."""
type ThingEdge { cursor: String! node: Thing! }
"""A place."""
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! endCursor: String }
enum Lost { lower }
"""Has an id."""
type Other implements Node { id: ID! thing_id: ID! }
'''


def lint(schema: Path, folder: Path) -> Counter[str]:
    """How often each rule refuses a schema; warnings are no refusals."""
    require_tools()
    config = str(HERE / "eslint.config.mjs")
    command = [tool("eslint"), "--format", "json", "--config", config, schema.name]
    try:
        output = run(command, folder, {"KGRAPH_SCHEMA": str(schema)}).stdout
    except subprocess.CalledProcessError as error:
        output = error.stdout or error.stderr
    messages = json.loads(output)[0]["messages"]
    refusals = [message for message in messages if message["severity"] == _ERROR]
    return Counter(f"{message['ruleId']}: {message['message']}" for message in refusals)


def test_the_schema_keeps_the_rules() -> None:
    assert lint(ROOT / "schema.graphql", ROOT) == Counter()


def test_a_schema_that_breaks_the_rules_is_refused(tmp_path: Path) -> None:
    schema = tmp_path / "schema.graphql"
    schema.write_text(_BROKEN, encoding="utf-8")

    refused = {message.partition(":")[0] for message in lint(schema, tmp_path)}

    assert refused >= {
        "@graphql-eslint/naming-convention",
        "@graphql-eslint/no-unreachable-types",
        "@graphql-eslint/relay-arguments",
        "@graphql-eslint/relay-page-info",
        "@graphql-eslint/require-description",
        "kgraph/names-are-nodes",
    }
