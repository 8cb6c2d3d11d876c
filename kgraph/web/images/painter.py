"""Drawings, made one after another in a process beside the server.

The engine (`vl-convert-python`, which runs Vega on V8) holds the interpreter's lock for all of a
drawing, 0.1 s for most and 0.6 s for 200 rows, needs a second for its first and grows to 150 MB
over 200 drawings. In the server it would stop every other request for that long, and what it cannot
read, as a control character, would end it: the engine aborts its process. So it runs in a process
of its own, started when the first image is asked for. PNG is made of the SVG by `resvg-py`, which
unlike the engine can be kept from the fonts of the system, so that every machine gives the same
pixels.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import struct
import subprocess
import sys
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from kgraph.errors import KgraphError
from kgraph.web.images.text import FONT_FILES, FONTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_log = logging.getLogger(__name__)

VEGA_LITE_VERSION = "5.21"
"""Which of the engine's versions of Vega-Lite draws; specifications are of major version 5."""

_WORKER = Path(__file__).with_name("worker.py")
# A drawing takes well below one second; what takes longer has lost its way.
_SECONDS = 20.0
# More would wait longer than anybody looks at a page.
_MAX_WAITING = 24


class DrawingError(KgraphError):
    """The engine did not draw what it was given."""

    code = "NOT_DRAWN"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"image: not drawn, {reason}")


class BusyError(KgraphError):
    """More drawings are waited for than can be made in time."""

    code = "BUSY"

    def __init__(self, waiting: int) -> None:
        self.waiting = waiting
        super().__init__(f"image: found {waiting} drawings waiting; ask again in a few seconds")


class Painter:
    """Draws; at most one image at a time, each image once however many ask for it together."""

    def __init__(
        self, *, seconds: float = _SECONDS, command: tuple[str, ...] | None = None
    ) -> None:
        """A painter that starts its process when first asked.

        Args:
            seconds: how long one drawing may take.
            command: what is run instead of our own worker.
        """
        self._seconds = seconds
        # -P: the worker's folder holds modules that are none of its own.
        self._command = command or (sys.executable, "-P", str(_WORKER))
        self._executor: ThreadPoolExecutor | None = None
        self._drawing: dict[str, Future[bytes]] = {}
        self._lock = threading.Lock()
        self._workers: list[subprocess.Popen[bytes]] = []
        # Whoever lets go of a painter lets go of its process.
        self._finalizer = weakref.finalize(self, _end_all, self._workers)

    @property
    def process_id(self) -> int | None:
        """Of the process that draws; None where none runs."""
        found = next(iter(self._workers), None)
        return None if found is None else found.pid

    def close(self) -> None:
        """End the process; the painter may be asked again and starts another."""
        with self._lock:
            executor, self._executor = self._executor, None
        _end_all(self._workers)
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)
        # One that was being started while the last was ended.
        _end_all(self._workers)

    async def draw_svg(self, name: str, spec: Mapping[str, Any]) -> str:
        """The drawing of a Vega-Lite specification.

        Args:
            name: equal for equal drawings; those that ask for it together wait for one.

        Raises:
            DrawingError, BusyError: it is not made.
        """
        job = {"spec": spec, "version": VEGA_LITE_VERSION}
        return (await self._ask(f"svg {name}", job)).decode()

    async def draw_png(self, name: str, svg: str, scale: float) -> bytes:
        """The pixels of an SVG, `scale` of them to each of its units.

        Raises:
            DrawingError, BusyError: it is not made.
        """
        return await self._ask(f"png {name}", {"svg": svg, "scale": scale})

    async def _ask(self, name: str, job: Mapping[str, Any]) -> bytes:
        with self._lock:
            future = self._drawing.get(name)
            if future is None:
                if len(self._drawing) >= _MAX_WAITING:
                    raise BusyError(len(self._drawing))
                if self._executor is None:
                    self._executor = ThreadPoolExecutor(1, thread_name_prefix="painter")
                future = self._executor.submit(self._draw, job)
                self._drawing[name] = future
        # Outside the lock: what is done already calls back at once.
        future.add_done_callback(self._forget(name))
        # A client that goes away leaves the drawing to those that stay.
        try:
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            if future.cancelled():
                raise DrawingError("the server stops") from None
            raise

    def _forget(self, name: str) -> Callable[[Future[bytes]], None]:
        def forget(future: Future[bytes]) -> None:
            with self._lock:
                if self._drawing.get(name) is future:
                    del self._drawing[name]

        return forget

    def _draw(self, job: Mapping[str, Any]) -> bytes:
        """The answer of the process, which is started where none runs."""
        message = json.dumps(job, ensure_ascii=False).encode()
        # A process that ended while it was idle is found out by asking it.
        for attempt in range(2):
            worker = self._find_worker()
            timer = threading.Timer(self._seconds, worker.kill)
            timer.start()
            try:
                answer = _exchange(worker, message)
            except (OSError, EOFError, ValueError) as error:
                # Who closes the painter closes the pipes, also while they are written and read.
                is_late = timer.finished.is_set()
                _end_all(self._workers)
                if self._executor is None:
                    raise DrawingError("the server stops") from error
                if is_late:
                    raise DrawingError(f"it took more than {self._seconds:g} s") from error
                _log.info("images: the drawing process ended, attempt %d", attempt + 1)
            else:
                return answer
            finally:
                timer.cancel()
        raise DrawingError("the drawing process ended")

    def _find_worker(self) -> subprocess.Popen[bytes]:
        found = next(iter(self._workers), None)
        if found is not None and found.poll() is None:
            return found
        _end_all(self._workers)
        worker = subprocess.Popen(  # noqa: S603 - our own program, by its whole path
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._workers.append(worker)
        settings = {
            "fontFolder": str(FONTS),
            "fontFiles": [str(path) for path in FONT_FILES],
            "fontFamily": "DejaVu Sans",
        }
        with contextlib.suppress(OSError, ValueError):
            _write(worker, json.dumps(settings).encode())
        return worker


def _exchange(worker: subprocess.Popen[bytes], message: bytes) -> bytes:
    """What the process answers.

    Raises:
        OSError, EOFError, ValueError: it is gone, or its pipes are closed.
        DrawingError: it says why it cannot.
    """
    _write(worker, message)
    if worker.stdout is None:
        raise EOFError
    is_drawn, size = struct.unpack(">BI", _read(worker.stdout, 5))
    content = _read(worker.stdout, size)
    if not is_drawn:
        raise DrawingError(" ".join(content.decode(errors="replace").split())[:300])
    return content


def _write(worker: subprocess.Popen[bytes], message: bytes) -> None:
    if worker.stdin is None:
        raise BrokenPipeError
    worker.stdin.write(struct.pack(">I", len(message)) + message)
    worker.stdin.flush()


def _read(stream: IO[bytes], size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _end_all(workers: list[subprocess.Popen[bytes]]) -> None:
    while workers:
        worker = workers.pop()
        worker.kill()
        for stream in (worker.stdin, worker.stdout):
            # What a dead process has not read cannot be flushed.
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        worker.wait()
