"""The process that draws: Vega-Lite specifications in, SVG or PNG out, over its own pipes.

A script of its own, run by its path: it shares no import with the server, starts in a fraction of
a second and takes the drawing engine's memory with it when it ends. Each message is its length in
four bytes and JSON; each answer is a byte that says whether it went well, its length and its bytes.
"""

from __future__ import annotations

import json
import os
import struct
import threading
from typing import IO, Any

import resvg_py
import vl_convert

# Memory grows by about 0.1 MB with every drawing; after these a fresh process is cheaper.
_MAX_DRAWINGS = 1_000
# So long nobody asked that the memory is of more use to others.
_IDLE_SECONDS = 300.0


def main() -> None:
    """Draw what is asked for until nobody asks any more."""
    # Nothing that a library prints may stand between answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    requests = os.fdopen(0, "rb", buffering=0)
    settings = _receive(requests)
    if settings is None:
        return
    vl_convert.register_font_directory(settings["fontFolder"])
    for _ in range(_MAX_DRAWINGS):
        # Whoever asks at this very moment finds the process gone, and starts another.
        idle = threading.Timer(_IDLE_SECONDS, os._exit, (0,))
        idle.daemon = True
        idle.start()
        job = _receive(requests)
        idle.cancel()
        if job is None:
            return
        try:
            content, is_drawn = _draw(job, settings), True
        except (ValueError, RuntimeError, TypeError) as error:
            content, is_drawn = str(error).encode(errors="replace"), False
        _send(answers, struct.pack(">BI", is_drawn, len(content)) + content)


def _draw(job: dict[str, Any], settings: dict[str, Any]) -> bytes:
    if "spec" in job:
        # Every value is in the specification; nothing is fetched.
        drawn = vl_convert.vegalite_to_svg(
            job["spec"], vl_version=job["version"], allowed_base_urls=[]
        )
        return drawn.encode()
    return resvg_py.svg_to_bytes(
        svg_string=job["svg"],
        zoom=job["scale"],
        skip_system_fonts=True,
        font_files=settings["fontFiles"],
        font_family=settings["fontFamily"],
        sans_serif_family=settings["fontFamily"],
    )


def _receive(stream: IO[bytes]) -> dict[str, Any] | None:
    head = _read(stream, 4)
    if head is None:
        return None
    body = _read(stream, struct.unpack(">I", head)[0])
    return None if body is None else json.loads(body)


def _read(stream: IO[bytes], size: int) -> bytes | None:
    """Exactly so many bytes; None where the other side is gone."""
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(stream: IO[bytes], content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[stream.write(rest) :]


if __name__ == "__main__":
    main()
