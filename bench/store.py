"""Packs and loose objects beside git, on the very same objects in the same run.

    python bench/store.py [--count 10000] [--runs 3] [--objects FILE.jsonl.zst ...]

Objects are real manifests: those under `objects/`, then those inside the given exports (default: an
export beside the repository, where there is one), as canonical JSON; made-up ones where these are
too few. Each figure is the best of the runs. Everything is written durably (flushed to the disk) on
both sides. What is read was written just before, so it comes from the page cache on both sides.

git is asked for the same three things: to take the objects in (`fast-import`), to pack them as
small as it does by default (`repack -adf`), and to give all of them back (`cat-file --batch`).
kgraph verifies every object that it gives back against its name; `cat-file` does not.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from kgraph.canonical import JsonValue, encode_canonical
from kgraph.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
EXPORTS = ROOT / ".." / "shared" / "data" / "kernelindex-export"

WANTED_PACK_RATE = 50_000
WANTED_SIZE_RATIO = 1.5


def iter_manifests(value: object) -> Iterator[bytes]:
    """Canonical JSON of every manifest inside `value`."""
    if isinstance(value, dict):
        if {"apiVersion", "kind", "spec"} <= value.keys():
            yield encode_canonical(value)
            return
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from iter_manifests(member)


def iter_real(exports: list[Path]) -> Iterator[bytes]:
    """Manifests of the checkout, then of the exports."""
    for path in sorted((ROOT / "objects" / "loose").glob("*/*.json")):
        yield path.read_bytes()
    for path in exports:
        with path.open("rb") as file:
            reader = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file))
            for line in reader:
                yield from iter_manifests(json.loads(line))


def iter_made_up() -> Iterator[bytes]:
    """Runs as an importer writes them, with digests that do not compress."""
    source = random.Random(1)  # noqa: S311 - the same in each run
    while True:
        digests = {
            f"{part}Digest": f"sha256:{source.randbytes(32).hex()}"
            for part in ("implementation", "workload", "protocol", "environment")
        }
        timing: JsonValue = {
            "primaryStatistic": "median",
            "latencyNs": {"median": source.randrange(10**8)},
        }
        yield encode_canonical(
            {
                "apiVersion": "kernelindex.dev/v1alpha1",
                "kind": "BenchmarkRun",
                "metadata": {"name": f"run-{source.randrange(10**9)}"},
                "spec": {
                    **digests,
                    "status": "passed",
                    "timing": timing,
                    "observedAt": f"2026-01-{source.randrange(1, 29):02d}T03:04:05Z",
                },
            }
        )


def load_objects(count: int, exports: list[Path]) -> list[bytes]:
    """`count` distinct objects, real ones spread over what there is."""
    real = list(dict.fromkeys(iter_real(exports)))
    if len(real) > count:
        # Evenly, and in the order they came in: git's deltas live on alike neighbours.
        real = [real[number * len(real) // count] for number in range(count)]
    print(f"objects: {len(real)} real manifests", end="")
    objects = dict.fromkeys(real)
    for made_up in iter_made_up():
        if len(objects) >= count:
            break
        objects[made_up] = None
    mean_bytes = sum(map(len, objects)) / len(objects)
    print(f", {len(objects) - len(real)} made up; {mean_bytes:.0f} bytes each")
    return list(objects)


def best_s(runs: int, work: Callable[[], float]) -> float:
    """Shortest of the times that `work` gives, in seconds."""
    return min(work() for _ in range(runs))


def timed_s(work: Callable[[], object]) -> float:
    """How long `work` takes, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class OurSide:
    """kgraph's store in a folder of its own."""

    def __init__(self, folder: Path, objects: list[bytes]) -> None:
        self.folder, self.objects, self.pack_bytes = folder, objects, 0
        self.made = 0

    def fresh(self) -> Path:
        """Where there is no store yet."""
        self.made += 1
        return self.folder / f"store-{self.made}"

    def write_pack_s(self) -> float:
        """Write all as one pack."""
        store = open_store(self.fresh(), create=True)
        seconds = timed_s(lambda: store.put_pack(self.objects))
        self.pack_bytes = sum(info.size_bytes for info in store.blobs.iter_blobs("packs/"))
        return seconds

    def write_loose_s(self) -> float:
        """Write all as loose files."""
        store = open_store(self.fresh(), create=True)
        return timed_s(lambda: store.put_many(self.objects))

    def read_all_s(self) -> float:
        """Open the store and read all from a pack, each verified."""
        path = self.fresh()
        ids = open_store(path, create=True).put_pack(self.objects).object_ids

        def read() -> None:
            # Opened anew: opening the pack is part of reading it.
            assert sum(1 for _ in open_store(path).get_many(ids)) == len(self.objects)

        return timed_s(read)

    def read_single_s(self) -> float:
        """Read each by itself, in random order, from a pack."""
        path = self.fresh()
        ids = list(open_store(path, create=True).put_pack(self.objects).object_ids)
        random.Random(2).shuffle(ids)  # noqa: S311 - the same in each run
        store = open_store(path)
        return timed_s(lambda: [store.get(one) for one in ids])


class GitSide:
    """A bare repository in a folder of its own."""

    def __init__(self, folder: Path, objects: list[bytes]) -> None:
        self.folder, self.objects, self.made = folder, objects, 0
        self.imported_bytes = self.repacked_bytes = 0

    def git(self, repository: Path, *words: str, given: bytes | None = None) -> bytes:
        """What a git command prints, free of the user's own configuration."""
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(repository), *words]
        return subprocess.run(
            command, input=given, check=True, stdout=subprocess.PIPE, env=environment
        ).stdout

    def fresh(self) -> Path:
        """An empty repository."""
        self.made += 1
        path = self.folder / f"git-{self.made}"
        path.mkdir()
        self.git(path, "init", "--quiet", "--bare")
        return path

    def stream(self) -> bytes:
        """What fast-import reads: the objects, and a commit of them under their paths."""
        parts = []
        for number, content in enumerate(self.objects, 1):
            parts.append(b"blob\nmark :%d\ndata %d\n%s\n" % (number, len(content), content))
        parts.append(b"commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 1\nx\n")
        # Short names in order: trees that list digests would count against git.
        parts.extend(
            b"M 100644 :%d objects/%06d\n" % (number, number)
            for number in range(1, len(self.objects) + 1)
        )
        return b"".join(parts)

    def import_s(self) -> float:
        """Take all in, as one pack and one commit."""
        repository, stream = self.fresh(), self.stream()
        seconds = timed_s(lambda: self.git(repository, "fast-import", "--quiet", given=stream))
        self.imported_bytes = self.packed_bytes(repository)
        return seconds

    def packed_bytes(self, repository: Path) -> int:
        """Size of the packs and their indexes."""
        files = (repository / "objects" / "pack").iterdir()
        return sum(one.stat().st_size for one in files if one.suffix in {".pack", ".idx"})

    def repacked(self) -> tuple[Path, float]:
        """A repository with one repacked pack, and how long that took."""
        repository = self.fresh()
        self.git(repository, "fast-import", "--quiet", given=self.stream())
        seconds = timed_s(lambda: self.git(repository, "repack", "-adfq"))
        self.repacked_bytes = self.packed_bytes(repository)
        return repository, seconds

    def repack_s(self) -> float:
        """Pack what was taken in, from the start."""
        return self.repacked()[1]

    def read_all_s(self) -> float:
        """Read all from a repacked pack."""
        repository, _ = self.repacked()
        listed = self.git(repository, "ls-tree", "-r", "main").splitlines()
        names = b"".join(line.split()[2] + b"\n" for line in listed)
        return timed_s(lambda: self.git(repository, "cat-file", "--batch", "--buffer", given=names))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--objects", type=Path, nargs="*", default=sorted(EXPORTS.glob("*.jsonl.zst"))
    )
    asked = parser.parse_args()

    version = subprocess.run(["git", "--version"], check=True, stdout=subprocess.PIPE).stdout
    print(f"repeat: python bench/store.py {' '.join(sys.argv[1:])}".rstrip())
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {version.decode().strip()}")
    objects = load_objects(asked.count, asked.objects)

    with tempfile.TemporaryDirectory() as name:
        ours, git = OurSide(Path(name), objects), GitSide(Path(name), objects)
        pack_s = best_s(asked.runs, ours.write_pack_s)
        read_s = best_s(asked.runs, ours.read_all_s)
        rows: list[tuple[str, float, str, float | None]] = [
            ("write a pack", pack_s, "fast-import", best_s(asked.runs, git.import_s)),
            ("write a pack", pack_s, "repack -adf", best_s(asked.runs, git.repack_s)),
            ("read all, verified", read_s, "cat-file", best_s(asked.runs, git.read_all_s)),
            ("read each, verified", best_s(asked.runs, ours.read_single_s), "", None),
            ("write loose", best_s(asked.runs, ours.write_loose_s), "", None),
        ]

    print(f"\n{'kgraph':22}{'objects/s':>12}   {'git':14}{'objects/s':>12}{'times as fast':>16}")
    for what, seconds, beside, git_s in rows:
        line = f"{what:22}{len(objects) / seconds:12,.0f}"
        if git_s is not None:
            line += f"   {beside:14}{len(objects) / git_s:12,.0f}{git_s / seconds:16.2f}"
        print(line)
    print(f"\npack with its index: kgraph {ours.pack_bytes / len(objects):.1f} bytes an object")
    for name, git_bytes in (("fast-import", git.imported_bytes), ("repack", git.repacked_bytes)):
        ratio = ours.pack_bytes / git_bytes
        print(f"  git {name:12}{git_bytes / len(objects):8.1f}, ratio {ratio:.2f}")
    print(f"  wanted: at most {WANTED_SIZE_RATIO} of git's repack")
    print(f"packs written: {len(objects) / pack_s:,.0f} objects/s (wanted: {WANTED_PACK_RATE:,})")


if __name__ == "__main__":
    main()
