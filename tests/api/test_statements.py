"""A list of N costs a fixed number of SQL statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from asgi import NOW, Client

from kgraph.catalog import CatalogSource
from kgraph.policy import ranking_v1
from kgraph.web import WebOptions, build_app

if TYPE_CHECKING:
    from pathlib import Path

    from kgraph.log import Log
    from kgraph.store import ReadStore

LISTS = {
    "runs": """{ runs(first: %d) { nodes { digest title labels { name } measurements { value }
      standing { rank leader { digest } } cohort { key record { value } headroom { floorNs } }
      implementation { title operation { slug } } workload { label } 
      operation { slug family { name } }
      protocol { title } environment { title } source { name }
      attestations { totalCount }
      object { publication { at source { name } } references { digest object { name } } }
      manifest citation { text } artifacts { uri } } } }""",
    "operations": """{ operations(first: %d) { nodes { slug family { name }
      fastest { reported { run { implementation { title } } } deployable { rank }
        byLanguage { language } }
      sweeps { axis hardware { product }
        series { implementation { title } points { run { digest } } } }
      sources { slug lastObservedAt } object { objectId } } } }""",
    "workloads": """{ workloads(first: %d) { nodes { label challenges { reason } cohorts { key
      hardware { product } record { run { implementation { title } } }
      ranking(first: 5) { nodes { rank run { implementation { title } } } }
      history(first: 5) { nodes { at run { digest } previousRun { digest } } } } } } }""",
    "workloads of operations": """{ operations(first: %d) { nodes {
      workloads(first: 2) { totalCount nodes { label } } } } }""",
    "implementations of operations": """{ operations(first: %d) { nodes {
      implementations(first: 2) { totalCount nodes { title } } } } }""",
    "sorted and filtered lists of operations": """{ operations(first: %d) { nodes {
      workloads(first: 2, orderBy: [{ field: RUN_COUNT, direction: DESC }],
        where: { axes: [{ name: "tokens", gte: 1 }] }) { totalCount nodes { label } }
      implementations(first: 2, orderBy: [{ field: TITLE }]) { nodes { title } } } } }""",
    "sorted histories": """{ cohorts(first: %d) { nodes { history(first: 2, orderBy:
      [{ field: IMPROVEMENT_PERCENT }], where: { ordinal: { gt: 1 } }) {
      totalCount nodes { at } } } } }""",
    "operations of families": """{ families(first: %d) { nodes {
      operations(first: 2) { totalCount nodes { slug } } } } }""",
    "records": """{ records(first: %d) { nodes { cohort { key workload { label } }
      run { implementation { title } } } } }""",
    "standings": """{ implementations(first: %d) { nodes { project { counts { runs } }
      standing { contested { value } places(first: 2) { nodes { cohort { key } run { title } } } }
    } } }""",
    "strict rankings": """{ cohorts(first: %d) { nodes { strictRanking(first: 5) { nodes {
      run { title } againstPrevious { verdict } } } } } }""",
    "opportunities": """{ opportunities(first: %d) { nodes { run { title }
      cohort { hardware { product } workload { label } } } } }""",
    "challenges": """{ challenges(first: %d) { nodes { operation { slug } family { name }
      workload { label } } } }""",
    "coverage of one": """{ operation(slug: "liger-distill-cosine-loss") {
      coverage(first: %d) { nodes { workload { label } cells { cohort { protocol { title } }
        best { run { title } } } } } } }""",
    "record events": """{ recordHistory(first: %d) { nodes { cohort { key } run { digest }
      previousRun { title } } } }""",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_longer_list_costs_no_more_statements(
    catalogue: tuple[Log, ReadStore], tmp_path: Path, name: str
) -> None:
    log, store = catalogue
    spent = []
    lengths = (2, 10)
    for length in lengths:
        # Each in a source of its own, whose memory of facts is empty.
        source = CatalogSource(log, store, ranking_v1, folder=tmp_path, clock=lambda: NOW)
        app = build_app(source, options=WebOptions(answer_cache_bytes=0), clock=lambda: NOW)
        client = Client(app)
        before = source.current().statement_count
        client.data(LISTS[name] % length)
        spent.append(source.current().statement_count - before)

    # Questions of one relation may meet in one statement or two, as threads happen to finish; what
    # must not be is a statement for each item.
    assert spent[1] - spent[0] < (lengths[1] - lengths[0]) // 2
