from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
import kgraph.client
print(*sorted(name for name in sys.modules))
"""


def test_the_client_brings_no_server_room_and_no_frame_library() -> None:
    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())

    ours = {name for name in loaded if name.startswith("kgraph.")}
    assert {name for name in ours if not name.startswith("kgraph.client")} == {"kgraph.errors"}
    assert not loaded & {"pandas", "polars", "duckdb", "strawberry", "graphql", "starlette"}


def test_a_missing_httpx_is_named_with_its_extra() -> None:
    program = "import sys; sys.modules['httpx'] = None; import kgraph.client"

    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert "pip install 'kgraph[client]'" in done.stderr
