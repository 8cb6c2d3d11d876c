"""The client: `wrk`, for a bounded time, with the CPU time that a server spent meanwhile."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from process import UnavailableError, busy_seconds, cpu_seconds_of
from rows import WrongAnswerError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SCRIPT = Path(__file__).with_name("wrk.lua")
_SECONDS_TO_ANSWER = 30


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement."""

    rate: float
    """Requests answered a second."""
    cpu_ms: float
    """CPU time of all server processes, a request."""
    p50_ms: float
    p99_ms: float
    others: float
    """Processors kept busy by neither the server nor the client."""


def find_client() -> str:
    """Where wrk is.

    Raises:
        UnavailableError: it is not installed.
    """
    found = shutil.which("wrk")
    if found is None:
        raise UnavailableError("wrk, the client, is not installed (Debian: apt-get install wrk)")
    return found


def measure(
    url: str,
    request: Path,
    *,
    connections: int,
    seconds: float,
    processes: Sequence[int],
    answer_bytes: int,
) -> Sample:
    """What a server does with one request, asked over and over.

    Args:
        request: file with the body to post.
        processes: the server's; what they started is counted with them.
        answer_bytes: size of the right answer's body.

    Raises:
        WrongAnswerError: a request failed, or the answers were shorter than the right one.
    """
    command = [
        find_client(),
        "--threads=1",
        f"--connections={connections}",
        f"--duration={seconds:g}s",
        f"--timeout={_SECONDS_TO_ANSWER}s",
        f"--script={_SCRIPT}",
        url,
        "--",
        str(request),
    ]
    client, busy, server = _client_seconds(), busy_seconds(), cpu_seconds_of(processes)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=seconds + 2 * _SECONDS_TO_ANSWER,
    )
    server, busy = cpu_seconds_of(processes) - server, busy_seconds() - busy
    client = _client_seconds() - client
    told = json.loads(done.stdout.strip().rpartition("\n")[2])
    if told["errors"] or told["bytes"] < told["requests"] * answer_bytes:
        raise WrongAnswerError(f"{url}: {told}, expected {answer_bytes} bytes an answer")
    return Sample(
        rate=told["requests"] / told["seconds"],
        cpu_ms=server / told["requests"] * 1e3,
        p50_ms=told["p50_ms"],
        p99_ms=told["p99_ms"],
        others=max(0.0, busy - server - client) / told["seconds"],
    )


def _client_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
