"""Several server processes behind one port: one catalogue, one set of counts, one end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from build import make_source
from command import LIGER_CSV, Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PROGRAM = "from kgraph.cli import main\nif __name__ == '__main__':\n    main()"
_WAIT_S = 60

STARTED = "Started server process"


@contextmanager
def serving(
    kgraph: Command, folder: Path, *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KGRAPH_")}
    environ |= {
        "KGRAPH_STORE": str(kgraph.store),
        "KGRAPH_CACHE": str(kgraph.folder / "cache"),
        "KGRAPH_REFRESH_SECONDS": "0.2",
        "KGRAPH_LOG_FORMAT": "json",
        "KGRAPH_LOG_LEVEL": "info",
    }
    log = folder / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", _PROGRAM, "serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environ,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, log.read_text()
            yield process, urlsplit(address).netloc
        finally:
            if process.poll() is None:
                process.terminate()
                process.communicate(timeout=_WAIT_S)


def ask(address: str, path: str, body: object = None) -> bytes:
    connection = http.client.HTTPConnection(address, timeout=_WAIT_S)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            headers = {"content-type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        assert response.status == 200
        return response.read()
    finally:
        connection.close()


def lines_of(folder: Path) -> list[dict[str, object]]:
    text = (folder / "log").read_text()
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def wait_until(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + _WAIT_S
    while not condition():
        assert time.monotonic() < deadline, condition
        time.sleep(0.1)


def test_workers_are_replaced_move_on_count_together_and_stop(
    kgraph: Command, tmp_path: Path
) -> None:
    manifest = tmp_path / "source.json"
    manifest.write_text(json.dumps(make_source()))
    assert kgraph("publish", str(manifest)).status == 0
    with serving(kgraph, tmp_path, "--workers", "2") as (process, address):
        wait_until(lambda: len(moves(tmp_path, STARTED)) == 2)
        found = re.search(r"\[(\d+)\]", moves(tmp_path, STARTED)[0])
        assert found is not None
        os.kill(int(found[1]), signal.SIGKILL)
        wait_until(lambda: len(moves(tmp_path, STARTED)) == 3)
        first = {snapshot_of(address) for _ in range(4)}
        with open_stream(address) as stream:
            assert kgraph("import", "liger", LIGER_CSV).status == 0
            # Each process looks for itself, swaps, and says so.
            wait_until(lambda: len(moves(tmp_path, "snapshot: now")) == 2)
            second = {snapshot_of(address) for _ in range(6)}
            event = read_event(stream)
            # Whichever worker is asked, it knows of all that was asked of the others, a second ago
            # at the latest.
            wait_until(
                lambda: counted(address, "kgraph_http_requests_total", 'method="POST"') == 10
            )
            connections = counted(address, "kgraph_live_connections", 'transport="sse"')

            process.send_signal(signal.SIGTERM)
            rest = stream.read()
            process.communicate(timeout=_WAIT_S)

    assert len(first) == len(second) == 1
    assert first != second
    assert event["data"]["published"]["sequence"] == 2
    assert connections == 1
    # The stream ended at once, without saying that nothing is to come.
    assert b"complete" not in rest
    assert process.returncode == 0
    assert [line for line in lines_of(tmp_path) if line["level"] in {"error", "critical"}] == []


def test_workers_end_with_the_process_that_started_them_however_it_ends(
    kgraph: Command, tmp_path: Path
) -> None:
    manifest = tmp_path / "source.json"
    manifest.write_text(json.dumps(make_source()))
    assert kgraph("publish", str(manifest)).status == 0
    with serving(kgraph, tmp_path, "--workers", "2") as (process, address):
        wait_until(lambda: len(moves(tmp_path, STARTED)) == 2)
        assert ask(address, "/healthz") == b'{"status":"ok"}'

        process.kill()
        process.communicate(timeout=_WAIT_S)

        try:
            # They share the port, which is free when the last of them is gone.
            wait_until(lambda: not is_listening(address))
        finally:
            for line in moves(tmp_path, STARTED):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(re.findall(r"\[(\d+)\]", line)[0]), signal.SIGKILL)


def is_listening(address: str) -> bool:
    try:
        ask(address, "/healthz")
    except ConnectionError:
        return False
    return True


def snapshot_of(address: str) -> str:
    answer = json.loads(ask(address, "/graphql", {"query": "{ catalog { snapshot } }"}))
    snapshot: str = answer["data"]["catalog"]["snapshot"]
    return snapshot


def moves(folder: Path, start: str) -> list[str]:
    found = [str(line["message"]) for line in lines_of(folder)]
    return [message for message in found if message.startswith(start)]


def counted(address: str, name: str, label: str) -> float:
    return sum(
        float(line.rpartition(" ")[2])
        for line in ask(address, "/metrics").decode().splitlines()
        if line.startswith(name) and label in line
    )


@contextmanager
def open_stream(address: str) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(address, timeout=_WAIT_S)
    path = "/graphql?query=subscription%7Bpublished%7Bsequence%7D%7D"
    connection.request("GET", path, headers={"accept": "text/event-stream"})
    response = connection.getresponse()
    assert response.status == 200
    try:
        yield response
    finally:
        response.close()
        connection.close()


def read_event(stream: http.client.HTTPResponse) -> dict[str, dict[str, dict[str, int]]]:
    while not (line := stream.readline()).startswith(b"data:"):
        assert line
    event: dict[str, dict[str, dict[str, int]]] = json.loads(line[5:])
    return event
