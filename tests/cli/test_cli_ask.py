from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import LIGER_CSV

if TYPE_CHECKING:
    from command import Command


@pytest.fixture
def filled(kgraph: Command) -> Command:
    assert kgraph("import", "liger", LIGER_CSV).status == 0
    return kgraph


def test_a_line_gives_the_fastest_and_what_can_be_installed(filled: Command) -> None:
    line = "liger-distill-cosine-loss gpu:A100 tokens=1024 license:permissive"

    found = filled("ask", line, "--json").json()

    assert found["query"] == line
    resolution = found["resolution"]
    assert (resolution["match"], resolution["operation"]) == ("EXACT", "liger-distill-cosine-loss")
    assert resolution["best"]["hardware"] == "NVIDIA A100"
    assert resolution["best"]["display"] == "13.8 ms"
    assert resolution["bestDeployable"]["install"].startswith("pip install")
    shown = filled("ask", *line.split())
    assert shown.status == 0
    assert "13.8 ms" in shown.out


def test_a_near_answer_names_its_differences(filled: Command) -> None:
    outcome = filled("ask", "liger-distill-cosine-loss", "gpu:A100", "tokens=1500")

    assert outcome.status == 0
    assert "axes.tokens 1024, not 1500" in outcome.out


def test_a_line_without_an_operation_lists_records(filled: Command) -> None:
    found = filled("ask", "gpu:A100", "--json").json()

    assert found["resolution"] is None
    assert {row["hardware"] for row in found["records"]} == {"NVIDIA A100"}
    assert found["recordCount"] >= len(found["records"]) > 0
    assert filled("ask", "gpu:A100").status == 0


def test_a_part_that_states_nothing_is_refused_with_what_would(filled: Command) -> None:
    outcome = filled("ask", "gpu:A100", "lisence:MIT")

    assert outcome.status == 2
    assert "lisence:MIT" in outcome.err
    assert "license" in outcome.err


def test_a_name_that_nothing_has_is_no_answer(filled: Command) -> None:
    outcome = filled("ask", "zzzzqqqq")

    assert outcome.status == 1
    assert "NONE" in outcome.out
