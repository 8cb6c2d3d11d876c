"""A real server process, asked over a real socket."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from command import LIGER_CSV, Command

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERY = "{ catalog { counts { runs } } }"


def start(kgraph: Command, *arguments: str) -> subprocess.Popen[str]:
    """A server process on a free port, or as `arguments` say."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KGRAPH_")}
    environ |= {"KGRAPH_STORE": str(kgraph.store), "KGRAPH_CACHE": str(kgraph.folder / "cache")}
    script = "from kgraph.cli import main\nif __name__ == '__main__':\n    main()"
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", script, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )


@contextlib.contextmanager
def serving(kgraph: Command, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server, and the address that it printed."""
    process = start(kgraph, *arguments)
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().strip()
        assert address, process.stderr.read()
        yield process, address
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=30)


def refused(kgraph: Command, *arguments: str) -> tuple[int, str]:
    """Exit status and talk of a server that cannot start."""
    process = start(kgraph, *arguments)
    try:
        out, talk = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == ""
    return process.returncode, talk


def ask(address: str, path: str = "/graphql") -> tuple[int, bytes]:
    """Status and body of one request."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    try:
        if path == "/graphql":
            body = json.dumps({"query": QUERY})
            connection.request("POST", path, body, {"content-type": "application/json"})
        else:
            connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.fixture
def filled(kgraph: Command) -> Command:
    assert kgraph("import", "liger", LIGER_CSV).status == 0
    return kgraph


def test_the_server_builds_its_index_and_answers(filled: Command) -> None:
    runs = sum(
        kind["present"]
        for kind in filled("import", "liger", LIGER_CSV, "--dry-run", "--json").json()["kinds"]
        if kind["kind"] == "BenchmarkRun"
    )

    with serving(filled) as (process, address):
        status, body = ask(address)
        page, _ = ask(address, urlsplit(address).path)
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=30)

    assert address.endswith("/playground")
    assert (status, page) == (200, 200)
    assert json.loads(body)["data"] == {"catalog": {"counts": {"runs": runs}}}
    assert process.returncode == 0
    assert "building the index" in talk
    assert "Traceback" not in talk


def test_the_server_says_nothing_of_an_index_that_is_there(filled: Command) -> None:
    filled("index", "build")

    with serving(filled) as (process, address):
        assert ask(address)[0] == 200
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate(timeout=30)

    assert "index" not in talk


def test_a_store_that_cannot_be_written_is_served(filled: Command) -> None:
    files = filled.files()
    folders = [filled.store, *(path for path in filled.store.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        with serving(filled) as (_, address):
            assert ask(address)[0] == 200
    finally:
        for folder in folders:
            folder.chmod(0o700)

    assert filled.files() == files


def test_several_processes_serve_one_address(filled: Command) -> None:
    with serving(filled, "--workers", "2") as (process, address):
        answers = {ask(address) for _ in range(8)}
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    assert {status for status, _ in answers} == {200}
    assert len(answers) == 1


def test_a_port_in_use_is_one_clear_line(filled: Command) -> None:
    filled("index", "build")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        status, talk = refused(filled, "--port", str(port))

    assert status == 2
    assert talk == f"kgraph: 127.0.0.1:{port}: is in use; choose another with --port or --host\n"


def test_an_address_of_another_machine_is_one_clear_line(filled: Command) -> None:
    filled("index", "build")

    status, talk = refused(filled, "--host", "192.0.2.1")

    assert status == 2
    assert talk.startswith("kgraph: 192.0.2.1:0: ")
    assert talk.count("\n") == 1


def test_a_damaged_store_is_not_served(filled: Command) -> None:
    filled("repack")
    for pack in (filled.store / "packs").iterdir():
        pack.chmod(0o600)
        pack.write_bytes(pack.read_bytes()[:-100])

    status, talk = refused(filled)

    assert status == 3
    assert "Traceback" not in talk
