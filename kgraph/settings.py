"""The environment, read once and frozen; no other module looks at it.

A variable that is unset or empty takes its default. A value that cannot be meant is refused by
name, so a typing error never turns into a default in silence.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from kgraph.errors import UsageError
from kgraph.store import S3Access

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T", int, float)

_MAX_PORT = 65535
# The folder that holds the imported package: a checkout's root, or site-packages.
_PACKAGE = Path(__file__).resolve().parent
_SWITCH = ("true", "false")
_LOG_LEVELS = ("debug", "info", "warning", "error")


class BadSettingError(UsageError):
    """An environment variable holds a value that cannot be meant."""

    code = "BAD_SETTING"

    def __init__(self, variable: str, found: str, expected: str) -> None:
        self.variable, self.found, self.expected = variable, found, expected
        super().__init__(f"{variable}: found {found[:90]!r}, expected {expected}")


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable that kgraph reads."""

    name: str
    meaning: str
    default: str
    """In words, as the README shows it."""


VARIABLES = (
    Variable(
        "KGRAPH_STORE",
        "folder (or `s3://bucket/prefix`) of the objects to read and write",
        "`./objects`, else your own store, else the starter catalogue",
    ),
    Variable(
        "KGRAPH_CACHE",
        "folder for derived files: the index, which can be deleted at any time",
        "`$XDG_CACHE_HOME/kgraph`, else `~/.cache/kgraph`",
    ),
    Variable("KGRAPH_HOST", "address that `kgraph serve` listens on", "`127.0.0.1`"),
    Variable("KGRAPH_PORT", "port that `kgraph serve` listens on; 0 picks a free one", "`8000`"),
    Variable("KGRAPH_WORKERS", "server processes", "`1`"),
    Variable(
        "KGRAPH_PUBLIC_URL",
        "address that the API is reached at from outside, where a proxy stands before it",
        "what each request says",
    ),
    Variable(
        "KGRAPH_CORS_ORIGINS",
        "origins whose web pages may read answers, separated by blanks; `*` for all",
        "none",
    ),
    Variable(
        "KGRAPH_PUBLISHER", "who publishes, as the log records it", "the name of the system's user"
    ),
    Variable("KGRAPH_LOG_LEVEL", "`debug`, `info`, `warning` or `error`", "`warning`"),
    Variable("KGRAPH_LOG_FORMAT", "`text`, or `json` for one object a line", "`text`"),
    Variable("KGRAPH_METRICS", "`false` to serve no `/metrics`", "`true`"),
    Variable(
        "KGRAPH_TRACES",
        "where spans of requests go: `none`, `otlp` or `console`; needs `kgraph[otel]`",
        "`none`",
    ),
    Variable(
        "KGRAPH_REFRESH_SECONDS",
        "how often `kgraph serve` looks for a newer snapshot; 0 for never",
        "`5`",
    ),
    Variable("KGRAPH_DOCUMENTS", "folder of trusted GraphQL documents", "none"),
    Variable("KGRAPH_DOCUMENTS_ONLY", "`true` to answer no others", "`false`"),
    Variable(
        "KGRAPH_MAX_LIVE_CONNECTIONS",
        "most connections with subscriptions, in one server process",
        "`1000`",
    ),
    Variable("KGRAPH_MAX_REQUEST_BYTES", "longest request body that is read", "`131072`"),
    Variable("KGRAPH_MAX_DEPTH", "deepest nesting of fields in a query", "`16`"),
    Variable("KGRAPH_MAX_COST", "most rows that a query may ask for, lists multiplied", "`20000`"),
    Variable("KGRAPH_REQUEST_SECONDS", "longest time one request may take", "`10`"),
    Variable("KGRAPH_S3_ENDPOINT", "address of an S3-compatible service", "AWS's own"),
    Variable("KGRAPH_S3_REGION", "region of the bucket", "`$AWS_REGION`, else `us-east-1`"),
    Variable("KGRAPH_S3_ACCESS_KEY_ID", "access key for the bucket", "`$AWS_ACCESS_KEY_ID`"),
    Variable("KGRAPH_S3_SECRET_ACCESS_KEY", "secret for the bucket", "`$AWS_SECRET_ACCESS_KEY`"),
    Variable("KGRAPH_S3_ANONYMOUS", "`true` to sign nothing, for public buckets", "`false`"),
    Variable("KGRAPH_S3_SESSION_TOKEN", "token of temporary keys", "`$AWS_SESSION_TOKEN`"),
)
"""Every variable of kgraph's own; defaults name the others that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How much one GraphQL request may cost the server."""

    max_request_bytes: int = 131_072
    max_depth: int = 16
    max_cost: int = 20_000
    request_seconds: float = 10.0
    max_live_connections: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a command or the server may be told from outside."""

    store: str
    """Folder, or `s3://bucket/prefix`, of the objects to read."""
    is_starter: bool
    """Whether `store` is the catalogue that came with an installed package: read, never written."""
    own_store: Path
    """Where this user's own store is, or will be once something is published without `--store`."""
    cache: Path
    """Folder for derived files."""
    publisher: str
    """Who publishes, as the log records it."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    public_url: str | None = None
    """Without a slash at the end; None where each request says it."""
    cors_origins: tuple[str, ...] = ()
    """Origins whose pages may read answers; `*` stands for all."""
    log_level: str = "warning"
    log_format: str = "text"
    has_metrics: bool = True
    metrics_folder: Path | None = None
    """Where server processes keep their counts together; None for one process alone."""
    traces: str = "none"
    refresh_seconds: float = 5.0
    documents: Path | None = None
    """Folder of trusted documents; None where there are none."""
    only_documents: bool = False
    limits: RequestLimits = field(default_factory=RequestLimits)
    s3: S3Access = field(default_factory=S3Access)

    @property
    def index_folder(self) -> Path:
        """Where the index files of `store` lie; each store has a folder of its own."""
        name = hashlib.sha256(self.store.encode()).hexdigest()[:16]
        return self.cache / "index" / name

    def with_store(self, store: str) -> Settings:
        """These settings, for the store that a command line names."""
        return replace(self, store=_store_location(store), is_starter=False)


def read_settings(
    environ: Mapping[str, str] | None = None,
    *,
    working_folder: Path | None = None,
    package_folder: Path | None = None,
) -> Settings:
    """What the environment says, defaults filled in.

    Args:
        environ: the process's own environment where None.
        working_folder: where `./objects` is looked for; the process's own where None.
        package_folder: where the starter catalogue is looked for; this package's own where None.

    Raises:
        BadSettingError: a variable holds what it cannot.
    """
    given = {k: v for k, v in (os.environ if environ is None else environ).items() if v}
    own_store = _user_folder(given, "XDG_DATA_HOME", ".local/share") / "objects"
    store, is_starter = given.get("KGRAPH_STORE"), False
    if store is None:
        found, is_starter = _default_store(
            (working_folder or Path.cwd()) / "objects", own_store, package_folder or _PACKAGE
        )
        store = str(found)
    cache = given.get("KGRAPH_CACHE")
    documents, metrics = given.get("KGRAPH_DOCUMENTS"), given.get("PROMETHEUS_MULTIPROC_DIR")
    only_documents = _choice(given, "KGRAPH_DOCUMENTS_ONLY", "false", _SWITCH) == "true"
    return Settings(
        store=_store_location(store),
        is_starter=is_starter,
        own_store=own_store,
        cache=Path(cache).expanduser().absolute()
        if cache
        else _user_folder(given, "XDG_CACHE_HOME", ".cache"),
        publisher=given.get("KGRAPH_PUBLISHER")
        or given.get("LOGNAME")
        or given.get("USER")
        or "unknown",
        host=given.get("KGRAPH_HOST", "127.0.0.1"),
        port=_number(given, "KGRAPH_PORT", 8000, 0, _MAX_PORT),
        workers=_number(given, "KGRAPH_WORKERS", 1, 1, 256),
        public_url=given.get("KGRAPH_PUBLIC_URL", "").rstrip("/") or None,
        cors_origins=tuple(given.get("KGRAPH_CORS_ORIGINS", "").split()),
        log_level=_choice(given, "KGRAPH_LOG_LEVEL", "warning", _LOG_LEVELS),
        log_format=_choice(given, "KGRAPH_LOG_FORMAT", "text", ("text", "json")),
        has_metrics=_choice(given, "KGRAPH_METRICS", "true", _SWITCH) == "true",
        # The library that counts reads it by this name.
        metrics_folder=None if metrics is None else Path(metrics),
        traces=_choice(given, "KGRAPH_TRACES", "none", ("none", "otlp", "console")),
        refresh_seconds=_number(given, "KGRAPH_REFRESH_SECONDS", 5.0, 0.0, 86_400.0),
        documents=None if documents is None else Path(documents).expanduser().absolute(),
        only_documents=only_documents,
        limits=RequestLimits(
            max_request_bytes=_number(given, "KGRAPH_MAX_REQUEST_BYTES", 131_072, 1024, 2**30),
            max_depth=_number(given, "KGRAPH_MAX_DEPTH", 16, 1, 1000),
            max_cost=_number(given, "KGRAPH_MAX_COST", 20_000, 1, 2**31),
            request_seconds=_number(given, "KGRAPH_REQUEST_SECONDS", 10.0, 0.1, 3600.0),
            max_live_connections=_number(given, "KGRAPH_MAX_LIVE_CONNECTIONS", 1_000, 0, 2**20),
        ),
        s3=S3Access(
            endpoint=given.get("KGRAPH_S3_ENDPOINT"),
            region=given.get("KGRAPH_S3_REGION") or given.get("AWS_REGION") or "us-east-1",
            access_key_id=given.get("KGRAPH_S3_ACCESS_KEY_ID") or given.get("AWS_ACCESS_KEY_ID"),
            secret_access_key=given.get("KGRAPH_S3_SECRET_ACCESS_KEY")
            or given.get("AWS_SECRET_ACCESS_KEY"),
            anonymous=_choice(given, "KGRAPH_S3_ANONYMOUS", "false", ("true", "false")) == "true",
            session_token=given.get("KGRAPH_S3_SESSION_TOKEN") or given.get("AWS_SESSION_TOKEN"),
        ),
    )


def _default_store(local: Path, own: Path, package: Path) -> tuple[Path, bool]:
    # A folder named objects may be anybody's (git has one): only a log makes it a store.
    checkout, packaged = package.parent / "objects", package / "starter"
    for candidate in (local, checkout, own):
        if (candidate / "log").is_dir():
            return candidate, False
    if (packaged / "log").is_dir():
        return packaged, True
    return local, False


def _store_location(text: str) -> str:
    if "://" not in text:
        return str(Path(text).expanduser().absolute())
    parts = urlsplit(text)
    if parts.scheme != "s3" or not parts.netloc:
        raise BadSettingError("store", text, "a folder, or s3://bucket/prefix")
    return text.rstrip("/")


def _user_folder(given: Mapping[str, str], variable: str, fallback: str) -> Path:
    # The XDG specification says that a relative path is to be ignored.
    named = Path(given.get(variable, ""))
    base = named if named.is_absolute() else Path(given.get("HOME") or Path.home()) / fallback
    return base / "kgraph"


def _number(given: Mapping[str, str], variable: str, default: T, low: float, high: float) -> T:
    text = given.get(variable)
    if text is None:
        return default
    expected = f"a number from {low} to {high}"
    try:
        value = type(default)(text)
    except ValueError:
        raise BadSettingError(variable, text, expected) from None
    # Written so that nan fails it too.
    if not low <= value <= high:
        raise BadSettingError(variable, text, expected)
    return value


def _choice(given: Mapping[str, str], variable: str, default: str, choices: tuple[str, ...]) -> str:
    value = given.get(variable, default).lower()
    if value not in choices:
        raise BadSettingError(variable, value, " or ".join(choices))
    return value


def wants_no_color(environ: Mapping[str, str] | None = None) -> bool:
    """Whether text is to come without colours: the user says so, or the terminal has none.

    Source: <https://no-color.org> for NO_COLOR.
    """
    given = os.environ if environ is None else environ
    return bool(given.get("NO_COLOR")) or given.get("TERM") == "dumb"
