"""The client over the file systems of pyarrow and fsspec, and which library opens a URL. Rules STORE-1, STORE-3."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO
from urllib.parse import quote

import pyarrow as pa
from pyarrow import fs

from hudi_arrow.stores.storage import report_errors, show_cause
from hudi_arrow.stores.storage_options import own_names, own_options, type_options
from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.paths import path_within
from hudi_core.secrets import public_url, secrets_in, without_secrets

_ARROW_SCHEMES = {
    "s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs", "hdfs": "hdfs", "viewfs": "viewfs",
    "abfs": "abfs", "abfss": "abfss",
}  # fmt: skip
"""URL schemes that pyarrow's own file systems serve, by pyarrow's names."""
_FSSPEC_PACKAGES = {
    "az": "adlfs", "adl": "adlfs", "abfs": "adlfs", "abfss": "adlfs", "gs": "gcsfs", "gcs": "gcsfs", "s3": "s3fs",
    "s3a": "s3fs", "s3n": "s3fs",
}  # fmt: skip
_EXTRAS = {"adlfs": "azure", "gcsfs": "gcs", "s3fs": "s3"}
"""The distribution to install for a package."""
_KINDS = {"s3": "S3FileSystem", "gs": "GcsFileSystem", "abfs": "AzureFileSystem"}
"""pyarrow's file systems whose options are arguments."""

_GCS_PATIENCE = 60
"""Seconds for which Google's client repeats what fails, where no option states another. By itself it does so for 15 minutes,
without a word."""


@dataclass(frozen=True)
class FileSystemClient:
    """`StoreClient` over a file system of pyarrow's or fsspec's, which requests the size of a file before it reads it.

    `root` is the table's path in it, as it is: a `%2F` in one is no slash.
    """

    uri: str
    filesystem: fs.FileSystem
    root: str
    secrets: Collection[str] = field(default=(), repr=False)
    links: dict[str, None] = field(default_factory=dict)
    """The links that listings met."""

    def full(self, path: str) -> str:
        """The path in the file system, never one outside of the root."""
        return f"{self.root}/{path_within(path, self.uri)}" if path else self.root or "/"

    def whole(self, path: str, max_size: int | None = None) -> tuple[bytes | None, int]:
        with self._open(path) as file:
            size: int = file.size()
            return (None if max_size is not None and size > max_size else file.readall()), size

    def end(self, path: str, length: int) -> tuple[bytes, int]:
        with self._open(path) as file:
            size: int = file.size()
            return file.read_at(min(length, size), max(size - length, 0)), size

    def range(self, path: str, offset: int, length: int) -> bytes:
        with self._open(path) as file:
            content: bytes = file.read_at(length, offset)
            return content

    def size(self, path: str) -> int:
        info = self._info(path)
        if info.type != fs.FileType.File:
            raise FileNotFoundError(path)
        return int(info.size)

    def list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        infos = self.filesystem.get_file_info(
            fs.FileSelector(self.full(folder), recursive=recursive, allow_not_found=True)
        )
        # What is no file and no folder is a link, which fsspec does not follow.
        self.links.update((self._below(info.path), None) for info in infos if info.type == fs.FileType.Unknown)
        return [FileInfo(self._below(info.path), info.size) for info in infos if info.type == fs.FileType.File]

    def create(self, path: str, content: bytes) -> None:
        raise self._lacks(path, "creates a file only if there is none")

    def replace(self, path: str, content: bytes) -> None:
        with self.filesystem.open_output_stream(self.full(path)) as stream:
            stream.write(content)

    def version(self, path: str) -> tuple[bytes, str]:
        content, _ = self.whole(path)
        return content or b"", ""

    def exchange(self, path: str, content: bytes, version: str) -> str:
        raise self._lacks(path, "replaces one version of a file")

    def delete(self, paths: Sequence[str]) -> None:
        for _ in in_order(self._delete, paths, STORAGE_REQUESTS):
            pass

    def _delete(self, path: str) -> None:
        with report_errors(self._where(path), self.secrets), suppress(FileNotFoundError):
            self.filesystem.delete_file(self.full(path))

    def read_modified(self, path: str) -> datetime:
        info = self._info(path)
        if info.type == fs.FileType.NotFound:
            raise FileNotFoundError(path)
        moment: datetime = info.mtime
        return moment

    def output(self, path: str) -> AbstractContextManager[BinaryIO]:
        raise self._lacks(path, "takes back what is half written")

    def _lacks(self, path: str, promise: str) -> UnsupportedError:
        return UnsupportedError(self._where(path), expected=f"a store that {promise}", found=self.filesystem.type_name)

    def _where(self, path: str) -> str:
        return f"{self.uri.rstrip('/')}/{path}"

    def _below(self, path: str) -> str:
        """A path of the file system's, from the root on."""
        # Some file systems put a leading slash before paths, also where the root has none.
        return path.lstrip("/")[len(self.root.lstrip("/")) + 1 if self.root else 0 :]

    def _info(self, path: str) -> fs.FileInfo:
        return self.filesystem.get_file_info(self.full(path))

    def _open(self, path: str) -> pa.NativeFile:
        return self.filesystem.open_input_file(self.full(path))


def file_system_client(uri: str, options: Mapping[str, str]) -> FileSystemClient:
    """The client of a URL. Raises `UnsupportedError` for one that neither library opens, with the name of what to install,
    `UsageError` for options that it does not take, and `StorageError`."""
    secrets = secrets_in(uri, options)
    filesystem, root = _open(uri, options, secrets)
    return FileSystemClient(public_url(uri), filesystem, root, secrets)


def _open(uri: str, options: Mapping[str, str], secrets: Collection[str]) -> tuple[fs.FileSystem, str]:
    """The file system of a URL, and the root's path in it, without a slash at its end."""
    # Only the authority goes through the URI parser, which would undo percent escapes in the path. A `#` or `?` after the
    # last slash may belong to a path, so only pyarrow's own options are cut off.
    scheme, _, rest = uri.partition("://")
    path, _, query = rest.partition("?")
    authority, _, below = path.partition("/")
    known = _ARROW_SCHEMES.get(scheme)
    with report_errors(public_url(uri), secrets):
        if known is None:
            filesystem, start = _by_fsspec(uri, scheme, options, None), authority
        else:
            filesystem, start = _by_arrow(uri, known, authority, query, options)
        root = "/".join(part.strip("/") for part in (start, below) if part.strip("/"))
        if filesystem.type_name == "abfs":
            # Without credentials pyarrow raises here, and ends the process where a file is opened first.
            filesystem.get_file_info(root)
    return filesystem, f"/{root}" if known in ("hdfs", "viewfs") else root


def _by_arrow(
    uri: str, scheme: str, authority: str, query: str, options: Mapping[str, str]
) -> tuple[fs.FileSystem, str]:
    """pyarrow's file system, and where in it the authority is; that of fsspec where pyarrow is built without one."""
    given = options
    try:
        if options and scheme in _KINDS:
            options = own_options(uri, scheme, options)
            if not query:
                return _with_options(uri, scheme, options), authority
        if scheme == "gs" and "retry_limit_seconds=" not in query:
            query = "&".join(filter(None, [query, f"retry_limit_seconds={_GCS_PATIENCE}"]))
        query = "&".join([*([query] if query else []), *(f"{name}={quote(text)}" for name, text in options.items())])
        filesystem, start = fs.FileSystem.from_uri(f"{scheme}://{authority}{'?' if query else ''}{query}")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as refused:
        if isinstance(refused, pa.ArrowInvalid) and "Unrecognized filesystem" not in str(refused):
            raise
        return _by_fsspec(uri, scheme, given, refused), authority  # not in this build of pyarrow
    return filesystem, start


def _with_options(uri: str, scheme: str, options: Mapping[str, str]) -> fs.FileSystem:
    kind = _KINDS[scheme]
    if not hasattr(fs, kind):
        raise pa.ArrowInvalid("Unrecognized filesystem")
    try:
        patience = {"retry_time_limit": timedelta(seconds=_GCS_PATIENCE)} if scheme == "gs" else {}
        return getattr(fs, kind)(**patience, **type_options(options))
    except (TypeError, ValueError) as unknown:
        known = f"options of pyarrow.fs.{kind}, as {', '.join(own_names(scheme))}"
        raise UsageError(
            public_url(uri), expected=known, found=without_secrets(str(unknown), secrets_in(uri, options))
        ) from None


def _by_fsspec(uri: str, scheme: str, options: Mapping[str, str], refused: Exception | None) -> fs.FileSystem:
    if _FSSPEC_PACKAGES.get(scheme) == "adlfs":  # it names options as pyarrow does
        options = own_options(uri, "abfs", options)
    try:
        fsspec: Any = importlib.import_module("fsspec")
        handler = fs.FSSpecHandler(fsspec.filesystem(scheme, **type_options(options)))
    except ImportError as missing:
        of_scheme = _FSSPEC_PACKAGES.get(scheme, "fsspec")
        package, extra = missing.name or of_scheme, _EXTRAS.get(of_scheme, "cloud")
        raise UnsupportedError(
            public_url(uri), message=f"needs the package {package}: pip install 'hudi-core[{extra}]'"
        ) from show_cause(missing, secrets_in(uri, options))
    except TypeError as unknown:
        found = without_secrets(str(unknown), secrets_in(uri, options))
        raise UsageError(public_url(uri), expected=f"options of fsspec's {scheme}", found=found) from None
    except ValueError as unknown:
        raise UnsupportedError(
            public_url(uri), expected="a path or URL that pyarrow or fsspec opens", found=f"the scheme {scheme}"
        ) from show_cause(refused or unknown, secrets_in(uri, options))
    return fs.PyFileSystem(handler)
