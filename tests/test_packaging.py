"""The wheel has everything in it, and works where there is no checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kgraph import __version__

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    script = (
        "import sys; from hatchling.builders.wheel import WheelBuilder;"
        "print(*WheelBuilder(sys.argv[1]).build(directory=sys.argv[2], versions=['standard']))"
    )
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", script, str(ROOT), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, laid out as an installer does."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def call(installed: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed program in an empty folder of a user who has nothing yet."""
    home.mkdir(exist_ok=True)
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KGRAPH_", "XDG_", "PYTHON"))
    }
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", "from kgraph.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env=environ | {"PYTHONPATH": str(installed), "HOME": str(home)},
    )


def test_the_wheel_holds_everything_that_is_read_at_run_time(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "kgraph", "objects"],  # noqa: S607 - of the developer's own machine
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    ).stdout.splitlines()

    assert "kgraph/py.typed" in names
    assert "kgraph/index/tables.sql" in names
    assert "kgraph/importers/data/liger-kernels.json" in names
    assert "kgraph/web/static/playground/index.html" in names
    assert "kgraph/starter/log/00000001.json" in names
    assert f"kgraph-{__version__}.dist-info/licenses/LICENSE" in names
    expected = {
        f"kgraph/starter/{name.removeprefix('objects/')}" if name.startswith("objects/") else name
        for name in tracked
        if (ROOT / name).exists()
    }
    assert expected - names == set()


def test_the_version_of_the_package_is_the_projects(wheel: Path) -> None:
    assert wheel.name.startswith(f"kgraph-{__version__}-")


def test_an_installed_package_serves_the_starter_catalogue(installed: Path, tmp_path: Path) -> None:
    done = call(installed, tmp_path / "home", "log", "--json")

    assert done.returncode == 0, done.stderr
    (entry,) = json.loads(done.stdout)
    assert entry["source"] == "liger-kernel-bench"


def test_the_first_publication_begins_a_store_of_the_users_own(
    installed: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    before = {file: file.stat().st_mtime_ns for file in (installed / "kgraph/starter").rglob("*")}
    files = [str(file) for file in sorted((ROOT / "examples/own-run").glob("*.yaml"))]

    dry = call(installed, home, "publish", *files, "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    assert not (home / ".local").exists()

    done = call(installed, home, "publish", *files, "--json")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["runsAdded"] == 1
    assert (home / ".local/share/kgraph/objects/log/00000002.json").exists()
    entries = json.loads(call(installed, home, "log", "--json").stdout)
    assert [entry["sequence"] for entry in entries] == [2, 1]
    assert call(installed, home, "verify").returncode == 0
    after = {file: file.stat().st_mtime_ns for file in (installed / "kgraph/starter").rglob("*")}
    assert after == before
