"""kgraph beside PostGraphile and datasette-graphql: same rows, same client, one run.

    python bench/peers [--rounds 3] [--seconds 5] [--export FILE.jsonl.zst | --starter]

The question is the newest 100 runs with 15 fields and the implementation of each, in the dialect of
each server; every server must state the same facts before it is measured, and again after.
Rows: an export of the public catalogue (default: one beside the repository, where there is one),
imported into a store of the run's own; else the starter catalogue in `objects/`.

All servers run at the same time and are asked in turns, so that load from elsewhere hits them
alike. Figures are the median of the rounds, with the lowest and highest. A server that cannot be
had here is left out, with the reason. Everything listens on loopback alone, and ends with the run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from client import Sample, find_client, measure
from process import UnavailableError
from report import print_report
from rows import WrongAnswerError, ask, data_of, facts_of, load_rows
from servers import (
    POSTGRAPHILE,
    REPOSITORY,
    Server,
    datasette,
    kgraph,
    postgraphile,
    publish,
    read_question,
)

if TYPE_CHECKING:
    from rows import Row

EXPORTS = REPOSITORY.parent / "shared" / "data" / "kernelindex-export"
CONNECTIONS = (1, 8)
# Enough for what compiles itself while it runs to have done so.
WARM_UP_SECONDS = 2.0
# What a client left unread at its end is worked off meanwhile.
PAUSE_SECONDS = 0.5

KGRAPH_MODES = {
    "stock": "kgraph, stock execution",
    "projector": "kgraph, projector",
    "cached": "kgraph, answer kept",
}
STATIC = "kgraph, static bytes"
STATIC_HEADERS = "kgraph, static, headers"


@dataclass(slots=True)
class Contestant:
    """A server with its samples."""

    server: Server
    request: Path
    expected: list[Row]
    """The runs that it must state."""
    answer_bytes: int
    samples: dict[int, list[Sample]] = field(
        default_factory=lambda: {connections: [] for connections in CONNECTIONS}
    )
    """By number of connections."""

    def measure(self, connections: int, seconds: float) -> Sample:
        """One sample; see `client.measure`."""
        return measure(
            self.server.url,
            self.request,
            connections=connections,
            seconds=seconds,
            processes=self.server.processes,
            answer_bytes=self.answer_bytes,
        )


def nodes_of(answer: bytes, where: str) -> list[Row]:
    """The runs of an answer, whatever its list is called."""
    (connection,) = data_of(answer, where).values()
    nodes: list[Row] = connection["nodes"]
    return nodes


def check_answer(server: Server, expected: list[Row]) -> bytes:
    """The server's answer.

    Raises:
        WrongAnswerError: it does not state the expected facts.
    """
    answer = ask(server.url, server.question)
    told = [facts_of(node) for node in nodes_of(answer, server.name)]
    wanted = [facts_of(node) for node in expected]
    if told != wanted:
        first = next((pair for pair in zip(told, wanted, strict=False) if pair[0] != pair[1]), None)
        raise WrongAnswerError(
            f"{server.name}: {len(told)} runs for {len(wanted)}; first difference: {first}"
        )
    return answer


def main() -> None:
    """Start everything, measure, stop everything, print."""
    parser = argparse.ArgumentParser(
        prog="python bench/peers", description="Measure kgraph beside its peers."
    )
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each figure")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of one measurement")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--export", type=Path, help="catalogue export to take the rows from")
    source.add_argument("--starter", action="store_true", help="take the rows from objects/")
    options = parser.parse_args()
    # Ended from outside, the blocks below still stop what they started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        find_client()
    except UnavailableError as error:
        sys.exit(str(error))
    export = options.export or (
        None if options.starter else max(EXPORTS.glob("*.jsonl.zst"), default=None)
    )
    print("command: python " + shlex.join(["bench/peers", *sys.argv[1:]]))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kgraph-bench-")))
        try:
            contestants, skipped, counts = start_all(stack, folder, export)
        except (UnavailableError, WrongAnswerError) as error:
            # The folder goes with the run, and what the servers said of it with the folder.
            for log in sorted(folder.glob("*.log")):
                say(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}")
            sys.exit(f"bench/peers: {error}")
        print(f"rows: {counts} from {export.name if export else 'objects/'}")
        for name, reason in skipped.items():
            print(f"left out: {name}: {reason}")
        loads = run_rounds(contestants, options.rounds, options.seconds)
    print(f"load average before and after each round: {', '.join(f'{x:.2f}' for x in loads)}")
    print_report(
        {c.server.name: c.samples for c in contestants},
        bases={"PG": POSTGRAPHILE, "static": STATIC, "headers": STATIC_HEADERS},
    )


def start_all(
    stack: contextlib.ExitStack, folder: Path, export: Path | None
) -> tuple[list[Contestant], dict[str, str], str]:
    """All servers that can be had, filled and checked; why others cannot; how many rows."""
    store, cache = REPOSITORY / "objects", folder / "cache"
    if export is not None:
        store = folder / "store"
        say(f"importing {export.name}")
        publish(export, store=store, cache=cache)
    say("reading the rows through kgraph")
    question, static = read_question("kgraph"), folder / "answer.json"
    with kgraph("cached", store=store, cache=cache, folder=folder) as (address, _):
        rows = load_rows(f"{address}/graphql")
        answer = ask(f"{address}/graphql", question)
    expected = nodes_of(answer, "kgraph")
    static.write_bytes(answer)
    servers, skipped = [], {}
    for name, start in {"PostGraphile": postgraphile, "datasette-graphql": datasette}.items():
        say(f"starting {name}")
        try:
            servers.append(stack.enter_context(start(rows, folder)))
        except UnavailableError as error:
            skipped[name] = str(error)
    for mode, name in KGRAPH_MODES.items():
        say(f"starting {name}")
        try:
            address, process = stack.enter_context(
                kgraph(mode, store=store, cache=cache, folder=folder, static=static)
            )
        except UnavailableError as error:
            skipped[name] = str(error)
            continue
        servers.append(Server(name, f"{address}/graphql", question, (process,)))
        if mode == "cached":
            servers.append(Server(STATIC, f"{address}/static", question, (process,)))
            servers.append(
                Server(STATIC_HEADERS, f"{address}/static-headers", question, (process,))
            )
    contestants = []
    for number, server in enumerate(servers):
        request = folder / f"request-{number}.json"
        request.write_bytes(server.question)
        size = len(check_answer(server, expected))
        contestants.append(Contestant(server, request, expected, size))
    for contestant in contestants:
        contestant.measure(max(CONNECTIONS), WARM_UP_SECONDS)
    counts = ", ".join(f"{len(kept):,} of {table}" for table, kept in rows.items())
    return contestants, skipped, counts


def run_rounds(contestants: list[Contestant], rounds: int, seconds: float) -> list[float]:
    """Fill in the samples.

    Returns:
        The machine's load average before each round and after the last.
    """
    loads = [os.getloadavg()[0]]
    for number in range(rounds):
        for contestant in contestants:
            say(f"round {number + 1} of {rounds}: {contestant.server.name}")
            for connections in CONNECTIONS:
                time.sleep(PAUSE_SECONDS)
                contestant.samples[connections].append(contestant.measure(connections, seconds))
        loads.append(os.getloadavg()[0])
    for contestant in contestants:
        check_answer(contestant.server, contestant.expected)
    return loads


def say(text: str) -> None:
    """Progress, beside the results."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
