"""The widgets for other sites: their script, what frames need, and the documents that they ask.

Everything comes from `static/widgets`, which `frontend/widgets/build.mjs` writes. Each file stands
at two addresses: a stable one, asked for again after minutes, and one that names the content of the
build, kept for good. Both may be loaded by the pages of any site: they hold nothing that is not
public. Whether those pages may read answers is another matter, which the CORS setting decides.
"""

from __future__ import annotations

import hashlib
import html
import re
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kgraph.errors import KgraphError
from kgraph.web.answers import StoredAnswer, tag_coding
from kgraph.web.negotiate import CODINGS, choose_coding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request as HttpRequest

STATIC_FOLDER = Path(__file__).parent / "static" / "widgets"
"""Where the built files lie inside the package."""

WIDGETS = ("ranking", "record", "history", "scaling", "headroom")
"""What can be shown, by the names of the elements and of the frames."""

FRAME_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors *",
    )
)
"""Policy of a frame: any site may show it, and nothing of another site is in it."""

# What a frame hands on to its element. Its server is its own.
_ATTRIBUTES = (
    "operation",
    "workload",
    "hardware",
    "cohort",
    "theme",
    "snapshot",
    "limit",
    "axis",
    "refresh",
)
_THEMES = ("light", "dark")

_MANIFEST = "manifest.json"
_DOCUMENTS = "documents.json"
_CONTENT_TYPES = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".ts": "text/plain; charset=utf-8",
    }
)

# A year, the longest that caches are asked to honour.
_KEEP_FOR_GOOD = "public, max-age=31536000, immutable"
# A new release is on every page some minutes after it is served.
_KEEP_SHORTLY = "public, max-age=300"


class WidgetsMissingError(KgraphError):
    """The package was installed without the built widgets."""

    code = "WIDGETS_MISSING"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: no {_MANIFEST} found, expected the built widgets; "
            "run `npm ci && npm run build` in frontend/widgets/"
        )


@cache
def load_widget_files() -> Mapping[str, StoredAnswer]:
    """Every file of the build by name, read once for the process.

    Raises:
        WidgetsMissingError: the package holds no built widgets.
    """
    if not (STATIC_FOLDER / _MANIFEST).is_file():
        raise WidgetsMissingError(STATIC_FOLDER)
    paths = sorted(path for path in STATIC_FOLDER.iterdir() if path.suffix in _CONTENT_TYPES)
    return MappingProxyType({path.name: StoredAnswer(path.read_bytes()) for path in paths})


@cache
def widgets_version() -> str:
    """Sixteen hex characters that change when any file of the build does.

    Raises:
        WidgetsMissingError: the package holds no built widgets.
    """
    # The manifest holds the hash of every other file.
    return hashlib.sha256(load_widget_files()[_MANIFEST].content).hexdigest()[:16]


@cache
def widget_documents() -> Mapping[str, str]:
    """The documents that widgets ask for by id: hex digits to document.

    Raises:
        WidgetsMissingError: the package holds no built widgets.
    """
    known: dict[str, str] = orjson.loads(load_widget_files()[_DOCUMENTS].content)
    return MappingProxyType({name.removeprefix("sha256:"): text for name, text in known.items()})


def widget_operations() -> frozenset[str]:
    """Names of the operations in `widget_documents`."""
    return frozenset(re.findall(r"\bquery (\w+)", "\n".join(widget_documents().values())))


def widget_routes() -> list[BaseRoute]:
    """The files at both of their addresses, what they are, and the frames."""
    return [
        Route("/widgets/manifest.json", _send_manifest, methods=["GET"]),
        Route("/widgets/{name}", _send_file, methods=["GET"]),
        Route("/widgets/{version}/{name}", _send_file, methods=["GET"]),
        Route("/embed/{widget}", _send_frame, methods=["GET"]),
    ]


async def _send_file(http: HttpRequest) -> Response:
    name, version = http.path_params["name"], http.path_params.get("version")
    stored = load_widget_files().get(name)
    # Another version is another build's address; our bytes would stay in a cache for good.
    if stored is None or version not in {None, widgets_version()}:
        return _refuse("No such file in this version of the widgets.")
    cache_control = _KEEP_SHORTLY if version is None else _KEEP_FOR_GOOD
    content_type = _CONTENT_TYPES[name[name.rindex(".") :]]
    return _send(http, stored, content_type=content_type, cache_control=cache_control)


async def _send_manifest(http: HttpRequest) -> Response:
    """Each file of this build: where it is kept for good, from here, and what to check it by."""
    version = widgets_version()
    files: dict[str, Any] = orjson.loads(load_widget_files()[_MANIFEST].content)["files"]
    told = {
        "version": version,
        "files": {
            name: {
                "path": f"{version}/{name}",
                "integrity": file["integrity"],
                "bytes": file["bytes"],
            }
            for name, file in files.items()
        },
    }
    stored = StoredAnswer(orjson.dumps(told, option=orjson.OPT_INDENT_2))
    return _send(http, stored, content_type="application/json", cache_control=_KEEP_SHORTLY)


async def _send_frame(http: HttpRequest) -> Response:
    widget = http.path_params["widget"]
    if widget not in WIDGETS:
        return _refuse(f"No such widget; there are {', '.join(WIDGETS)}.")
    given = {
        name: value for name in _ATTRIBUTES if (value := http.query_params.get(name, "").strip())
    }
    stored = StoredAnswer(write_frame(widget, given).encode())
    headers = {
        "content-security-policy": FRAME_SECURITY_POLICY,
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "referrer-policy": "no-referrer",
    }
    return _send(
        http,
        stored,
        content_type="text/html; charset=utf-8",
        # It names the files of this build, which another one does not have.
        cache_control="no-cache",
        headers=headers,
    )


def write_frame(widget: str, given: Mapping[str, str]) -> str:
    """The page inside a frame: one element, and the script that tells its height.

    Its addresses are relative, so that it works below any path of a proxy.

    Args:
        widget: one of `WIDGETS`.
        given: attributes of the element.
    """
    files = f"../widgets/{widgets_version()}"
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in given.items())
    theme = given.get("theme", "")
    fixed = f' data-theme="{theme}"' if theme in _THEMES else ""
    operation = given.get("operation")
    page = f"../o/{quote(operation, safe='')}" if operation else "../"
    return f"""<!doctype html>
<html lang="en"{fixed}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>kgraph {widget}</title>
<base target="_blank">
<link rel="stylesheet" href="{files}/embed.css">
<script type="module" src="{files}/kgraph.js"></script>
<script defer src="{files}/embed.js"></script>
</head>
<body>
<main>
<h1>kgraph {widget}</h1>
<kgraph-{widget}{attributes}></kgraph-{widget}>
<noscript>This frame needs a script; <a href="{html.escape(page)}">the same facts as a page</a>
need none.</noscript>
</main>
</body>
</html>
"""


def _send(
    http: HttpRequest,
    stored: StoredAnswer,
    *,
    content_type: str,
    cache_control: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    etag = f'"{hashlib.sha256(stored.content).hexdigest()[:32]}"'
    sent = {
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": cache_control,
        "vary": "Accept-Encoding",
        "x-content-type-options": "nosniff",
        **(headers or {}),
    }
    known = {
        tag.strip().removeprefix("W/") for tag in http.headers.get("if-none-match", "").split(",")
    }
    same = known & {tag_coding(etag, one) for one in (None, *CODINGS)}
    if same:
        return Response(status_code=304, headers={**sent, "etag": same.pop()})
    content, coded = stored.encode(choose_coding(http.headers.get("accept-encoding", "")))
    if coded is not None:
        sent["content-encoding"] = coded
    sent["etag"] = tag_coding(etag, coded)
    return Response(content, media_type=content_type, headers=sent)


def _refuse(message: str) -> Response:
    headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
    return Response(
        f"{message}\n", status_code=404, media_type="text/plain; charset=utf-8", headers=headers
    )
