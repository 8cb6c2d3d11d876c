from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from kgraph import __version__
from kgraph.cli.main import COMMANDS, program
from kgraph.errors import DamageError, KgraphError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from command import Command


def iter_commands(
    group: click.Group = program, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from iter_commands(command, (*path, name))


EVERY_COMMAND = dict(iter_commands())


def test_the_table_of_commands_and_the_modules_say_the_same() -> None:
    for name, (module, line) in COMMANDS.items():
        command = EVERY_COMMAND[(name,)]
        assert command.callback is not None
        assert command.callback.__module__ == module
        assert line.endswith(".")


@pytest.mark.parametrize("path", EVERY_COMMAND, ids=" ".join)
def test_every_command_has_help_for_itself_and_its_options(
    kgraph: Command, path: tuple[str, ...]
) -> None:
    outcome = kgraph(*path, "--help")

    assert outcome.status == 0
    assert EVERY_COMMAND[path].help
    for option in EVERY_COMMAND[path].params:
        if isinstance(option, click.Option):
            assert option.help, option.name


def test_help_imports_no_room() -> None:
    script = (
        "import sys\n"
        "from kgraph.cli.main import run\n"
        "run(['--help'])\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('kgraph.')}\n"
        "print(sorted(rooms), file=sys.stderr)\n"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stderr.strip() == "['cli', 'errors']"


def test_the_version_is_printed(kgraph: Command) -> None:
    assert kgraph("--version").out == f"kgraph, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("log", "--fast"),
        ("log", "--first", "0"),
        ("serve", "--port", "70000"),
        ("index",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_and_exits_with_2(kgraph: Command, arguments: tuple[str, ...]) -> None:
    outcome = kgraph(*arguments)

    assert outcome.status == 2
    assert "Usage: kgraph" in outcome.err


def test_a_wrong_variable_is_told_and_exits_with_2(
    kgraph: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGRAPH_PORT", "eighty")

    outcome = kgraph("log")

    assert outcome.status == 2
    assert outcome.err.startswith("kgraph: KGRAPH_PORT: found 'eighty'")


@pytest.mark.parametrize(("error", "status"), [(KgraphError, 1), (UsageError, 2), (DamageError, 3)])
def test_an_error_becomes_one_line_and_its_exit_status(
    kgraph: Command,
    monkeypatch: pytest.MonkeyPatch,
    error: type[KgraphError],
    status: int,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error("here: found this, expected that")

    monkeypatch.setattr(EVERY_COMMAND[("log",)], "callback", fail)

    outcome = kgraph("log")

    assert outcome.status == status
    assert outcome.err == "kgraph: here: found this, expected that\n"
    assert outcome.out == ""


def test_an_interrupt_is_no_traceback(kgraph: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EVERY_COMMAND[("log",)], "callback", interrupt)

    outcome = kgraph("log")

    assert outcome.status == 130
    assert "Traceback" not in outcome.err


def test_progress_is_silent_where_stderr_is_no_terminal(kgraph: Command) -> None:
    from command import LIGER_CSV  # noqa: PLC0415 - beside its one use

    assert kgraph("import", "liger", LIGER_CSV).err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgraph.cli import output  # noqa: PLC0415 - needs no store

    leader, follower = os.openpty()
    with os.fdopen(follower, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(time, "monotonic", lambda: 5.0)  # both at one moment
        with output.ProgressLine("rows read") as line:
            line(500, 2000)
            line(501, 2000)
    written = os.read(leader, 4096).decode()
    os.close(leader)

    assert written.startswith("\rrows read: 500 of 2,000 (25%)")
    assert "501" not in written
    assert written.endswith("\r\x1b[K")


def test_the_manifest_schema_is_printed(kgraph: Command) -> None:
    schema = kgraph("schema", "manifests").json()

    assert schema["$schema"].endswith("2020-12/schema")
    assert "BenchmarkRun" in schema["$defs"]


def test_the_graphql_schema_is_printed(kgraph: Command) -> None:
    printed = kgraph("schema", "graphql").out

    assert "type Query {" in printed
    assert printed.endswith("}\n")


def test_a_query_with_errors_exits_with_1(kgraph: Command, tmp_path: object) -> None:
    del tmp_path
    kgraph.store.mkdir()
    (kgraph.store / "log").mkdir()
    file = kgraph.folder / "query.graphql"
    file.write_text("{ nothing }", encoding="utf-8")

    outcome = kgraph("query", file)

    assert outcome.status == 1
    assert json.loads(outcome.out)["errors"]


def test_variables_that_are_no_object_are_wrong_usage(kgraph: Command) -> None:
    (kgraph.store / "log").mkdir(parents=True)
    file = kgraph.folder / "query.graphql"
    file.write_text("{ __typename }", encoding="utf-8")

    for text in ("[]", "{", "3"):
        outcome = kgraph("query", file, "--variables", text)
        assert outcome.status == 2
        assert "--variables" in outcome.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["schema", "manifests"]])
def test_output_that_cannot_be_written_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", "from kgraph.cli import main; main()", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == b"kgraph: No space left on device\n"
