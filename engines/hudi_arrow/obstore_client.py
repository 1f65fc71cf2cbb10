"""The client of S3 over `obstore`: one request an answer, sizes not asked for, files created only where there are none.

Retries are those of the library: throttling, failures of the server, time-outs and connections that break, also in the middle
of an answer, with growing pauses until a deadline. Answers that are shorter than they say are asked for again here.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any, BinaryIO, Final, TypeVar, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from hudi_arrow.storage_options import own_options
from hudi_core.engine import FileInfo

T = TypeVar("T")

_SCHEMES: Final = ("s3", "s3a", "s3n")
_NAMES: Final = {
    "access_key": "access_key_id",
    "secret_key": "secret_access_key",
    "session_token": "session_token",
    "region": "region",
    "force_virtual_addressing": "virtual_hosted_style_request",
}
"""Options as pyarrow names them, by the names that go to `obstore`."""
_TIMEOUTS: Final = ("connect_timeout", "request_timeout")
_OTHERS: Final = ("endpoint_override", "scheme", "anonymous", *_TIMEOUTS)
_CREDENTIALS: Final = ("AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE")
"""Variables by which the library gets credentials. It reads no profiles."""

_CONNECT_SECONDS, _REQUEST_SECONDS = 5.0, 20.0
_MAX_RETRIES: Final = 8
_BACKOFF: Final = {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2}
_NO_BUCKET: Final = "<Code>NoSuchBucket</Code>"
_BROKEN_LISTING: Final = "list response body"
"""Listings whose connection breaks are what the library does not repeat by itself."""
_BROKEN_ANSWERS: Final = 3
"""Answers that end too early, one after the other, of which the last is an error."""
_PAUSE_SECONDS: Final = 0.1
_PART_BYTES: Final = 8 << 20
"""Bytes of each part of an upload. Smaller files are uploaded by one request."""


def obstore_client(uri: str, options: Mapping[str, str], deadline: float) -> ObstoreClient | None:
    """The client of an S3 URL; None for other URLs, options and credentials that only pyarrow knows, and without `obstore`.

    `deadline` is the time in seconds for which a request is repeated. Raises `UsageError` as `own_options` does.
    """
    parts = urlsplit(uri)
    if parts.scheme not in _SCHEMES:
        return None
    options = own_options(uri, "s3", {**_in_url(uri), **options})
    if not set(options) <= {*_NAMES, *_OTHERS} or not _has_credentials(options):
        return None
    try:
        store: Any = importlib.import_module("obstore.store")
    except ImportError:
        return None
    bucket, _, root = uri.partition("://")[2].partition("?")[0].rpartition("@")[2].partition("/")
    seconds = {name: float(options.get(name, default)) for name, default in _SECONDS.items()}
    arguments: dict[str, Any] = {_NAMES[name]: value for name, value in options.items() if name in _NAMES}
    if "endpoint_override" in options:
        arguments["endpoint"] = f"{options.get('scheme', 'https')}://{options['endpoint_override']}"
    if options.get("anonymous", "").lower() == "true":
        arguments["skip_signature"] = True
    if "region" not in arguments and "endpoint" not in arguments and not _REGION_VARIABLES & os.environ.keys():
        arguments["region"] = importlib.import_module("pyarrow.fs").resolve_s3_region(bucket)
    opened = store.S3Store(
        bucket,
        **arguments,
        client_options={
            "allow_http": options.get("scheme") == "http",
            "connect_timeout": timedelta(seconds=seconds["connect_timeout"]),
            "timeout": timedelta(seconds=seconds["request_timeout"]),
        },
        retry_config={
            "max_retries": _MAX_RETRIES,
            "backoff": _BACKOFF,
            "retry_timeout": timedelta(seconds=deadline),
        },
    )
    return ObstoreClient(opened, "/".join(part for part in root.split("/") if part))


_SECONDS: Final = dict(zip(_TIMEOUTS, (_CONNECT_SECONDS, _REQUEST_SECONDS), strict=True))
_REGION_VARIABLES: Final = {"AWS_REGION", "AWS_DEFAULT_REGION"}


def _in_url(uri: str) -> dict[str, str]:
    """The options that a URL has after its question mark, and the keys before its bucket."""
    rest, _, query = uri.partition("://")[2].partition("?")
    keys, mark, _ = rest.partition("/")[0].rpartition("@")
    options = dict(parse_qsl(query))
    if mark:
        access_key, _, secret_key = keys.partition(":")
        options |= {"access_key": unquote(access_key), "secret_key": unquote(secret_key)}
    return options


def _has_credentials(options: Mapping[str, str]) -> bool:
    """Whether the library has the credentials that pyarrow would use: those given, of variables, or of the machine's role where
    there are no files of profiles."""
    if "access_key" in options or options.get("anonymous", "").lower() == "true":
        return True
    if "AWS_PROFILE" in os.environ:
        return False
    folder = Path.home() / ".aws"
    return any(name in os.environ for name in _CREDENTIALS) or not any(
        (folder / name).exists() for name in ("credentials", "config")
    )


@dataclass(frozen=True)
class ObstoreClient:
    """`hudi_arrow.clients.StoreClient` below a prefix of a store of `obstore`."""

    store: Any
    root: str

    def whole(self, path: str, max_size: int | None = None) -> tuple[bytes | None, int]:
        def get() -> tuple[bytes | None, int]:
            answer = self.store.get(self._full(path))
            size: int = answer.meta["size"]
            return (None if max_size is not None and size > max_size else _content(answer, size)), size

        return _answered(get)

    def end(self, path: str, length: int) -> tuple[bytes, int]:
        def get() -> tuple[bytes, int]:
            answer = self.store.get(self._full(path), options={"range": {"suffix": length}})
            size: int = answer.meta["size"]
            return _content(answer, min(length, size)), size

        return _answered(get)

    def range(self, path: str, offset: int, length: int) -> bytes:
        def get() -> bytes:
            answer = self.store.get(self._full(path), options={"range": (offset, offset + length)})
            return _content(answer, length)

        return _answered(get)

    def size(self, path: str) -> int:
        return int(_answered(lambda: self.store.head(self._full(path)))["size"])

    def list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        prefix = f"{self._full(folder)}/" if self._full(folder) else ""

        def get() -> list[Any]:
            if not recursive:
                return list(self.store.list_with_delimiter(prefix)["objects"])
            return [entry for page in self.store.list(prefix) for entry in page]

        skipped = len(self.root) + 1 if self.root else 0
        try:
            return [FileInfo(entry["path"][skipped:], entry["size"]) for entry in _answered(get)]
        except FileNotFoundError:  # there is no such bucket
            return []

    def create(self, path: str, content: bytes) -> None:
        _answered(lambda: self.store.put(self._full(path), content, mode="create", use_multipart=False))

    def replace(self, path: str, content: bytes) -> None:
        _answered(lambda: self.store.put(self._full(path), content, chunk_size=_PART_BYTES))

    def delete(self, path: str) -> None:
        _answered(lambda: self.store.delete(self._full(path)))

    def modified(self, path: str) -> datetime:
        moment: datetime = _answered(lambda: self.store.head(self._full(path)))["last_modified"]
        return moment

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.seek(0)
            _answered(lambda: self.store.put(self._full(path), file, chunk_size=_PART_BYTES))

    def _full(self, path: str) -> str:
        return "/".join(part for part in (self.root, path) if part)


class _BrokenAnswer(OSError):
    """An answer with fewer bytes than it says."""


def _content(answer: Any, length: int) -> bytes:
    """The bytes of an answer. Raises `_BrokenAnswer` when they are not so many."""
    content = bytes(answer.bytes())
    if len(content) != length:
        raise _BrokenAnswer(f"expected an answer of {length} bytes, found {len(content)}")
    return content


def _answered(call: Callable[[], T]) -> T:
    """The answer to a request, repeated while it ends too early. What the library raises is raised as an `OSError`."""
    for attempt in range(1, _BROKEN_ANSWERS + 1):
        try:
            return call()
        except _BrokenAnswer:
            if attempt == _BROKEN_ANSWERS:
                raise
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
        except Exception as problem:
            if type(problem).__name__ == "AlreadyExistsError":
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            if not type(problem).__module__.startswith("obstore"):
                raise
            message = str(problem)
            if _NO_BUCKET in message:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
            if _BROKEN_LISTING not in message or attempt == _BROKEN_ANSWERS:
                raise OSError(_clean(message)) from None
            sleep(_PAUSE_SECONDS * attempt)
    raise AssertionError("the last attempt returns or raises")


def _clean(message: str) -> str:
    """The first paragraph of a message of the library's, before the structures that it goes on with: in URLs without what stands
    behind a question mark, where signatures may be, and of an answer in XML the code alone."""
    first = re.sub(r"(https?://[^\s?]*)\?\S*", r"\1", message.partition("\n\nDebug source")[0])
    return re.sub(r"<\?xml.*?<Code>(\w+)</Code>.*", r"\1", first, flags=re.DOTALL)
