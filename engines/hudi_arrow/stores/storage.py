"""Tables on local paths and on any URL that pyarrow or fsspec opens."""

from __future__ import annotations

import importlib
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from errno import ENOENT
from pathlib import Path
from textwrap import shorten
from threading import Lock
from typing import Any, BinaryIO, Final
from urllib.parse import quote

import pyarrow as pa
from pyarrow import fs

from hudi_arrow.stores.native_files import RandomAccessFile, copy_owned
from hudi_arrow.stores.storage_options import own_names, own_options, type_options
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import (
    AlreadyExistsError,
    CorruptFileError,
    HudiError,
    NoSuchFileError,
    StorageError,
    UnsupportedError,
    UsageError,
    file_taken_away,
)
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.local_files import (
    TakenAwayError,
    Unsynced,
    create_file,
    delete_file,
    delete_files,
    delete_folder,
    drop_fenced,
    fence,
    find_limits,
    list_folders,
    output_file,
    own_path,
    replace_file,
    take_away,
    walk,
)
from hudi_core.local_uris import is_url, local_path
from hudi_core.options import FOLDER
from hudi_core.parallel.requests import Traffic
from hudi_core.paths import path_within
from hudi_core.secrets import is_without_secrets, public_url, secrets_in, without_secrets
from hudi_core.storage_parts import NameLimits

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
_KEPT_OPEN = 64
_NO_FOOTER: Final = "Parquet magic bytes not found in footer"
_NO_CODEC: Final = re.compile(r"(codec|compression)\b.*\bnot (currently )?(supported|built)", re.IGNORECASE)
"""What pyarrow says of a codec that it does not know, or was built without."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file opened for random access; closed when it is collected."""

    where: str
    size: int
    file: pa.NativeFile
    secrets: Collection[str] = field(default=(), repr=False)

    def read(self, offset: int, length: int) -> bytes:
        with report_errors(self.where, self.secrets):
            data: bytes = self.file.read_at(length, offset)
            return data


class ArrowStorage:
    """`hudi_core.engine.Storage` over a `pyarrow.fs.FileSystem`. Paths go to it as they are: a `%2F` in one is no slash."""

    def __init__(self, uri: str, options: Mapping[str, str] | None = None) -> None:
        self._uri = public_url(uri) if is_url(uri) else uri
        self._secrets = secrets_in(uri, options or {})
        self._filesystem, self._root = _open(uri, options or {}, self._secrets)
        self._kept: OrderedDict[FileInfo, pa.NativeFile] = OrderedDict()
        self._lock = Lock()
        self._unsynced = Unsynced()
        self.links: dict[str, None] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What another process opens files with; the files that are open stay here."""
        kept = ("_uri", "_secrets", "_filesystem", "_root")
        return {name: value for name, value in vars(self).items() if name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _kept=OrderedDict(), _lock=Lock(), _unsynced=Unsynced(at_once=True), links={})

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def filesystem(self) -> fs.FileSystem:
        return self._filesystem

    def _report_errors(self, path: str) -> AbstractContextManager[None]:
        return report_errors(self.where(path), self._secrets)

    def full(self, path: str) -> str:
        """The path in the file system, never one outside of the root."""
        return f"{self._root}/{path_within(path, self._uri)}" if path else self._root or "/"

    def where(self, path: str) -> str:
        """The path as messages show it."""
        return f"{self._uri.rstrip('/')}/{path}"

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        if isinstance(self._filesystem, fs.LocalFileSystem):
            self.full(folder)
            try:
                paths, links = walk(Path(self._root or "/"), folder, recursive=recursive, without=without)
            except OSError as problem:
                with report_errors(str(problem.filename)):
                    raise
            self.links.update(dict.fromkeys(links))
            return [FileInfo(path, size) for path, size in paths]
        infos = self._infos(folder, recursive)
        # What is no file and no folder is a link, which fsspec does not follow.
        self.links.update((self._below(info.path), None) for info in infos if info.type == fs.FileType.Unknown)
        files = [FileInfo(self._below(info.path), info.size) for info in infos if info.type == fs.FileType.File]
        if without:
            hidden = f"{folder}/{without}/" if folder else f"{without}/"
            files = [file for file in files if not file.path.startswith(hidden)]
        return sorted(files, key=lambda file: file.path)

    def _infos(self, folder: str, recursive: bool) -> tuple[fs.FileInfo, ...]:
        with self._report_errors(folder):
            chosen = fs.FileSelector(self.full(folder), recursive=recursive, allow_not_found=True)
            return tuple(self._filesystem.get_file_info(chosen))

    def _below(self, path: str) -> str:
        """A path of the file system's, from the root on."""
        # Some file systems put a leading slash before paths, also where the root has none.
        return path.lstrip("/")[len(self._root.lstrip("/")) + 1 if self._root else 0 :]

    def list_folders(self, folder: str) -> Sequence[str]:
        if not isinstance(self._filesystem, fs.LocalFileSystem):
            return []
        self.full(folder)
        with self._report_errors(folder):
            return list_folders(Path(self._root or "/"), folder)

    def exists(self, path: str) -> bool:
        with self._report_errors(path):
            info = self._filesystem.get_file_info(self.full(path))
        return bool(info.type != fs.FileType.NotFound)

    def read(self, path: str) -> bytes:
        with self._report_errors(path), self._filesystem.open_input_file(self.full(path)) as file:
            data: bytes = file.readall()
            return data

    def base_file(self, file: FileInfo) -> AbstractContextManager[pa.NativeFile]:
        """A file that never changes. Except for the local file system, the last few stay open: opening is a request to the
        store."""
        is_local = isinstance(self._filesystem, fs.LocalFileSystem)
        return self._open_base_file(file) if is_local else self._keep_open(file)

    def _open_base_file(self, file: FileInfo) -> AbstractContextManager[pa.NativeFile]:
        with self._report_errors(file.path):
            opened: AbstractContextManager[pa.NativeFile] = self._filesystem.open_input_file(self.full(file.path))
            return opened

    @contextmanager
    def _keep_open(self, file: FileInfo) -> Iterator[pa.NativeFile]:
        with self._lock:
            opened = self._kept.pop(file, None)
        if opened is None:
            opened = self._open_base_file(file)
        try:
            yield opened
        finally:
            with self._lock:
                if not opened.closed:
                    self._kept[file] = opened
                    opened = self._kept.popitem(last=False)[1] if len(self._kept) > _KEPT_OPEN else None
            if opened is not None:
                opened.close()

    def create(self, path: str, content: bytes) -> None:
        with self._report_errors(path):
            create_file(self._local(path, "creates a file only if there is none"), content, self._unsynced)

    def replace(self, path: str, content: bytes) -> None:
        with self._report_errors(path):
            if isinstance(self._filesystem, fs.LocalFileSystem):
                replace_file(self._own(path), content, self._unsynced)
            else:
                with self._filesystem.open_output_stream(self.full(path)) as stream:
                    stream.write(content)

    def delete(self, path: str) -> None:
        with self._report_errors(path), suppress(FileNotFoundError):
            if isinstance(self._filesystem, fs.LocalFileSystem):
                delete_file(self._own(path, to_delete=True), self._unsynced)
            else:
                self._filesystem.delete_file(self.full(path))

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        if isinstance(self._filesystem, fs.LocalFileSystem):
            own = [path_within(path, self._uri) for path in paths]
            delete_files(Path(self._root or "/"), own, self._unsynced, self._report_errors)
        else:
            for path in paths:
                self.delete(path)

    def take_away(self, path: str, content: bytes) -> bool:
        with self._report_errors(path):
            local = self._local(path, "deletes a file only as it was read")
            return take_away(local, content, self._unsynced)

    def fence(self, look: Callable[[], None]) -> AbstractContextManager[None]:
        is_local = isinstance(self._filesystem, fs.LocalFileSystem)
        return fence(Path(self.full(FOLDER)), look) if is_local else nullcontext()

    def drop_fenced(self) -> None:
        if isinstance(self._filesystem, fs.LocalFileSystem):
            with self._report_errors(FOLDER):
                drop_fenced(Path(self.full(FOLDER)))

    def delete_folder(self, path: str) -> None:
        with self._report_errors(path), suppress(FileNotFoundError):
            if isinstance(self._filesystem, fs.LocalFileSystem):
                delete_folder(self._own(path, to_delete=True), self._unsynced)
            else:
                self._filesystem.delete_dir(self.full(path))

    @property
    def limits(self) -> NameLimits | None:
        is_disk = isinstance(self._filesystem, fs.LocalFileSystem)
        return find_limits(Path(self._root or "/")) if is_disk else None

    def sync(self) -> None:
        with self._report_errors(""):
            self._unsynced.sync()

    def defer(self) -> AbstractContextManager[None]:
        return self._unsynced.defer()

    def read_modified(self, path: str) -> datetime | None:
        with self._report_errors(path):
            info = self._filesystem.get_file_info(self.full(path))
        return None if info.type == fs.FileType.NotFound else info.mtime

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with (
            self._report_errors(path),
            output_file(self._local(path, "takes back what is half written"), self._unsynced) as file,
        ):
            yield file

    def _local(self, path: str, promise: str) -> Path:
        """The local path. Raises `UnsupportedError` for other stores, which do not promise this."""
        if not isinstance(self._filesystem, fs.LocalFileSystem):
            raise UnsupportedError(
                self.where(path), expected=f"a store that {promise}", found=self._filesystem.type_name
            )
        return self._own(path)

    def _own(self, path: str, *, to_delete: bool = False) -> Path:
        return own_path(Path(self._root or "/"), path_within(path, self._uri), to_delete=to_delete)

    is_remote = False
    traffic = Traffic()

    def expect(self, *, folders: Sequence[str] = (), files: Sequence[FileInfo | str] = ()) -> None:
        """Does nothing: local files need no requests ahead."""

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        with self._report_errors(path):
            file = self._filesystem.open_input_file(self.full(path))
            return StoredFile(self.where(path), file.size(), file, self._secrets)


@contextmanager
def report_errors(where: str, secrets: Collection[str] = ()) -> Iterator[None]:
    """Turns what the file system raises into an error of one line without these secrets, shown behind it where it has none."""
    try:
        yield
    except HudiError:
        raise
    except TakenAwayError as problem:
        raise file_taken_away(where) from problem
    except FileNotFoundError as problem:
        raise NoSuchFileError(where, message=os.strerror(ENOENT)) from _show(problem, secrets)
    except FileExistsError as problem:
        raise AlreadyExistsError(where, expected="no file of this name", found="one") from _show(problem, secrets)
    except (OSError, pa.ArrowException) as problem:
        number = problem.errno if isinstance(problem, OSError) else None
        message = os.strerror(number) if number else one_line(problem, secrets)
        raise StorageError(where, message=message) from _show(problem, secrets)


def _show(problem: Exception, secrets: Collection[str]) -> Exception | None:
    return problem if is_without_secrets(problem, secrets) else None


def one_line(problem: BaseException, secrets: Collection[str] = ()) -> str:
    """The message of an exception in one readable line without secrets: some libraries list all they tried."""
    return shorten(without_secrets(str(problem), secrets), 400, placeholder=" ...") or type(problem).__name__


def native_file(storage: Storage, file: FileInfo) -> AbstractContextManager[pa.NativeFile]:
    """The file as pyarrow's readers take it, until the block ends."""
    if isinstance(storage, ArrowStorage):
        return storage.base_file(file)
    stored = storage.open(file.path, file.size)
    in_memory = pa.BufferReader(copy_owned(stored.data)) if isinstance(stored, InMemoryFile) else None
    return in_memory or RandomAccessFile.over(stored)


@contextmanager
def decoding(where: str, what: str) -> Iterator[None]:
    """Raises the errors of pyarrow's readers as ours: of storage that fails, formats it lacks, and bytes that are wrong."""
    try:
        yield
    except HudiError:
        raise
    except (pa.ArrowException, OSError, ValueError, IndexError, OverflowError, MemoryError) as problem:
        message = one_line(problem)
        if isinstance(problem, OSError) and problem.errno:
            raise StorageError(where, message=os.strerror(problem.errno)) from _show(problem, ())
        if isinstance(problem, pa.ArrowNotImplementedError) or _NO_CODEC.search(message):
            raise UnsupportedError(where, message=message) from _show(problem, ())
        found = "no footer of Parquet at its end" if _NO_FOOTER in message else message
        raise CorruptFileError(where, expected=what, found=found) from _show(problem, ())


def _open(uri: str, options: Mapping[str, str], secrets: Collection[str]) -> tuple[fs.FileSystem, str]:
    """The file system of a URI or local path, and the root's path in it, without a slash at its end."""
    if not is_url(uri):
        if options:
            raise UsageError(
                public_url(uri), expected="a URL that has options", found=f"a local path, and the option {min(options)}"
            )
        return fs.LocalFileSystem(), str(Path(local_path(uri)).absolute()).rstrip("/")
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
        ) from _show(missing, secrets_in(uri, options))
    except TypeError as unknown:
        found = without_secrets(str(unknown), secrets_in(uri, options))
        raise UsageError(public_url(uri), expected=f"options of fsspec's {scheme}", found=found) from None
    except ValueError as unknown:
        raise UnsupportedError(
            public_url(uri), expected="a path or URL that pyarrow or fsspec opens", found=f"the scheme {scheme}"
        ) from _show(refused or unknown, secrets_in(uri, options))
    return fs.PyFileSystem(handler)
