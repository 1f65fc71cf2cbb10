"""Tables on object stores: few requests, in parallel, one per file."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, BinaryIO, Final, TypeVar
from urllib.parse import parse_qsl

from hudi_arrow.stores.clients import StoreClient
from hudi_arrow.stores.file_cache import DEFAULT_MIB, FileCache, local_cache
from hudi_arrow.stores.file_systems import FileSystemClient, file_system_client
from hudi_arrow.stores.hedged import Hedge
from hudi_arrow.stores.obstore_client import obstore_client
from hudi_arrow.stores.storage import report_errors
from hudi_core.commit.versions import FileVersion
from hudi_core.engine import FileInfo
from hudi_core.errors import NoSuchFileError, StorageError, UsageError
from hudi_core.formats.random_access import InMemoryFile, RandomAccess
from hudi_core.parallel.forks import begin_anew_when_forked
from hudi_core.parallel.limits import STORAGE_REQUESTS
from hudi_core.parallel.ordered import in_order
from hudi_core.parallel.requests import AnswersAhead, RequestLine, Traffic
from hudi_core.secrets import public_url, secrets_in

T = TypeVar("T")

SMALL_FILE_BYTES: Final = 1 << 20
"""Files up to this size are fetched whole: from there on a second request costs less than the bytes that nobody needs."""
_END_BYTES: Final = 1 << 19
"""Fetched of larger files when they are opened: the footer of a base file with its bloom filter, the end of an HFile."""
_LEAST_BYTES: Final = 1 << 20
"""Fetched at least where a range is read, for what is behind it is read next."""
_RANGE_BYTES: Final = 1 << 23
"""Larger ranges are fetched in parts of this size, side by side."""
_LISTING_BYTES: Final = 1 << 16
"""The bytes that a listing requested ahead counts as."""
_KEPT_FILES, _KEPT_BYTES = 256, 1 << 26
_OWN: Final = ("max_requests", "deadline", "hedge", "cache", "cache_mib")
_MAX_REQUESTS, _DEADLINE, _HEDGE, _CACHE, _CACHE_MIB = _OWN
_DEADLINE_SECONDS: Final = 60.0


class RemoteStorage:
    """`hudi_core.engine.Storage` of a URL. What is expected is fetched in threads; files that never change are kept for a while,
    so that planning and reading open them once.

    Options of its own are `max_requests`, the requests in flight; `deadline`, the seconds for which a request that fails is
    repeated; `hedge`, whether a read whose answer is late is sent a second time; `cache`, a local file that keeps what never
    changes between processes, and `cache_mib`, how large that may grow. The others are those of the library that opens the URL.
    """

    is_remote = True

    def __init__(self, uri: str, options: Mapping[str, str] | None = None) -> None:
        self._opened_by = uri, dict(options or {})
        uri, options = _without_own(uri, {**(options or {})})
        self.uri, self._secrets = public_url(uri), secrets_in(uri, options)
        limit = _number(uri, options.pop(_MAX_REQUESTS, None), _MAX_REQUESTS, STORAGE_REQUESTS)
        deadline = _number(uri, options.pop(_DEADLINE, None), _DEADLINE, _DEADLINE_SECONDS)
        hedge = Hedge(_flag(uri, options.pop(_HEDGE, "true"), _HEDGE))
        self._cache: FileCache | None = None
        cache_mib = _number(uri, options.pop(_CACHE_MIB, None), _CACHE_MIB, DEFAULT_MIB)
        if cache := options.pop(_CACHE, None):
            self._cache = local_cache(cache, int(cache_mib * (1 << 20)))
        with report_errors(self.uri, self._secrets):
            client = obstore_client(uri, options, deadline, hedge) or file_system_client(uri, options)
        self._client: StoreClient = client
        self._line = RequestLine(max(int(limit), 1))
        self._listings = AnswersAhead[tuple[str, bool], Sequence[FileInfo]](self._line.limit)
        self._files = AnswersAhead[str, RandomAccess](self._line.limit)
        self._kept: OrderedDict[FileInfo, RandomAccess] = OrderedDict()
        self._kept_bytes = 0
        self.begin_anew()
        begin_anew_when_forked(self)

    def begin_anew(self) -> None:
        """Nobody looks at what is kept."""
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[RemoteStorage], tuple[Any, ...]]:
        """Another process opens the URL again; what is kept stays here."""
        return RemoteStorage, self._opened_by

    @property
    def options(self) -> Mapping[str, str]:
        """What it was opened with."""
        return self._opened_by[1]

    @property
    def traffic(self) -> Traffic:
        return self._line.traffic

    def expect(
        self, *, folders: Sequence[str] = (), trees: Sequence[str] = (), files: Sequence[FileInfo | str] = ()
    ) -> None:
        for folder, recursive in [*((folder, False) for folder in folders), *((tree, True) for tree in trees)]:
            self._listings.ask((folder, recursive), partial(self._list, folder, recursive), _LISTING_BYTES, anew=True)
        for file in files:
            if isinstance(file, str):
                self._files.ask(file, partial(self._whole, file), _LISTING_BYTES, anew=True)
            elif not self._is_kept(file):
                size = file.size if file.size <= SMALL_FILE_BYTES else _END_BYTES
                self._files.ask(file.path, partial(self._fetch, file), size)

    def forget_expected(self) -> None:
        self._listings.forget_changing()
        self._files.forget_changing()

    def list(self, folder: str, *, recursive: bool = False, without: str = "") -> list[FileInfo]:
        files = self._listings.take((folder, recursive), partial(self._list, folder, recursive))
        hidden = f"{folder}/{without}/" if folder else f"{without}/"
        return [file for file in files if not (without and file.path.startswith(hidden))]

    def exists(self, path: str) -> bool:
        def is_there() -> bool:
            try:
                self._client.size(path)
            except FileNotFoundError:
                return False
            return True

        return self._answer(path, is_there) or bool(self._list(path, False))

    def read(self, path: str) -> bytes:
        file = self._files.take(path, partial(self._whole, path))
        return file.read(0, file.size)

    def open(self, path: str, size: int | None = None) -> RandomAccess:
        if size is None:
            return self._files.take(path, partial(self._unknown, path))
        file = FileInfo(path, size)
        with self._lock:
            if file in self._kept:
                self._kept.move_to_end(file)
                return self._kept[file]
        opened = self._files.take(path, partial(self._fetch, file))
        self._keep(file, opened)
        return opened

    @property
    def links(self) -> Collection[str]:
        return self._client.links if isinstance(self._client, FileSystemClient) else ()

    def create(self, path: str, content: bytes) -> None:
        self._change([path], lambda: self._client.create(path, content))

    def replace(self, path: str, content: bytes) -> None:
        self._change([path], lambda: self._client.replace(path, content))

    def read_version(self, path: str) -> FileVersion | None:
        try:
            return FileVersion(*self._answer(path, lambda: self._client.version(path)))
        except NoSuchFileError:
            return None

    def exchange(self, path: str, content: bytes, previous: FileVersion) -> FileVersion:
        version = self._change([path], lambda: self._client.exchange(path, content, previous.version))
        return FileVersion(content, version)

    def delete(self, path: str) -> None:
        self._change([path], lambda: self._client.delete([path]))

    def delete_files(self, paths: Sequence[str], *, in_order: bool = False) -> None:
        if in_order:
            for path in paths:
                self.delete(path)
        elif paths:
            self._change(paths, lambda: self._client.delete(paths))

    def delete_folder(self, path: str) -> None:
        if files := [file.path for file in self.list(path, recursive=True)]:
            self._change(files, lambda: self._client.delete(files))

    def read_modified(self, path: str) -> datetime | None:
        try:
            with self._report_errors(path):
                return self._client.read_modified(path)
        except StorageError as problem:
            if isinstance(problem.__cause__, FileNotFoundError):
                return None
            raise

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        try:
            with self._report_errors(path), self._client.output(path) as file:
                yield file
        finally:
            self._forget([path])

    def _list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        return sorted(self._answer(folder, lambda: self._client.list(folder, recursive)), key=lambda file: file.path)

    def _whole(self, path: str) -> RandomAccess:
        content, _ = self._answer(path, lambda: self._client.whole(path))
        assert content is not None
        return InMemoryFile(content, self._where(path))

    def _unknown(self, path: str) -> RandomAccess:
        """A file of which nothing is known."""
        return self._fetch(FileInfo(path, self._answer(path, lambda: self._client.size(path))))

    def _fetch(self, file: FileInfo) -> RandomAccess:
        """A file whose size is about known: small ones whole, of others the end."""
        path = file.path
        if file.size <= SMALL_FILE_BYTES:
            content, size = self._read_cached(file, "whole", partial(self._small, file))
            if size == len(content):
                return InMemoryFile(content, self._where(path))
        end, size = self._read_cached(
            file, "end", lambda: self._answer(path, lambda: self._client.end(path, _END_BYTES))
        )
        return RemoteFile(self._where(path), size, partial(self._range, file), self._line.limit, (size - len(end), end))

    def _small(self, file: FileInfo) -> tuple[bytes, int]:
        """The content of a file listed as small, and its size; no content where it is large."""
        path = file.path
        content, size = self._answer(path, lambda: self._client.whole(path, 4 * SMALL_FILE_BYTES))
        if content is not None and size < file.size:  # cut short without a word, or there is no more
            content, size = self._answer(path, lambda: self._client.whole(path, 4 * SMALL_FILE_BYTES))
        return content or b"", size

    def _range(self, file: FileInfo, offset: int, length: int) -> bytes:
        path = file.path

        def fetch() -> tuple[bytes, int]:
            return self._answer(path, lambda: self._client.range(path, offset, length)), file.size

        return self._read_cached(file, f"{offset}+{length}", fetch)[0]

    def _read_cached(self, file: FileInfo, part: str, fetch: Callable[[], tuple[bytes, int]]) -> tuple[bytes, int]:
        """A part of a file that never changes, and the file's size. It is cached only if the size is the one that the table
        records."""
        content = None if self._cache is None else self._cache.get(self.uri, file.path, file.size, part)
        if content is not None:
            return content, file.size
        content, size = fetch()
        if self._cache is not None and size == file.size:
            self._cache.put(self.uri, file.path, file.size, part, content)
        return content, size

    def _answer(self, path: str, call: Callable[[], T]) -> T:
        with self._report_errors(path), self._line.request() as answered:
            answer = call()
            answered.bytes = _size(answer)
            return answer

    def _change(self, paths: Sequence[str], call: Callable[[], T]) -> T:
        """Changes files, one or many of them in one request. What was fetched of them before does not count any more."""
        try:
            return self._answer(paths[0], call)
        finally:
            self._forget(paths)

    def _forget(self, paths: Sequence[str]) -> None:
        changed, folders = set(paths), {path.rpartition("/")[0] for path in paths}

        def is_changed(listing: tuple[str, bool]) -> bool:
            folder, recursive = listing
            return folder in folders or (recursive and any(_is_below(folder, other) for other in folders))

        self._listings.forget(is_changed)
        self._files.forget(changed.__contains__)

    def _report_errors(self, path: str) -> AbstractContextManager[None]:
        return report_errors(self._where(path), self._secrets)

    def _where(self, path: str) -> str:
        return f"{self.uri.rstrip('/')}/{path}" if path else self.uri

    def _is_kept(self, file: FileInfo) -> bool:
        with self._lock:
            return file in self._kept

    def _keep(self, file: FileInfo, opened: RandomAccess) -> None:
        with self._lock:
            if file not in self._kept:
                self._kept[file] = opened
                self._kept_bytes += _get_kept_size(opened)
            while len(self._kept) > _KEPT_FILES or self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= _get_kept_size(self._kept.popitem(last=False)[1])


@dataclass(slots=True)
class RemoteFile:
    """A large file: its end is here, ranges of it are fetched. The last range that was read is kept with what is behind it.
    Safe in threads."""

    where: str
    size: int
    _range: Callable[[int, int], bytes] = field(repr=False)
    _limit: int
    _end: tuple[int, bytes] = field(repr=False)
    """Where it starts, and its bytes."""
    _last: tuple[int, bytes] = field(default=(0, b""), repr=False)

    def read(self, offset: int, length: int) -> bytes:
        for start, content in (self._end, self._last):
            if start <= offset and offset + length <= start + len(content):
                return content[offset - start : offset - start + length]
        if length >= _LEAST_BYTES:
            return self.ranges([(offset, length)])[0]
        content = self._range(offset, min(_LEAST_BYTES, self.size - offset))
        self._last = offset, content
        return content[:length]

    def ranges(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of ranges (offset, length), fetched side by side; large ones in parts."""
        start = self._end[0]
        parts = [
            (number, first, min(_RANGE_BYTES, offset + length - first))
            for number, (offset, length) in enumerate(ranges)
            if offset < start
            for first in range(offset, offset + length, _RANGE_BYTES)
        ]
        fetched: dict[int, list[bytes]] = {}
        for (number, _, _), content in zip(
            parts, in_order(lambda part: self._range(*part[1:]), parts, self._limit), strict=True
        ):
            fetched.setdefault(number, []).append(content)
        return [
            b"".join(fetched[number]) if number in fetched else self._end[1][offset - start : offset - start + length]
            for number, (offset, length) in enumerate(ranges)
        ]


def _is_below(folder: str, other: str) -> bool:
    return not folder or other.startswith(f"{folder}/")


def _size(answer: object) -> int:
    """The bytes of content in an answer."""
    content = answer[0] if isinstance(answer, tuple) else answer
    return len(content) if isinstance(content, bytes) else 0


def _get_kept_size(file: RandomAccess) -> int:
    return file.size if isinstance(file, InMemoryFile) else _END_BYTES + _LEAST_BYTES


def _without_own(uri: str, options: dict[str, str]) -> tuple[str, dict[str, str]]:
    """The URL without the options of this module, which are among the others."""
    start, mark, query = uri.partition("?")
    own = [part for part in query.split("&") if part.partition("=")[0] in _OWN]
    rest = "&".join(part for part in query.split("&") if part not in own)
    return f"{start}{mark if rest or not own else ''}{rest}", {**dict(parse_qsl("&".join(own))), **options}


def _flag(uri: str, text: str, name: str) -> bool:
    """An option that is true or false. Raises `UsageError` for any other."""
    if text.lower() not in ("true", "false"):
        raise UsageError(public_url(uri), expected=f"true or false as {name}", found=repr(text))
    return text.lower() == "true"


def _number(uri: str, text: str | None, name: str, default: float) -> float:
    """An option that is a number above 0. Raises `UsageError` for any other."""
    try:
        number = default if text is None else float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise UsageError(public_url(uri), expected=f"a number above 0 as {name}", found=repr(text))
    return number
