"""Strict types, those that are shipped, and words as the server writes them.

Needs Node and `npm ci` in frontend/widgets/; KGRAPH_REBUILD_WIDGETS=1 turns their lack into a
failure.
"""

from __future__ import annotations

import json
import math
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from test_widget_files import BUILT, SOURCES, find_node_modules

from kgraph.units import format_quantity, format_ratio
from kgraph.web.pages.words import show_code, show_level, show_speedup, show_ticks

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = {
    "compilerOptions": {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "target": "es2022",
        "module": "esnext",
        "moduleResolution": "bundler",
        "lib": ["es2022", "dom"],
        "types": [],
        "noEmit": True,
        "skipLibCheck": False,
        "jsx": "react-jsx",
    }
}

PLAIN = """
import type { KgraphErrorDetail, KgraphState } from './kgraph';

const ranking = document.createElement('kgraph-ranking');
ranking.operation = 'liger-rms-norm';
ranking.theme = 'dark';
ranking.limit = 5;
ranking.refresh = null;
const state: KgraphState = ranking.state;
ranking.addEventListener('kgraph-load', ({ detail }) => detail.cohort?.slice(0, 8));
ranking.addEventListener('click', (event) => event.clientX);
document.addEventListener('kgraph-error', ({ detail }) => show(detail));
document.querySelector('kgraph-scaling')?.axis.length;
const done: Promise<void> = ranking.reload();
function show({ code, message }: KgraphErrorDetail): string {
  return `${code}: ${message} ${state} ${String(done)}`;
}
// @ts-expect-error -- no such theme
ranking.theme = 'blue';
// @ts-expect-error -- what it does cannot be set
ranking.state = 'ready';
// @ts-expect-error -- no such detail
ranking.addEventListener('kgraph-load', ({ detail }) => detail.rows);
"""

REACT = """
import type {} from './kgraph-react';

export const board = (
  <main>
    <kgraph-ranking operation="liger-rms-norm" limit={5} theme="auto" className="wide" />
    <kgraph-scaling operation="liger-rms-norm" axis="hidden" ref={(one) => void one?.reload()} />
    <kgraph-record cohort="sha256:…" onkgraph-load={({ detail }) => detail.snapshot} />
    <kgraph-history operation="liger-rms-norm" hidden />
    <kgraph-headroom operation="liger-rms-norm" refresh="60" />
  </main>
);
// @ts-expect-error -- a card has no axis
export const wrong = <kgraph-record axis="hidden" />;
"""

VALUES = (
    0.0,
    0.3,
    1,
    1.125,
    1.05,
    850,
    999.94,
    999.95,
    999.96,
    1_000,
    12_345.678,
    59_177_982,
    6.25,
)
UNITS = ("ns", "us", "ms", "s", "tokens_s", "tflops", "percent", "ratio", "widgets", None)
RATIOS = (0.5, 0.995, 0.9951, 1.0, 1.004, 1.005, 1.125, 1.375, 17.748629574243317, 12_345.675)
TICKS = (
    ((14e6, 14.5e6, 15e6), "ns"),
    ((1e3, 2e3, 5e3), "ns"),
    ((0.001, 0.002, 0.005), "tflops"),
    ((100.01e6, 100.02e6), "ns"),
    ((0, 20, 40), None),
)


def run_tsc(*arguments: str, folder: Path) -> None:
    tsc = find_node_modules() / "typescript" / "bin" / "tsc"
    done = subprocess.run(  # noqa: S603 - our own program
        ["node", str(tsc), *arguments],  # noqa: S607 - of the developer's own machine
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_sources_fit_the_types_that_are_shipped() -> None:
    run_tsc("--noEmit", folder=SOURCES)


@pytest.mark.parametrize(("name", "text"), [("plain.ts", PLAIN), ("react.tsx", REACT)])
def test_strict_programs_use_the_shipped_types(tmp_path: Path, name: str, text: str) -> None:
    modules = find_node_modules()
    for types in ("kgraph.d.ts", "kgraph-react.d.ts"):
        # Without React, the types of React are not there to be extended.
        if types == "kgraph.d.ts" or name == "react.tsx":
            (tmp_path / types).write_bytes((BUILT / types).read_bytes())
    if name == "react.tsx":
        (tmp_path / "node_modules").symlink_to(modules, target_is_directory=True)
    (tmp_path / name).write_text(text)
    (tmp_path / "tsconfig.json").write_text(json.dumps(CONFIG))

    run_tsc("--project", str(tmp_path), folder=tmp_path)


def ask_script(tmp_path: Path, calls: list[list[Any]]) -> list[Any]:
    """What functions of `words.ts` answer: each call is a name and its arguments."""
    modules = find_node_modules()
    script = f"""
        import * as esbuild from {json.dumps(str(modules / "esbuild" / "lib" / "main.js"))};
        const [source, target, calls] = process.argv.slice(2);
        await esbuild.build({{ entryPoints: [source], outfile: target, format: 'esm' }});
        const words = await import(target);
        const told = JSON.parse(calls).map(([name, ...given]) => words[name](...given));
        console.log(JSON.stringify(told));
    """
    (tmp_path / "ask.mjs").write_text(script)
    arguments = [str(SOURCES / "src" / "words.ts"), str(tmp_path / "words.mjs"), json.dumps(calls)]
    done = subprocess.run(  # noqa: S603 - our own program
        ["node", str(tmp_path / "ask.mjs"), *arguments],  # noqa: S607 - of the developer's own machine
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[Any] = json.loads(done.stdout)
    return answers


def test_quantities_and_ratios_are_written_as_the_server_writes_them(tmp_path: Path) -> None:
    # Nothing measured is a negative zero, which the two languages write differently.
    values = [sign * value for value in VALUES for sign in (1, -1) if value or sign > 0]
    values += [math.ldexp(number, -power) for number in range(1, 40, 3) for power in range(12)]
    quantities = [(value, unit) for value in values for unit in UNITS]
    ratios = [*RATIOS, *(number / 8 for number in range(1, 100))]

    told = ask_script(
        tmp_path,
        [["showQuantity", value, unit] for value, unit in quantities]
        + [["showRatio", ratio] for ratio in ratios]
        + [["showPercent", ratio] for ratio in ratios]
        + [["showTicks", list(ticks), unit] for ticks, unit in TICKS],
    )

    expected: list[Any] = [format_quantity(value, unit) for value, unit in quantities]
    expected += [format_ratio(ratio) for ratio in ratios]
    expected += [f"{ratio:.1f} %" for ratio in ratios]
    expected += [list(show_ticks(ticks, unit)) for ticks, unit in TICKS]
    assert told == expected


def test_words_are_those_of_the_pages(tmp_path: Path) -> None:
    codes = ["NO_PUBLIC_SOURCE", "NO_INSTALL_RECIPE", "LICENSE_UNKNOWN", "RETRACTION"]
    levels = ["REPORTED", "REPRODUCIBLE", "VERIFIED", "REPLICATED"]
    speedups = [(ratio, unit) for ratio in RATIOS for unit in ("ns", "tokens_s", None)]

    told = ask_script(
        tmp_path,
        [["showCode", code] for code in codes]
        + [["showLevel", level] for level in levels]
        + [
            ["showSpeedup", {"isBaseline": False, "speedupOverBaseline": ratio, "unit": unit}]
            for ratio, unit in speedups
        ],
    )

    def shorten(words: str) -> str:
        return words.replace(" than the baseline", "").replace(" to the baseline", "")

    assert told == [
        *map(show_code, codes),
        *map(show_level, levels),
        *(shorten(show_speedup(ratio, unit)) for ratio, unit in speedups),
    ]
