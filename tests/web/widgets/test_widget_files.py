"""The built widgets: their files, how they are served, and the documents that they ask."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from asgi import Client
from graphql import OperationDefinitionNode, build_schema, parse, validate

from kgraph.web import WebOptions, build_app, widgets

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from kgraph.catalog import CatalogSource

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "frontend" / "widgets"
BUILT = widgets.STATIC_FOLDER
SLUG = "liger-distill-cosine-loss"
FOLDERS = ("documents", "src", "types")
GUIDE = (ROOT / "docs" / "widgets.md").read_text(encoding="utf-8")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((BUILT / "manifest.json").read_text())
    return manifest


def find_node_modules() -> Path:
    """What `npm ci` installs; skips without it, unless it is required."""
    modules = SOURCES / "node_modules"
    if os.environ.get("KGRAPH_REBUILD_WIDGETS") == "1":
        assert modules.is_dir(), "KGRAPH_REBUILD_WIDGETS is set, but `npm ci` was not run"
    elif not modules.is_dir() or shutil.which("node") is None:
        pytest.skip("run `npm ci` in frontend/widgets/ to rebuild and check types")
    return modules


# What is committed


def test_the_manifest_names_every_built_file_with_its_hashes() -> None:
    built = {path.name: path.read_bytes() for path in BUILT.iterdir()}
    del built["manifest.json"]

    assert read_manifest()["files"] == {
        name: {
            "sha256": sha256(content),
            "integrity": "sha384-"
            + base64.b64encode(hashlib.sha384(content).digest()).decode("ascii"),
            "bytes": len(content),
        }
        for name, content in built.items()
    }


def test_what_is_built_was_built_from_what_is_committed() -> None:
    names = ["build.mjs", "package.json", "package-lock.json"]
    for folder in FOLDERS:
        found = (path for path in (SOURCES / folder).rglob("*") if path.is_file())
        names += [path.relative_to(SOURCES).as_posix() for path in found]
    lines = [f"{sha256((SOURCES / name).read_bytes())} {name}\n" for name in sorted(names)]

    assert read_manifest()["sources"] == sha256("".join(lines).encode()), (
        "frontend/widgets/ changed since the last build; run `npm ci && npm run build` there"
    )


def test_a_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    find_node_modules()

    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=SOURCES, check=True)  # noqa: S603, S607 - our own script

    rebuilt = {path.name: sha256(path.read_bytes()) for path in tmp_path.iterdir()}
    assert rebuilt == {path.name: sha256(path.read_bytes()) for path in BUILT.iterdir()}


def test_every_tool_is_pinned_and_no_registry_is_named() -> None:
    package = json.loads((SOURCES / "package.json").read_text())
    lock = json.loads((SOURCES / "package-lock.json").read_text())
    pins = package["devDependencies"]

    # Nothing of others is shipped, so there is no licence to list either.
    assert "dependencies" not in package
    assert [name for name, pin in pins.items() if not re.fullmatch(r"\d+\.\d+\.\d+", pin)] == []
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert [n for n, e in lock["packages"].items() if n and "integrity" not in e] == []


def test_the_script_is_small_and_runs_no_text() -> None:
    script = (BUILT / "kgraph.js").read_bytes()

    assert len(gzip.compress(script, 9, mtime=0)) < 20_000
    assert len((BUILT / "frame.js").read_bytes()) < 1_500
    for name in ("kgraph.js", "frame.js", "embed.js"):
        text = (BUILT / name).read_text()
        assert re.findall(r"\beval\(|\bFunction\(|innerHTML|outerHTML|insertAdjacent", text) == []
        assert re.findall(r"document\.write|\.setAttribute\(\"style|import\(", text) == []


# The guide


def test_the_guide_gives_the_weights_that_are() -> None:
    told = re.findall(r"^\| `([a-z.]+)` \| ([\d.]+) kB \| ([\d.]+) kB \|$", GUIDE, re.MULTILINE)

    assert len(told) == 4
    for name, plain, small in told:
        content = (BUILT / name).read_bytes()
        assert f"{len(content) / 1000:.1f}" == plain
        # Builds of zlib differ by some bytes.
        zipped = len(gzip.compress(content, 9, mtime=0)) / 1000
        assert float(small) == pytest.approx(zipped, abs=0.1)


def test_the_guide_names_every_element_attribute_state_and_code() -> None:
    script = (SOURCES / "src" / "element.ts").read_text()
    types = (SOURCES / "types" / "kgraph.d.ts").read_text()
    names = re.findall(
        r"'(\w+)'", "".join(re.findall(r"^const (?:NAMES|OTHERS) = .*$", script, re.M))
    )
    [states] = re.findall(r"type KgraphState = (.*);", types)
    codes = re.findall(
        r"new AskError\(\s*'([A-Z_]+)'",
        "".join(path.read_text() for path in (SOURCES / "src").glob("*.ts")),
    )

    assert len(names) == 10
    assert {"BAD_SERVER", "NETWORK", "TIMEOUT"} <= set(codes)
    for name in names:
        assert f"| `{name}` | " in GUIDE
    # Before it is on a page, an element is idle.
    for state in set(re.findall(r"'(\w+)'", states)) - {"idle"}:
        assert f"| `{state}` | " in GUIDE
    for code in {*codes, "UNKNOWN_NAME"} - {"ERROR"}:
        assert f"`{code}`" in GUIDE
        assert f"`{code}`" in types
    for widget in widgets.WIDGETS:
        assert f"| `<kgraph-{widget}>` | `/embed/{widget}` | " in GUIDE


def test_every_link_of_the_guide_leads_to_a_file() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", GUIDE) if "://" not in link]

    assert links
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


# The documents


def test_every_document_fits_the_schema_and_is_named_by_its_hash() -> None:
    schema = build_schema((ROOT / "schema.graphql").read_text())
    names = set()
    for name, text in widgets.widget_documents().items():
        document = parse(text)
        assert validate(schema, document) == []
        assert name == sha256(text.encode())
        [operation] = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
        assert operation.name is not None
        names.add(operation.name.value)

    assert names == widgets.widget_operations()
    shared = {"place"}
    assert len(names) == len({path.stem for path in SOURCES.glob("documents/*")} - shared)


def test_the_script_asks_for_exactly_these_documents() -> None:
    asked = set(re.findall(r"sha256:([0-9a-f]{64})", (BUILT / "kgraph.js").read_text()))

    assert asked == set(widgets.widget_documents())


@pytest.mark.parametrize("only_documents", [False, True], ids=["open", "only trusted"])
def test_every_server_knows_the_documents(
    catalog_source: CatalogSource, only_documents: bool
) -> None:
    options = WebOptions(refresh_seconds=0, only_documents=only_documents)
    client = Client(build_app(catalog_source, options=options))
    [name] = [n for n, t in widgets.widget_documents().items() if "KgraphNewest" in t]

    response = client.send("GET", "/graphql", params={"documentId": f"sha256:{name}"})

    assert response.json()["data"]["catalog"]["snapshot"].startswith("blake3:")
    assert response.headers["cache-control"] == "no-cache"


def test_an_operator_may_add_documents_beside_them(catalog_source: CatalogSource) -> None:
    text = "query Mine { catalog { snapshot } }"
    options = WebOptions(refresh_seconds=0, documents={sha256(text.encode()): text})
    client = Client(build_app(catalog_source, options=options))

    for name in [sha256(text.encode()), *widgets.widget_documents()]:
        answer = client.send("GET", "/graphql", params={"documentId": f"sha256:{name}"}).json()
        codes = [error["extensions"]["code"] for error in answer.get("errors", ())]
        # Most lack their variables; none is unknown.
        assert "PERSISTED_DOCUMENT_NOT_FOUND" not in codes


def test_limits_that_are_too_narrow_for_widgets_do_not_stop_a_server(
    catalog_source: CatalogSource,
) -> None:
    from kgraph.api import Limits  # noqa: PLC0415 - here alone

    app = build_app(catalog_source, options=WebOptions(refresh_seconds=0, limits=Limits(depth=1)))

    assert Client(app).send("GET", "/healthz").status_code == 200


# How it is served


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("kgraph.js", "text/javascript; charset=utf-8"),
        ("frame.js", "text/javascript; charset=utf-8"),
        ("embed.css", "text/css; charset=utf-8"),
        ("kgraph.d.ts", "text/plain; charset=utf-8"),
        ("kgraph-react.d.ts", "text/plain; charset=utf-8"),
    ],
)
def test_a_file_stands_at_a_stable_and_at_a_kept_address(
    client: Client, name: str, content_type: str
) -> None:
    stable = client.send("GET", f"/widgets/{name}")
    kept = client.send("GET", f"/widgets/{widgets.widgets_version()}/{name}")

    assert stable.content == kept.content == (BUILT / name).read_bytes()
    assert stable.headers["cache-control"] == "public, max-age=300"
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    for response in (stable, kept):
        assert response.headers["content-type"] == content_type
        # A module of another site is fetched with CORS, whatever answers may be read by.
        assert response.headers["access-control-allow-origin"] == "*"
        assert response.headers["cross-origin-resource-policy"] == "cross-origin"
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "address",
    [
        "/widgets/0000000000000000/kgraph.js",
        "/widgets/absent.js",
        "/widgets/..%2fwidgets.py",
        "/embed/absent",
        "/embed/",
    ],
)
def test_nothing_else_is_served(client: Client, address: str) -> None:
    assert client.send("GET", address).status_code == 404


@pytest.mark.parametrize("path", ["/widgets/kgraph.js", f"/embed/ranking?operation={SLUG}"])
@pytest.mark.parametrize("coding", ["identity", "gzip", "zstd"])
def test_what_a_client_holds_is_not_sent_again(client: Client, path: str, coding: str) -> None:
    first = client.send("GET", path, headers={"accept-encoding": coding})

    again = client.send(
        "GET", path, headers={"accept-encoding": coding, "if-none-match": first.headers["etag"]}
    )

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_the_manifest_leads_to_files_that_match_their_integrity(client: Client) -> None:
    told = client.send("GET", "/widgets/manifest.json").json()

    assert told["version"] == widgets.widgets_version()
    base = httpx.URL("http://kgraph.test/widgets/manifest.json")
    for file in told["files"].values():
        content = client.send("GET", base.join(file["path"]).path).content
        digest = base64.b64encode(hashlib.sha384(content).digest()).decode("ascii")
        assert (file["integrity"], file["bytes"]) == (f"sha384-{digest}", len(content))


def test_cors_for_answers_stays_off_unless_it_is_set(
    client: Client, catalog_source: CatalogSource
) -> None:
    origin = {"origin": "https://blog.example"}
    options = WebOptions(refresh_seconds=0, cors_origins=("https://blog.example",))
    open_app: Starlette = build_app(catalog_source, options=options)
    query = {"query": "{ catalog { snapshot } }"}

    closed = client.send("GET", "/graphql", params=query, headers=origin)
    opened = [Client(open_app).send("GET", "/graphql", params=query, headers=origin)]
    # The second one comes from memory.
    opened.append(Client(open_app).send("GET", "/graphql", params=query, headers=origin))

    assert "access-control-allow-origin" not in closed.headers
    for response in opened:
        assert response.headers["access-control-allow-origin"] == "https://blog.example"
        assert "Origin" in response.headers["vary"]


# Frames


@pytest.mark.parametrize("widget", widgets.WIDGETS)
def test_a_frame_holds_one_element_and_no_script_of_its_own(client: Client, widget: str) -> None:
    query = f"operation={SLUG}&hardware=NVIDIA+A100&theme=dark&limit=3&unknown=1&server=//evil"
    response = client.send("GET", f"/embed/{widget}?{query}")

    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    element = f'<kgraph-{widget} operation="{SLUG}" hardware="NVIDIA A100" theme="dark" limit="3">'
    assert element in response.text
    assert "evil" not in response.text
    assert set(re.findall(r"<script[^>]*>([^<]*)</script>", response.text)) == {""}
    assert re.findall(r"\sstyle=|<style|\son\w+=", response.text) == []


def test_every_address_in_a_frame_is_answered_below_any_path(client: Client) -> None:
    text = client.send("GET", f"/embed/record?operation={SLUG}").text
    addresses = re.findall(r"(?:href|src)=\"([^\"]+)\"", text)

    assert len(addresses) == 4
    for address in addresses:
        # A proxy may serve the application below a path that it takes away again.
        joined = httpx.URL("http://kgraph.test/below/embed/record").join(address).path
        assert joined.startswith("/below/")
        assert client.send("GET", joined.removeprefix("/below")).status_code == 200


def test_only_frames_may_be_framed(client: Client) -> None:
    frame = client.send("GET", f"/embed/record?operation={SLUG}").headers
    page = client.send("GET", f"/o/{SLUG}").headers

    assert frame["content-security-policy"] == widgets.FRAME_SECURITY_POLICY
    assert "frame-ancestors *" in frame["content-security-policy"]
    assert "unsafe" not in frame["content-security-policy"]
    assert "x-frame-options" not in frame
    assert "frame-ancestors 'none'" in page["content-security-policy"]
    assert page["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "value",
    ['"><script>alert(1)</script>', "' onload='alert(1)", "&quot;<b>", "نواة 🔥", "x" * 5000],
    ids=["markup", "quote", "entity", "other letters", "long"],
)
def test_what_a_frame_is_given_stays_a_value(value: str) -> None:
    text = widgets.write_frame("record", {"operation": value, "theme": value})

    assert text.count("<script") == 2
    assert text.count("<kgraph-record") == 1
    assert "data-theme" not in text
    element = text[text.index("<kgraph-record") : text.index("</kgraph-record")]
    assert element.count('"') == 4
    assert "<" not in element[1:]


def test_a_package_without_the_built_files_says_how_to_build_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widgets, "STATIC_FOLDER", tmp_path)
    # The cached function would answer from the real folder.
    with pytest.raises(widgets.WidgetsMissingError, match="npm run build"):
        widgets.load_widget_files.__wrapped__()
