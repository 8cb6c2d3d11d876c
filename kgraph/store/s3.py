"""Blobs in an S3 bucket, created by conditional puts: no writer replaces what another wrote."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from kgraph.store.blobs import BlobInfo, check_key
from kgraph.store.damage import BlobNotFoundError, StoreAccessError

try:
    import obstore
    from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
    from obstore.store import S3Store
except ImportError as error:
    raise StoreAccessError(
        "s3", "open a bucket", "the S3 client is missing; pip install 'kgraph[s3]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from obstore.store import S3Config

    from kgraph.store.opening import S3Access

T = TypeVar("T")
U = TypeVar("U")

# Requests under way at once: enough to hide a round trip of some 30 ms, few enough for any service.
_REQUESTS = 16

# A request that failed for a passing reason is repeated by the client within this time.
_RETRY_FOR = timedelta(seconds=30)


def open_bucket(bucket: str, prefix: str, access: S3Access) -> S3Blobs:
    """Blobs of `bucket` whose keys start with `prefix` and `/`; sends no request."""
    config: S3Config = {
        "conditional_put": "etag",
        "skip_signature": access.anonymous,
        # Of AWS a bucket is a host name; of others, whose host names are their own, a path.
        "virtual_hosted_style_request": access.endpoint is None,
    }
    if access.endpoint is not None:
        config["endpoint"] = access.endpoint
    if access.region is not None:
        config["region"] = access.region
    if access.access_key_id is not None and access.secret_access_key is not None:
        config["access_key_id"] = access.access_key_id
        config["secret_access_key"] = access.secret_access_key
    if access.session_token is not None:
        config["session_token"] = access.session_token
    client = S3Store(
        bucket,
        prefix=prefix or None,
        config=config,
        client_options={"allow_http": (access.endpoint or "").startswith("http://")},
        retry_config={"max_retries": 5, "retry_timeout": _RETRY_FOR},
    )
    address = f"s3://{bucket}/{prefix}".rstrip("/")
    return S3Blobs(client, address)


class S3Blobs:
    """Blobs of one bucket and prefix."""

    def __init__(self, client: S3Store, address: str) -> None:
        self._client = client
        self._address = address

    def where(self, key: str) -> str:
        """`s3://bucket/prefix/key`."""
        return f"{self._address}/{key}"

    def read(self, key: str, *, limit: int) -> bytes | None:
        """See `Blobs.read`."""
        try:
            with self._access(key, "read it"):
                answer = obstore.get(self._client, check_key(key))
                if answer.meta["size"] <= limit:
                    return answer.bytes().to_bytes()
        except BlobNotFoundError:
            return None
        return self.read_range(key, 0, limit + 1)

    def read_many(self, keys: Iterable[str], *, limit: int) -> Iterator[tuple[str, bytes | None]]:
        """See `Blobs.read_many`."""
        return _overlapped(lambda key: (key, self.read(key, limit=limit)), keys)

    def read_range(self, key: str, start: int, length: int) -> bytes:
        """See `Blobs.read_range`."""
        try:
            with self._access(key, "read it"):
                return obstore.get_range(
                    self._client, check_key(key), start=start, length=length
                ).to_bytes()
        except StoreAccessError:
            # A range that starts behind the blob is refused.
            size_bytes = self.size_bytes(key)
            if size_bytes is None or start < size_bytes:
                raise
            return b""

    def size_bytes(self, key: str) -> int | None:
        """See `Blobs.size_bytes`."""
        try:
            with self._access(key, "look at it"):
                return obstore.head(self._client, check_key(key))["size"]
        except BlobNotFoundError:
            return None

    def create(self, key: str, data: bytes) -> bool:
        """See `Blobs.create`.

        Where an answer was lost and the client asked again, its own first try can be what it then
        finds: False with equal bytes stored means that they may be ours.
        """
        try:
            with self._access(key, "write it"):
                # One request: parts of a multipart upload cannot be put conditionally.
                obstore.put(self._client, check_key(key), data, mode="create", use_multipart=False)
        except FileExistsError:
            return False
        return True

    def create_many(self, items: Iterable[tuple[str, bytes]]) -> list[bool]:
        """See `Blobs.create_many`."""
        return list(_overlapped(lambda item: self.create(*item), items))

    def iter_blobs(self, prefix: str) -> Iterator[BlobInfo]:
        """See `Blobs.iter_blobs`."""
        # The client takes whole parts of keys for a prefix.
        folder, _, _ = prefix.rpartition("/")
        with self._access(prefix, "list it"):
            found = [
                BlobInfo(meta["path"], meta["size"])
                for page in obstore.list(self._client, folder or None)
                for meta in page
                if meta["path"].startswith(prefix)
            ]
        # Not every service lists in the order of keys.
        yield from sorted(found)

    def remove(self, key: str) -> None:
        """See `Blobs.remove`."""
        with self._access(key, "remove it"):
            obstore.delete(self._client, check_key(key))

    def stray(self, *, older_than_s: float) -> Iterator[BlobInfo]:  # noqa: ARG002 - the protocol's
        """Nothing: a put is whole or nothing."""
        yield from ()

    @contextmanager
    def _access(self, key: str, doing: str) -> Iterator[None]:
        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise BlobNotFoundError(self.where(key)) from error
        except (AlreadyExistsError, FileExistsError) as error:
            raise FileExistsError(self.where(key)) from error
        except (BaseError, OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise StoreAccessError(self.where(key), doing, reason[:300]) from error


def _overlapped(call: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
    """Answers in the order of `items`, some requests ahead of the one that is awaited."""
    source = iter(items)
    with ThreadPoolExecutor(_REQUESTS) as pool:
        waiting: deque[Future[U]] = deque(
            pool.submit(call, item) for item in itertools.islice(source, _REQUESTS)
        )
        while waiting:
            answer = waiting.popleft().result()
            for item in itertools.islice(source, 1):
                waiting.append(pool.submit(call, item))
            yield answer
