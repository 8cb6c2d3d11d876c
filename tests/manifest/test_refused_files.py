"""Each file under `refused/` breaks the rule that names it, and is refused for that alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import pytest

from kgraph.canonical import MAX_BYTES
from kgraph.manifest import ManifestRefusedError, Refusal, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent / "refused"
EXPECTED = Path(__file__).parent / "refusals.json"
FILES = sorted(FOLDER.iterdir())


def refusals_of(
    content: bytes,
    format: Literal["json", "yaml"] = "json",  # noqa: A002 - as read_manifest has it
) -> tuple[Refusal, ...]:
    with pytest.raises(ManifestRefusedError) as caught:
        read_manifest(content, where="sample", format=format)
    return caught.value.refusals


def format_of(file: Path) -> Literal["json", "yaml"]:
    return cast("Literal['json', 'yaml']", file.suffix.removeprefix("."))


def test_every_refused_file_is_refused_for_the_reasons_written_down(
    check_golden: Callable[[Path, bytes], None],
) -> None:
    reasons = {
        file.name: [str(refusal) for refusal in refusals_of(file.read_bytes(), format_of(file))]
        for file in FILES
    }

    check_golden(EXPECTED, json.dumps(reasons, indent=1, ensure_ascii=False).encode() + b"\n")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_message_names_the_file_and_every_refusal(file: Path) -> None:
    with pytest.raises(ManifestRefusedError) as caught:
        read_manifest(file.read_bytes(), where=file.name, format=format_of(file))

    message = str(caught.value)
    assert message.startswith(f"{file.name}: ")
    assert "\n" not in message
    for refusal in caught.value.refusals:
        assert str(refusal) in message
        assert len(refusal.found) < 120


@pytest.mark.parametrize("format", ["json", "yaml"])
def test_a_document_beyond_the_size_limit_is_refused_unread(
    format: Literal["json", "yaml"],  # noqa: A002 - as read_manifest has it
) -> None:
    (refusal,) = refusals_of(b" " * (MAX_BYTES + 1), format)

    assert (refusal.path, refusal.expected) == ("", f"at most {MAX_BYTES} bytes")


def test_a_bomb_of_aliases_is_refused_without_being_built() -> None:
    levels = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}]" for n in range(1, 12)]

    refusals = refusals_of("\n".join(levels).encode(), "yaml")

    assert {"a0", "a11[8]"} <= {refusal.path for refusal in refusals}


def test_refusals_of_reader_and_kind_come_together() -> None:
    file = FOLDER / "yaml-duplicate-key.yaml"
    content = file.read_bytes().replace(b"8.12 us", b"-1").replace(b"name: example", b"name: A B")

    refusals = refusals_of(content, "yaml")

    assert [(refusal.path, refusal.line) for refusal in refusals] == [
        ("spec.status", 11),
        ("metadata.name", 4),
        ("spec.timing.latencyNs.median", 15),
    ]
