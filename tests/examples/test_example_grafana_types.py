"""The Grafana dashboard held to the types that Grafana publishes (npm `@grafana/schema`)."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from node_packages import require_packages, run_program

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent / "grafana"
DASHBOARD: dict[str, Any] = json.loads(
    (HERE.parents[2] / "examples/grafana/dashboards/kgraph.json").read_text("utf-8")
)

_PANELS = "./node_modules/@grafana/schema/dist/types/raw/composable"
_HEAD = f"""\
import type {{ Dashboard, Panel, VariableModel }} from '@grafana/schema';
import type {{ TableFieldOptions, TableOptions }} from '@grafana/schema';
import type * as barchart from '{_PANELS}/barchart/panelcfg/x/types.gen';
import type * as stat from '{_PANELS}/stat/panelcfg/x/types.gen';
import type * as timeseries from '{_PANELS}/timeseries/panelcfg/x/types.gen';
import type * as xychart from '{_PANELS}/xychart/panelcfg/x/types.gen';
import type {{ Part, Plain }} from './plain';
"""
_OPTIONS = {"table": "Part<TableOptions>"}
_FIELDS = {"table": "TableFieldOptions", "stat": "{}"}
# Of tables before Grafana 12, whose hidden columns were named differently.
_OLDER = {"custom.hidden"}


def write_program(dashboard: dict[str, Any]) -> str:
    """TypeScript that compiles where each part of a dashboard has the type Grafana gives it."""
    whole = copy.deepcopy(dashboard)
    panels = whole.pop("panels")
    variables = whole.pop("templating")["list"]
    constants = [("Plain<Dashboard>", whole)]
    constants += [("Plain<VariableModel>", variable) for variable in variables]
    for panel in panels:
        kind = panel["type"]
        options = _OPTIONS.get(kind, f"{kind}.Options")
        fields = f"Part<Plain<{_FIELDS.get(kind, f'{kind}.FieldConfig')}>>"
        constants.append(("Plain<Panel>", panel))
        constants.append((f"Plain<{options}>", panel["options"]))
        constants.append((fields, panel["fieldConfig"]["defaults"].get("custom", {})))
        for override in panel["fieldConfig"]["overrides"]:
            for item in override["properties"]:
                if item["id"].startswith("custom.") and item["id"] not in _OLDER:
                    value = item["value"]
                    for name in reversed(item["id"].split(".")[1:]):
                        value = {name: value}
                    constants.append((fields, value))
    lines = [
        f"export const part{number}: {kind} = {json.dumps(value, ensure_ascii=False)};"
        for number, (kind, value) in enumerate(constants)
    ]
    return "\n".join([_HEAD, *lines, ""])


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any]], str]:
    """Compiles a dashboard; what the compiler has to say against it."""
    modules = require_packages(HERE)

    def compile_(dashboard: dict[str, Any]) -> str:
        folder = tmp_path_factory.mktemp("grafana")
        (folder / "node_modules").symlink_to(modules)
        for name in ("plain.ts", "tsconfig.json"):
            shutil.copy(HERE / name, folder)
        (folder / "dashboard.ts").write_text(write_program(dashboard), encoding="utf-8")
        done = run_program([str(modules / ".bin/tsc"), "--project", "."], folder)
        assert bool(done.stdout) == bool(done.returncode), done.stderr
        return done.stdout

    return compile_


def test_the_dashboard_has_the_types_that_grafana_publishes(
    compiler: Callable[[dict[str, Any]], str],
) -> None:
    assert compiler(DASHBOARD) == ""


def test_a_slip_in_a_dashboard_is_seen(compiler: Callable[[dict[str, Any]], str]) -> None:
    slipped = copy.deepcopy(DASHBOARD)
    slipped["timezon"] = "utc"
    by_type = {panel["type"]: panel for panel in slipped["panels"]}
    by_type["xychart"]["options"]["mapping"] = "automatic"
    by_type["timeseries"]["fieldConfig"]["defaults"]["custom"]["lineInterpolation"] = "step"
    slipped["templating"]["list"][0]["sort"] = 70

    said = compiler(slipped)

    assert said.count("error TS") == 4
    for found in ("timezon", '"automatic"', '"step"', "70"):
        assert found in said
