"""The playground as bytes: the page, and the files it loads, each with its headers.

Everything comes from `static/playground`, which `frontend/build.mjs` writes; nothing is loaded from
another host. The files stand under an address that names their content, so a browser keeps them for
good and a new build is a new address.

Source: GraphiQL and what it needs, listed in `static/playground/THIRD-PARTY-LICENCES.txt`.
"""

from __future__ import annotations

import gzip
import hashlib
import html
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from kgraph.errors import KgraphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

STATIC_FOLDER = Path(__file__).parent / "static" / "playground"
"""Where the built files lie inside the package."""

# The editor writes its colours and positions into style elements and attributes, so styles cannot
# be limited to files; scripts, workers, fonts and requests are. Its squiggles are data: images.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Policy of the page and its workers: nothing from another host, no script outside a file."""

_CONTENT_TYPES = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".ttf": "font/ttf",
        ".txt": "text/plain; charset=utf-8",
        ".woff2": "font/woff2",
    }
)

# A year, the longest that caches are asked to honour.
_KEEP_FOR_GOOD = "public, max-age=31536000, immutable"

_PAGE_FILE = "index.html"
_MANIFEST_FILE = "manifest.json"


class PlaygroundMissingError(KgraphError):
    """The package was installed without the built playground."""

    code = "PLAYGROUND_MISSING"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        super().__init__(
            f"{folder}: no {_MANIFEST_FILE} found, expected the built playground; "
            "run `npm ci && npm run build` in frontend/"
        )


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent."""

    name: str
    """Name inside the playground's folder."""
    content: bytes
    """The file itself."""
    zipped: bytes | None
    """The same as gzip; None where that is not smaller, as with fonts."""
    content_type: str
    """Value of Content-Type."""
    cache_control: str
    """Value of Cache-Control."""

    @property
    def etag(self) -> str:
        """Strong validator of the plain form, with its quotes."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


@cache
def load_assets() -> Mapping[str, Asset]:
    """Every file of the playground by name, read and compressed once for the process.

    The page's template is among them; `playground_page` fills it.

    Raises:
        PlaygroundMissingError: the package holds no built playground.
    """
    if not (STATIC_FOLDER / _MANIFEST_FILE).is_file():
        raise PlaygroundMissingError(STATIC_FOLDER)
    paths = sorted(path for path in STATIC_FOLDER.iterdir() if path.suffix in _CONTENT_TYPES)
    return MappingProxyType(
        {
            path.name: _make_asset(path.name, path.read_bytes(), cache_control=_KEEP_FOR_GOOD)
            for path in paths
        }
    )


@cache
def playground_version() -> str:
    """Sixteen hex characters that change when any file of the playground does.

    Raises:
        PlaygroundMissingError: the package holds no built playground.
    """
    # The manifest holds the hash of every other file.
    return hashlib.sha256(load_assets()[_MANIFEST_FILE].content).hexdigest()[:16]


@cache
def playground_page(*, endpoint: str = "/graphql", prefix: str = "/playground") -> Asset:
    """The page, which sends its operations to `endpoint` and loads its files from under `prefix`.

    Args:
        endpoint: path on the page's own origin.
        prefix: path under which `playground_routes` serves, without a slash at its end.

    Raises:
        PlaygroundMissingError: the package holds no built playground.
    """
    template = load_assets()[_PAGE_FILE].content.decode()
    text = template.replace(
        "{{assets}}", html.escape(f"{prefix}/{playground_version()}", quote=True)
    ).replace("{{endpoint}}", html.escape(endpoint, quote=True))
    # The page keeps its address when the build changes, so a browser asks again each time.
    return _make_asset(_PAGE_FILE, text.encode(), cache_control="no-cache")


def asset_headers(asset: Asset, *, zipped: bool) -> dict[str, str]:
    """Every header of an answer that carries `asset`.

    Args:
        asset: what is sent.
        zipped: whether its gzip form is.
    """
    headers = {
        "content-type": asset.content_type,
        "cache-control": asset.cache_control,
        "etag": f'{asset.etag[:-1]}-gzip"' if zipped else asset.etag,
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
    if asset.zipped is not None:
        headers["vary"] = "accept-encoding"
    if zipped:
        headers["content-encoding"] = "gzip"
    return headers


def playground_routes(*, endpoint: str = "/graphql", prefix: str = "/playground") -> list[Route]:
    """Routes for the page at `prefix` and its files beneath.

    Args:
        endpoint: path on the same origin that answers GraphQL by POST.
        prefix: path of the page, without a slash at its end.
    """

    # Plain functions: Starlette runs them in a worker thread, where the first call may compress.
    def send_page(request: Request) -> Response:
        return _send(request, playground_page(endpoint=endpoint, prefix=prefix))

    def send_file(request: Request) -> Response:
        asset = load_assets().get(request.path_params["name"])
        # Another version is another build's address; our bytes would stay in a cache for good.
        if asset is None or request.path_params["version"] != playground_version():
            return Response("No such file in this version of the playground.\n", status_code=404)
        return _send(request, asset)

    return [
        Route(prefix, send_page, methods=["GET"], name="playground"),
        Route(f"{prefix}/{{version}}/{{name}}", send_file, methods=["GET"], name="playground_file"),
    ]


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether an Accept-Encoding value allows gzip, by name or by `*`, with a weight above 0."""
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        coding, _, parameters = part.partition(";")
        weight = parameters.strip().removeprefix("q=").strip()
        try:
            weights[coding.strip()] = float(weight) if weight else 1.0
        except ValueError:
            # A weight that cannot be read is no permission.
            weights[coding.strip()] = 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0.0


def _send(request: Request, asset: Asset) -> Response:
    zipped = asset.zipped if accepts_gzip(request.headers.get("accept-encoding", "")) else None
    headers = asset_headers(asset, zipped=zipped is not None)
    known = {tag.strip() for tag in request.headers.get("if-none-match", "").split(",")}
    # Proxies weaken a tag when they touch the encoding; it still names the same content.
    if headers["etag"] in {tag.removeprefix("W/") for tag in known} or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(asset.content if zipped is None else zipped, headers=headers)


def _make_asset(name: str, content: bytes, *, cache_control: str) -> Asset:
    # No time stamp: the same content is the same bytes in every process.
    zipped = gzip.compress(content, compresslevel=9, mtime=0)
    return Asset(
        name=name,
        content=content,
        zipped=zipped if len(zipped) < len(content) else None,
        content_type=_CONTENT_TYPES[Path(name).suffix],
        cache_control=cache_control,
    )
