"""The notebook: kept without outputs, run against a server, its charts looked into."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from example_pages import ROOT
from nbclient import NotebookClient

from kgraph.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH = ROOT / "examples" / "notebook" / "kgraph.ipynb"
CHARTS = ("ranking_chart", "history_chart", "scaling_chart", "headroom_chart")

_PROBE = f"""\
import json
print(json.dumps({{name: globals()[name].to_dict() for name in {CHARTS!r}}}, default=str))
"""


def read_notebook() -> Any:  # noqa: ANN401 - a notebook has no type
    return nbformat.read(PATH, as_version=4)  # type: ignore[no-untyped-call] # half typed


@pytest.fixture(scope="module")
def executed(server: str) -> Any:  # noqa: ANN401 - a notebook has no type
    """The notebook as it stands after a run, with one cell more that writes out the charts."""
    notebook = read_notebook()
    probe = nbformat.v4.new_code_cell(_PROBE)  # type: ignore[no-untyped-call] # half typed
    notebook.cells.append(probe)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGRAPH_SERVER", server)
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


@pytest.fixture(scope="module")
def charts(executed: Any) -> dict[str, Any]:  # noqa: ANN401 - a notebook has no type
    (output,) = executed.cells[-1].outputs
    found: dict[str, Any] = json.loads(output.text)
    return found


@pytest.fixture(scope="module")
def kgraph(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


def rows_of(chart: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The rows of the data set that has a field."""
    (rows,) = [rows for rows in chart["datasets"].values() if field in rows[0]]
    found: list[dict[str, Any]] = rows
    return found


def test_the_file_holds_no_outputs_and_nothing_of_who_ran_it() -> None:
    notebook = read_notebook()
    nbformat.validate(notebook)

    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        assert cell.metadata == {}
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


def test_it_asks_through_the_client_alone() -> None:
    notebook = read_notebook()
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    modules = {
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(ast.parse(code))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }

    assert modules == {"altair", "kgraph.client", "os", "pandas"}


def test_it_runs_and_draws_every_chart_here(executed: Any) -> None:  # noqa: ANN401 - a notebook has no type
    outputs = [output for cell in executed.cells for output in cell.get("outputs", [])]

    assert {output.output_type for output in outputs} <= {"stream", "execute_result"}
    assert [output.name for output in outputs if output.output_type == "stream"] == ["stdout"] * 3
    pictures = [
        output.data["image/svg+xml"]
        for output in outputs
        if "image/svg+xml" in output.get("data", {})
    ]
    assert len(pictures) == len(CHARTS)
    for picture in pictures:
        assert picture.startswith("<svg")
        assert "http://" not in picture.replace("http://www.w3.org/", "")
        assert "https://" not in picture


def test_the_ranking_has_the_runs_of_one_cohort(charts: dict[str, Any], kgraph: Client) -> None:
    rows = rows_of(charts["ranking_chart"], "ratio_to_leader")
    label = charts["ranking_chart"]["title"]
    page = kgraph.operation("liger-megatron-swiglu")
    assert page is not None
    (key,) = [
        cohort.key
        for workload in page.workloads.nodes
        for cohort in workload.cohorts
        if workload.label == label and cohort.protocol.title.endswith("· forward pass")
    ]

    assert [(row["run.digest"], row["value"]) for row in rows] == [
        (each.run.digest, each.value) for each in kgraph.ranking(key)
    ]


def test_the_steps_are_those_of_the_record_and_the_last_one_stands(
    charts: dict[str, Any], kgraph: Client
) -> None:
    rows = rows_of(charts["history_chart"], "ordinal")
    events = list(kgraph.record_history(cohort=rows[0]["cohort.key"]))

    assert charts["history_chart"]["layer"][0]["mark"]["interpolate"] == "step-after"
    assert [row["value"] for row in rows[:-1]] == [
        event.value for event in sorted(events, key=lambda event: event.ordinal)
    ]
    assert (rows[-1]["value"], rows[-1]["label"]) == (rows[-2]["value"], "")


def test_the_scaling_has_every_point_and_a_floor_below_it(
    charts: dict[str, Any], kgraph: Client
) -> None:
    points = rows_of(charts["scaling_chart"], "implementation")
    floor = {
        row["axis_value"]: row["floor_ns"] for row in rows_of(charts["scaling_chart"], "floor_ns")
    }
    sweep = [
        row
        for row in kgraph.sweep("liger-megatron-swiglu", "ffn")
        if row.protocol.endswith("· forward pass")
    ]

    assert [(row["run"], row["axis_value"], row["value"]) for row in points] == [
        (row.run, row.axis_value, row.value) for row in sweep
    ]
    assert floor.keys() == {row.axis_value for row in sweep}
    assert all(row["value"] > floor[row["axis_value"]] for row in points)
    encodings = [layer["encoding"] for layer in charts["scaling_chart"]["layer"]]
    assert {encoding["x"]["scale"]["type"] for encoding in encodings} == {"log"}
    assert encodings[0]["y"]["scale"]["type"] == "log"


def test_the_headroom_has_every_record_of_the_device(
    charts: dict[str, Any], kgraph: Client
) -> None:
    rows = rows_of(charts["headroom_chart"], "record_to_floor")
    records = kgraph.records(operation="liger-megatron-swiglu", hardware="NVIDIA H100").table()

    assert {row["cohort"] for row in rows} == {record.cohort.key for record in records}
    for row in rows:
        assert row["record_to_floor"] == pytest.approx(row["record_ns"] / row["floor_ns"])
        assert row["record_to_floor"] > 1
