"""Server processes: started, watched, charged for their CPU time, and stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")

SECONDS_TO_START = 180
SECONDS_TO_STOP = 20

_PROC = Path("/proc")
# Fields of /proc/PID/stat, counted from the one behind the command's name.
_PARENT, _TIMES = 1, slice(11, 15)


class UnavailableError(Exception):
    """A server cannot be measured here; the text says why."""


def pick_port() -> int:
    """A port of the loopback address that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


@contextlib.contextmanager
def running(
    command: Sequence[str | Path],
    *,
    log: Path,
    is_ready: Callable[[], bool],
    environment: dict[str, str] | None = None,
    user: str | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[int]:
    """The process id of a server that answers, until the block ends.

    Args:
        log: where it writes what it has to say.
        is_ready: whether it answers now.
        environment: added to this process's own.
        user: whom to run as; only the superuser can choose.
        stop: the signal that ends it in order.

    Raises:
        UnavailableError: it ended or never answered.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | (environment or {}),
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            # What it starts itself is in its group, and ends with it.
            start_new_session=True,
        )
    try:
        _wait_until(is_ready, process, log, name=Path(command[0]).name)
        yield process.pid
    finally:
        process.send_signal(stop)
        try:
            process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until(
    is_ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path, *, name: str
) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        if is_ready():
            return
        time.sleep(0.1)
    said = log.read_text(errors="replace").strip()[-600:]
    raise UnavailableError(f"{name} did not start: {said}")


def cpu_seconds_of(roots: Sequence[int]) -> float:
    """CPU time so far of processes and all they started, living or ended, in the kernel or not."""
    stats = dict(_read_stats())
    children: dict[int, list[int]] = {}
    for pid, fields in stats.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    ticks, waiting = 0, list(roots)
    while waiting:
        pid = waiting.pop()
        # The last two are of children that have ended and were waited for.
        ticks += sum(map(int, stats[pid][_TIMES]))
        waiting += children.get(pid, ())
    return ticks / TICKS_A_SECOND


def _read_stats() -> Iterator[tuple[int, list[str]]]:
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            # It may end while we look.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                yield int(folder.name), (folder / "stat").read_text().rpartition(")")[2].split()


def busy_seconds() -> float:
    """CPU time that the whole machine has spent on work so far, all processors together."""
    user, nice, system, _idle, _wait, irq, softirq, steal = map(
        int, (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + irq + softirq + steal) / TICKS_A_SECOND
