"""The built playground: its files, their headers, and its examples, without a browser."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from graphql import OperationDefinitionNode, build_schema, parse, validate
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from kgraph.web import playground

ROOT = Path(__file__).resolve().parents[2]
FRONTEND = ROOT / "frontend"
BUILT = playground.STATIC_FOLDER
EXAMPLES = json.loads((FRONTEND / "examples" / "index.json").read_text())
EXAMPLE_NAMES = [example["name"] for example in EXAMPLES]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((BUILT / "manifest.json").read_text())
    return manifest


class Client:
    """Asks an application in this process, one request a call."""

    def __init__(self, app: Starlette) -> None:
        self._transport = httpx.ASGITransport(app=app)

    def get(self, address: str, headers: dict[str, str] | None = None) -> httpx.Response:
        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(
                transport=self._transport, base_url="http://playground.test"
            ) as client:
                return await client.get(address, headers=headers)

        return asyncio.run(ask())


@pytest.fixture
def client() -> Client:
    return Client(Starlette(routes=playground.playground_routes()))


def file_address(name: str) -> str:
    return f"/playground/{playground.playground_version()}/{name}"


# What is committed


def test_manifest_names_every_built_file_with_its_hash() -> None:
    built = {path.name: path.read_bytes() for path in BUILT.iterdir()}
    del built["manifest.json"]

    assert read_manifest()["files"] == {
        name: {"sha256": sha256(content), "bytes": len(content)} for name, content in built.items()
    }


def test_committed_output_was_built_from_the_committed_sources() -> None:
    names = ["build.mjs", "licences.mjs", "package.json", "package-lock.json"]
    names += [f"{path.parent.name}/{path.name}" for path in FRONTEND.glob("examples/*")]
    names += [f"{path.parent.name}/{path.name}" for path in FRONTEND.glob("src/*")]
    lines = [f"{sha256((FRONTEND / name).read_bytes())} {name}\n" for name in sorted(names)]

    assert read_manifest()["sources"] == sha256("".join(lines).encode()), (
        "frontend/ changed since the last build; run `npm ci && npm run build` there"
    )


def test_a_rebuild_gives_the_same_bytes(tmp_path: Path) -> None:
    node = shutil.which("node")
    if os.environ.get("KGRAPH_REBUILD_PLAYGROUND") != "1":
        pytest.skip("set KGRAPH_REBUILD_PLAYGROUND=1 after `npm ci` in frontend/ to rebuild")
    assert node, "KGRAPH_REBUILD_PLAYGROUND is set, but there is no node"

    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=FRONTEND, check=True)  # noqa: S603 - our own script

    rebuilt = {path.name: sha256(path.read_bytes()) for path in tmp_path.iterdir()}
    assert rebuilt == {path.name: sha256(path.read_bytes()) for path in BUILT.iterdir()}


def test_every_dependency_is_pinned_and_no_registry_is_named() -> None:
    package = json.loads((FRONTEND / "package.json").read_text())
    lock = json.loads((FRONTEND / "package-lock.json").read_text())
    pins = package["dependencies"] | package["devDependencies"]

    assert [name for name, pin in pins.items() if not re.fullmatch(r"\d+\.\d+\.\d+", pin)] == []
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert [n for n, e in lock["packages"].items() if n and "integrity" not in e] == []


def test_every_bundled_package_has_its_licence_listed() -> None:
    text = (BUILT / "THIRD-PARTY-LICENCES.txt").read_text()
    listed = dict(re.findall(r"^(\S+) \S+\nDeclared licence: (.+)$", text, flags=re.MULTILINE))

    assert set(listed) == set(read_manifest()["packages"])
    # A licence outside these needs a look before it ships.
    assert set(listed.values()) <= {"MIT", "Apache-2.0", "BSD-2-Clause", "0BSD", "OFL-1.1"}


@pytest.mark.parametrize("name", ["index.html", "main.css", "icon.svg"])
def test_page_and_styles_load_nothing_from_another_host(name: str) -> None:
    text = (BUILT / name).read_text()

    addresses = re.findall(r"(?:url\(|src=|href=|@import )[\"']?([^\"')\s]+)", text)
    assert [address for address in addresses if re.match(r"(?:[a-z]+:)?//", address)] == []


# How it is served


def test_page_carries_its_policy_and_is_asked_for_again(client: Client) -> None:
    response = client.get("/playground")

    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["content-security-policy"] == playground.CONTENT_SECURITY_POLICY
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "{{" not in response.text
    assert 'data-endpoint="/graphql"' in response.text


def test_page_holds_no_script_of_its_own(client: Client) -> None:
    page = client.get("/playground").text

    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    assert re.findall(r"\son\w+=", page) == []


def test_every_address_on_the_page_is_answered(client: Client) -> None:
    addresses = re.findall(r"(?:href|src)=\"([^\"]+)\"", client.get("/playground").text)

    assert len(addresses) == 3
    assert [client.get(address).status_code for address in addresses] == [200] * 3


def test_page_escapes_the_addresses_it_is_given() -> None:
    page = playground.playground_page(endpoint='/g"><script>', prefix="/p&q")

    assert b'data-endpoint="/g&quot;&gt;&lt;script&gt;"' in page.content
    assert b'src="/p&amp;q/' in page.content


@pytest.mark.parametrize(
    ("name", "content_type"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("editor.worker.js", "text/javascript; charset=utf-8"),
        ("main.css", "text/css; charset=utf-8"),
        ("codicon.ttf", "font/ttf"),
        ("THIRD-PARTY-LICENCES.txt", "text/plain; charset=utf-8"),
    ],
)
def test_files_are_kept_for_good_and_typed(client: Client, name: str, content_type: str) -> None:
    response = client.get(file_address(name))

    assert response.content == (BUILT / name).read_bytes()
    assert response.headers["content-type"] == content_type
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["content-security-policy"] == playground.CONTENT_SECURITY_POLICY


def test_gzip_and_plain_forms_hold_the_same_under_different_tags(client: Client) -> None:
    zipped = client.get(file_address("main.js"), headers={"accept-encoding": "gzip"})
    plain = client.get(file_address("main.js"), headers={"accept-encoding": "identity"})

    assert zipped.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert zipped.content == plain.content
    assert int(zipped.headers["content-length"]) < int(plain.headers["content-length"]) / 3
    assert zipped.headers["vary"] == plain.headers["vary"] == "accept-encoding"
    assert zipped.headers["etag"] != plain.headers["etag"]


def test_compressed_fonts_are_not_compressed_again(client: Client) -> None:
    name = "fira-code-latin-wght-normal.woff2"
    response = client.get(file_address(name), headers={"accept-encoding": "gzip"})

    assert "content-encoding" not in response.headers
    assert "vary" not in response.headers


@pytest.mark.parametrize("address", ["/playground", "main.js"], ids=["page", "file"])
@pytest.mark.parametrize("weaken", ["", "W/"], ids=["strong", "weak"])
def test_a_known_tag_gets_no_body(client: Client, address: str, weaken: str) -> None:
    address = address if address.startswith("/") else file_address(address)
    tag = client.get(address).headers["etag"]

    response = client.get(address, headers={"if-none-match": f'"other", {weaken}{tag}'})

    assert (response.status_code, response.content) == (304, b"")
    assert response.headers["etag"] == tag


@pytest.mark.parametrize(
    "address",
    ["/playground/0000000000000000/main.js", "{version}/absent.js", "{version}/..%2fplayground.py"],
    ids=["another version", "unknown file", "a way out"],
)
def test_only_files_of_this_version_are_served(client: Client, address: str) -> None:
    version = f"/playground/{playground.playground_version()}"

    assert client.get(address.format(version=version)).status_code == 404


def test_version_follows_from_the_manifest() -> None:
    manifest = (BUILT / "manifest.json").read_bytes()

    assert playground.playground_version() == sha256(manifest)[:16]


def test_a_package_without_the_built_files_says_how_to_build_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playground, "STATIC_FOLDER", tmp_path)
    # The cached function would answer from the real folder.
    with pytest.raises(playground.PlaygroundMissingError, match="npm run build"):
        playground.load_assets.__wrapped__()


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ("", False),
        ("gzip", True),
        ("GZip;q=0.5, br", True),
        ("br, *", True),
        ("*, gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("gzip;q=much", False),
        ("deflate, br;q=1", False),
    ],
)
def test_gzip_is_sent_only_where_it_is_accepted(value: str, accepted: bool) -> None:
    assert playground.accepts_gzip(value) is accepted


@given(st.text(max_size=60))
def test_any_accept_encoding_is_read(value: str) -> None:
    assert playground.accepts_gzip(value) in {True, False}


def test_zipped_forms_are_the_same_in_every_process() -> None:
    for asset in playground.load_assets().values():
        if asset.zipped is not None:
            assert gzip.compress(asset.content, compresslevel=9, mtime=0) == asset.zipped
            assert gzip.decompress(asset.zipped) == asset.content


def test_the_whole_stays_within_its_size() -> None:
    assets = playground.load_assets().values()

    # GraphiQL bundled as it comes is 7.4 MB, and 2.2 MB as gzip.
    assert sum(len(asset.content) for asset in assets) < 6_500_000
    assert sum(len(asset.zipped or asset.content) for asset in assets) < 1_800_000


# The examples


def test_every_example_file_is_in_the_index() -> None:
    files = {path.name for path in (FRONTEND / "examples").glob("*.graphql")}

    assert files == {f"{name}.graphql" for name in EXAMPLE_NAMES}


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_example_is_one_operation_with_the_variables_it_declares(name: str) -> None:
    document = parse((FRONTEND / "examples" / f"{name}.graphql").read_text())
    file = FRONTEND / "examples" / f"{name}.variables.json"
    variables = json.loads(file.read_text()) if file.exists() else {}

    [operation] = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    declared = {v.variable.name.value for v in operation.variable_definitions or ()}
    assert set(variables) <= declared
    required = {
        definition.variable.name.value
        for definition in operation.variable_definitions or ()
        if definition.type.kind == "non_null_type"
    }
    assert required <= set(variables)


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_example_is_valid_against_the_schema(name: str) -> None:
    schema_file = ROOT / "schema.graphql"
    if not schema_file.exists():
        pytest.skip("schema.graphql is not generated yet")

    document = parse((FRONTEND / "examples" / f"{name}.graphql").read_text())
    errors = validate(build_schema(schema_file.read_text()), document)

    assert [error.message for error in errors] == []
