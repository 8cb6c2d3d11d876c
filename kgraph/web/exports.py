"""Exports over HTTP: the whole catalogue as lines, and tables for analysis.

A file is made once a snapshot, kept in the cache folder and sent from there; whoever asks while it
is being made waits for the same one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from kgraph.digest import BadDigestError, short
from kgraph.errors import KgraphError
from kgraph.exporters import (
    PARQUET_TABLES,
    describe_tables,
    export_catalogue,
    stamp_export,
    write_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from kgraph.catalog import Catalog, CatalogSource

_log = logging.getLogger(__name__)

CATALOGUE_NAME = "catalogue.jsonl.zst"
"""The whole catalogue, as `kgraph import kernelindex` reads it."""

DICTIONARY_NAME = "dictionary.json"
"""What the columns of the tables mean."""

_MEDIA_TYPES = {".zst": "application/zstd", ".json": "application/json"}
_PARQUET_TYPE = "application/vnd.apache.parquet"
_NAMES = (CATALOGUE_NAME, DICTIONARY_NAME, *(f"{name}.parquet" for name in PARQUET_TABLES))
# The newest and a few that readers are still at; the rest comes back when it is asked for.
_KEPT_SNAPSHOTS = 4
_BUILDING = ".building"


def export_routes(
    source: CatalogSource, folder: Path, *, prefix: str = "/export"
) -> list[BaseRoute]:
    """Routes that serve `catalogue.jsonl.zst`, `dictionary.json` and `<table>.parquet`.

    Args:
        folder: where made files are kept; may be shared by servers and deleted at any time.
        prefix: what the addresses begin with.
    """
    shelf = _Shelf(source, folder)
    return [Route(f"{prefix}/{{name}}", shelf.send, methods=["GET"])]


class _Shelf:
    """Made files, and those that are being made."""

    def __init__(self, source: CatalogSource, folder: Path) -> None:
        self._source, self._folder = source, folder
        self._making: dict[Path, asyncio.Task[None]] = {}
        # Making a file keeps one core busy for some seconds; requests for data come first.
        self._turn = asyncio.Semaphore(1)

    async def send(self, http: Request) -> Response:
        """The file, or 304 where the client has it."""
        name = http.path_params["name"]
        if name not in _NAMES:
            return _refuse(404, "NOT_FOUND", f"export: found no {name[:90]!r} here")
        wanted = http.query_params.get("snapshot")
        try:
            catalog = self._source.current()
            if wanted is not None:
                catalog = await asyncio.to_thread(self._source.at, wanted)
            stamp = stamp_export(catalog)
            headers = {
                "etag": f'"{short(catalog.snapshot)}-{stamp}"',
                # A snapshot that is asked for by its whole name never changes.
                "cache-control": "public, max-age=31536000, immutable"
                if wanted == catalog.snapshot
                else "no-cache",
                "x-content-type-options": "nosniff",
                "x-kgraph-snapshot": catalog.snapshot,
            }
            if _is_known(http, headers["etag"]):
                return Response(status_code=304, headers=headers)
            path = self._folder / stamp / name
            await self._make(catalog, path)
        except BadDigestError as error:
            return _refuse(404, error.code, str(error))
        except KgraphError as error:
            status = {"AMBIGUOUS_DIGEST": 400, "UNKNOWN_SNAPSHOT": 404}.get(error.code, 500)
            if status == 500:  # noqa: PLR2004 - ours to look into
                _log.exception("export: %s is not made", name)
            return _refuse(status, error.code, error.public_message)
        return FileResponse(
            path,
            headers=headers,
            media_type=_MEDIA_TYPES.get(path.suffix, _PARQUET_TYPE),
            filename=f"kgraph-{short(catalog.snapshot)}-{name}",
            content_disposition_type="attachment",
        )

    async def _make(self, catalog: Catalog, path: Path) -> None:
        """See to it that the file is there."""
        if path.exists():
            return
        task = self._making.get(path)
        if task is None:
            task = self._making[path] = asyncio.create_task(self._make_in_turn(catalog, path))
            task.add_done_callback(lambda _: self._making.pop(path, None))
        # A client that goes away leaves the file to those that stay.
        await asyncio.shield(task)

    async def _make_in_turn(self, catalog: Catalog, path: Path) -> None:
        async with self._turn:
            await asyncio.to_thread(_write, catalog, path)


def _write(catalog: Catalog, path: Path) -> None:
    """Write beside the name and rename, so that the name never stands for half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, suffix=_BUILDING) as name:
        building = Path(name) / path.name
        if path.name == CATALOGUE_NAME:
            with building.open("wb") as stream:
                export_catalogue(catalog, stream, is_compressed=True)
        elif path.name == DICTIONARY_NAME:
            building.write_bytes(orjson.dumps(describe_tables(catalog)))
        else:
            write_table(catalog, path.name.removesuffix(".parquet"), building)
        building.replace(path)
    for old in _iter_old(path.parent):
        shutil.rmtree(old, ignore_errors=True)


def _iter_old(kept: Path) -> Iterator[Path]:
    """Folders of snapshots that were made longest ago."""
    made: list[tuple[float, Path]] = []
    for folder in kept.parent.iterdir():
        # Another server may let go of it at the same time.
        with contextlib.suppress(FileNotFoundError):
            if folder != kept and folder.is_dir():
                made.append((folder.stat().st_mtime, folder))
    made.sort(reverse=True)
    yield from (folder for _, folder in made[_KEPT_SNAPSHOTS - 1 :])


def _is_known(http: Request, etag: str) -> bool:
    """Whether the client says that it has the file."""
    tags = http.headers.get("if-none-match", "").split(",")
    return bool({tag.strip().removeprefix("W/") for tag in tags} & {etag, "*"})


def _refuse(status: int, code: str, message: str) -> Response:
    body = {"errors": [{"message": message, "extensions": {"code": code}}]}
    return Response(orjson.dumps(body), status_code=status, media_type="application/json")
