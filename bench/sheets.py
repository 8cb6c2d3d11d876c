"""All runs of the public catalogue as CSV, Parquet and Arrow, beside the same pages as JSON.

    python bench/sheets.py [--export FILE.jsonl.zst] [--runs 3]

The export is one that lies beside the repository unless another is named. Each form is written in
a process of its own, which first reads every page once and writes one, so that neither facts in
memory nor libraries count: `loading` is what the latter take. `grown` is the memory of the process
at its highest while all runs are written, as the kernel counts it, less what it held before.
`json` is the yardstick: the same pages asked for and encoded as the server does, and let go of.
Times are the best of the runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from catalogue import EXPORTS, import_file, open_catalog, timed

from kgraph.api import Engine, Limits, Moment, Request, build_schema, plan_export, write_pages
from kgraph.sheet import FORMS, make_writer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kgraph.api import ConnectionExport

JSON = "json"
FORM_NAMES = (JSON, *(form.name for form in FORMS))
DOCUMENT = """
query AllRuns {
  runs {
    nodes {
      digest
      title
      status
      observedAt
      stale
      primary { value unit }
      implementation { title language license { concluded } }
      environment { hardware { product memoryBytes } }
      workload { label axes { name value } }
      standing { rank ratioToLeader }
      cohort { key }
      source { slug }
    }
  }
}
"""


async def write_json(
    export: ConnectionExport, engine: Engine, moment: Moment
) -> AsyncIterator[bytes]:
    """The pages as answers, each of them encoded."""
    plan, after, has_more = export.plan, None, True
    while has_more:
        request = Request(plan.document, plan.ask(export.page_size, after))
        answer = await engine.answer(request, moment)
        page = plan.find(answer.body["data"])
        assert isinstance(page, dict)
        after, has_more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        yield orjson.dumps(answer.body)


async def write(form_name: str, folder: Path) -> dict[str, Any]:
    """Write all runs in one form, part after part, and say what it took."""
    engine = Engine(build_schema(), Limits())
    moment = Moment(open_catalog(folder), datetime.now(UTC), base_url="", request_id="bench")
    export = await plan_export(engine, Request(DOCUMENT), request_id="bench")
    rows = sum([page.row_count async for page in export.pages(moment)])

    def begin(export: ConnectionExport) -> AsyncIterator[bytes]:
        if form_name == JSON:
            return write_json(export, engine, moment)
        form = next(one for one in FORMS if one.name == form_name)
        return write_pages(export.pages(moment), make_writer(form, export.columns, metadata={}))

    # Libraries are loaded by a short export, and are not the form's.
    loading = read_status("VmRSS")
    short = await plan_export(engine, Request(DOCUMENT), limit=200, request_id="bench")
    async for _ in begin(short):
        pass
    loading = read_status("VmRSS") - loading
    before = reset_peak()
    started, processor = time.perf_counter(), time.process_time()
    first, size = 0.0, 0
    async for part in begin(export):
        first = first or time.perf_counter() - started
        size += len(part)
    seconds, cpu = time.perf_counter() - started, time.process_time() - processor
    engine.close()
    return {
        "rows": rows,
        "columns": len(export.columns),
        "seconds": seconds,
        "cpu": cpu,
        "first": first,
        "bytes": size,
        "loading": loading,
        "grown": read_status("VmHWM") - before,
    }


def reset_peak() -> int:
    """Forget the highest memory of this process; what it holds now, in bytes."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return read_status("VmRSS")


def read_status(name: str) -> int:
    """Bytes of one kind of memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--export", type=Path, help="an export of the public catalogue")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--form", choices=FORM_NAMES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.form is not None:
        print(json.dumps(asyncio.run(write(asked.form, asked.folder))))
        return
    export = asked.export or next(iter(sorted(EXPORTS.glob("*.jsonl.zst"))), None)
    if export is None:
        parser.error("no export beside the repository; name one with --export")
    print(f"repeat: python bench/sheets.py {' '.join(sys.argv[1:])}".rstrip())
    print(f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, {export.name}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        import_file(export, folder)
        timed(lambda: open_catalog(folder))
        best: dict[str, dict[str, Any]] = {}
        for _ in range(asked.runs):
            for form in FORM_NAMES:
                command = [sys.executable, __file__, "--form", form, "--folder", str(folder)]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                found = json.loads(done.stdout)
                if form not in best or found["seconds"] < best[form]["seconds"]:
                    best[form] = found
    print(f"{best[JSON]['rows']:,} rows of {best[JSON]['columns']} columns\n")
    heading = f"{'form':10}{'rows/s':>9}{'seconds':>9}{'CPU s':>8}{'first ms':>10}"
    print(f"{heading}{'MB':>7}{'grown MB':>10}{'loading MB':>12}")
    for form, found in best.items():
        print(
            f"{form:10}{found['rows'] / found['seconds']:9,.0f}{found['seconds']:9.2f}"
            f"{found['cpu']:8.2f}{found['first'] * 1e3:10.1f}{found['bytes'] / 1e6:7.2f}"
            f"{found['grown'] / 1e6:10.1f}{found['loading'] / 1e6:12.1f}"
        )


if __name__ == "__main__":
    main()
