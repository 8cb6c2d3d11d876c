"""Weights of what browsers are sent, and time to its first byte under a steady load of reads.

    python bench/reads.py [--store objects] [--rate 1000] [--seconds 10] [--connections 32]

A server of its own (`kgraph serve`, one process) is walked from its start page: pages of every
kind, their style sheet, preview images and JSON, the widgets' script, one GraphQL question by GET.
Each is fetched once, so that it is kept. Then requests for all of them, in turns, are begun at the
given rate whatever the server does: a request that has to wait for a free connection waits on the
clock. The same load of `/healthz`, an answer of 15 bytes, is measured before and after as baseline.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import uvloop

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
QUESTION = (ROOT / "examples" / "fastest.graphql").read_text()

PER_KIND = 8
"""Addresses of each kind that are asked for."""

_LINK = re.compile(r"""(?:href|src|content)="([^"]+)\"""")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """One thing that is asked for."""

    path: str
    kind: str
    plain_bytes: int
    sent_bytes: int
    """As sent, with the coding that browsers take."""
    gzip_bytes: int


@contextlib.contextmanager
def serving(store: str, folder: str) -> Iterator[tuple[str, int, int]]:
    """A server: its host, its port and its process."""
    program = str(Path(sys.executable).with_name("kgraph"))
    command = [program, "serve", "--store", store, "--port", "0"]
    server = subprocess.Popen(
        command, env={**os.environ, "KGRAPH_CACHE": folder}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        address = urllib.parse.urlsplit(server.stdout.readline().strip())
        yield address.hostname or "", address.port or 0, server.pid
    finally:
        server.terminate()
        server.wait(20)


def fetch(base: str, path: str, coding: str) -> tuple[str, str, bytes]:
    """Where an answer is found, its media type and its body as sent; nowhere where it is none."""
    request = urllib.request.Request(base + path, headers={"accept-encoding": coding})  # noqa: S310
    try:
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own server
            found = response.url.removeprefix(base)
            return found, response.headers["content-type"] or "", response.read()
    except urllib.error.HTTPError:
        return "", "", b""


def find_reads(base: str) -> list[Read]:
    """What pages link to on their own host, up to `PER_KIND` of each kind, and the rest."""
    waiting = deque(
        ["/", "/records", "/search?q=rmsnorm", "/search?q=softmax", "/widgets/kgraph.js"]
    )
    waiting.append("/graphql?query=" + urllib.parse.quote(QUESTION))
    known, reads, counts = set(waiting), [], Counter[str]()
    while waiting:
        path = waiting.popleft()
        kind = "/" + path.partition("?")[0].split("/")[1]
        # Exports are files; the playground is one page, whatever question it opens with.
        if kind == "/export" or counts[kind] >= (1 if kind == "/playground" else PER_KIND):
            continue
        counts[kind] += 1
        # An address may lead to another one.
        path, media_type, plain = fetch(base, path, "identity")
        if not path:
            continue
        _, _, sent = fetch(base, path, "zstd, gzip")
        is_text = not media_type.startswith("image/png")
        zipped = len(gzip.compress(plain, 6)) if is_text else len(plain)
        reads.append(Read(path, kind, len(plain), len(sent), zipped))
        if media_type.startswith("text/html"):
            for found in _LINK.findall(plain.decode()):
                link = found.replace("&amp;", "&")
                link = link.removeprefix(base).partition("#")[0]
                if link.startswith("/") and link not in known:
                    known.add(link)
                    waiting.append(link)
    return reads


class Caller(asyncio.Protocol):
    """A connection that sends one request at a time and notes when the first byte comes."""

    def __init__(self) -> None:
        self._buffer = b""
        self._done: asyncio.Future[float] | None = None
        self._first = 0.0
        self._wanted = -1
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way out."""
        self._transport = cast("asyncio.WriteTransport", transport)

    async def call(self, request: bytes) -> float:
        """When the first byte of the answer came; returns when the last has."""
        assert self._transport is not None
        self._done = asyncio.get_running_loop().create_future()
        self._buffer, self._first, self._wanted = b"", 0.0, -1
        self._transport.write(request)
        return await self._done

    def data_received(self, data: bytes) -> None:
        """Take in a part of an answer."""
        self._first = self._first or time.perf_counter()
        self._buffer += data
        if self._wanted < 0:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._buffer.startswith(b"HTTP/1.1 200"):
                self._fail(self._buffer[:end])
                return
            length = _LENGTH.search(self._buffer, 0, end)
            if length is None:
                self._fail(b"no content-length")
                return
            self._wanted = end + 4 + int(length[1])
        if len(self._buffer) >= self._wanted and self._done is not None and not self._done.done():
            self._done.set_result(self._first)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who waits."""
        self._fail(str(exc or "closed").encode())

    def _fail(self, what: bytes) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(RuntimeError(f"found {what!r}, expected an answer"))


async def load(
    host: str, port: int, requests: list[bytes], *, rate: int, seconds: float, connections: int
) -> list[float]:
    """Milliseconds to the first byte of each request, from when it was due."""
    loop = asyncio.get_running_loop()
    free: asyncio.Queue[Caller] = asyncio.Queue()
    for _ in range(connections):
        _, caller = await loop.create_connection(Caller, host, port)
        free.put_nowait(caller)
    waits: list[float] = []

    async def ask(request: bytes, due: float) -> None:
        caller = await free.get()
        try:
            waits.append((await caller.call(request) - due) * 1e3)
        except RuntimeError as error:
            message = f"{request.split(b' ')[1].decode()}: {error}"
            raise RuntimeError(message) from error
        free.put_nowait(caller)

    start = time.perf_counter() + 0.1
    async with asyncio.TaskGroup() as group:
        turns = itertools.cycle(requests)
        for number in range(int(rate * seconds)):
            due = start + number / rate
            delay = due - time.perf_counter()
            if delay > 0:
                await asyncio.sleep(delay)
            group.create_task(ask(next(turns), due))
    return sorted(waits)


def busy_seconds(process: int) -> float:
    """CPU time that a process has taken."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def make_request(host: str, path: str) -> bytes:
    """A browser's GET."""
    return (
        f"GET {path} HTTP/1.1\r\nhost: {host}\r\naccept: */*\r\n"
        "accept-encoding: gzip, deflate, br, zstd\r\n\r\n"
    ).encode()


def describe(name: str, waits: list[float], cpu: float) -> str:
    """One line of figures."""
    at = {share: waits[min(len(waits) - 1, int(len(waits) * share))] for share in (0.5, 0.99)}
    return (
        f"{name:28} median {at[0.5]:8.2f} ms   p99 {at[0.99]:8.2f} ms   "
        f"longest {waits[-1]:8.2f} ms   server {cpu / len(waits) * 1e3:6.3f} ms CPU a request"
    )


def main() -> None:
    """Print weights, then times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", default=str(ROOT / "objects"))
    parser.add_argument("--rate", type=int, default=1_000, help="requests a second")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=32)
    args = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(args.store, folder) as (host, port, process),
    ):
        base = f"http://{host}:{port}"
        reads = find_reads(base)
        print(
            f"{'kind':14} {'number':>6} {'plain':>10} {'gzip':>10} {'as sent':>10}   median bytes"
        )
        for kind in dict.fromkeys(read.kind for read in reads):
            of_kind = [read for read in reads if read.kind == kind]
            sizes = [
                statistics.median(size)
                for size in (
                    [read.plain_bytes for read in of_kind],
                    [read.gzip_bytes for read in of_kind],
                    [read.sent_bytes for read in of_kind],
                )
            ]
            print(f"{kind:14} {len(of_kind):6} " + " ".join(f"{size:10,.0f}" for size in sizes))
        print(
            f"\ntime to first byte, {args.rate} requests a second over {args.connections} "
            f"connections for {args.seconds:g} s; load average {os.getloadavg()[0]:.1f}"
        )
        mixed = [make_request(f"{host}:{port}", read.path) for read in reads]
        baseline = [make_request(f"{host}:{port}", "/healthz")]
        for name, requests in (
            ("/healthz", baseline),
            ("mixed reads", mixed),
            ("/healthz", baseline),
        ):
            before = busy_seconds(process)
            waits = uvloop.run(
                load(
                    host,
                    port,
                    requests,
                    rate=args.rate,
                    seconds=args.seconds,
                    connections=args.connections,
                )
            )
            print(describe(name, waits, busy_seconds(process) - before))


if __name__ == "__main__":
    main()
