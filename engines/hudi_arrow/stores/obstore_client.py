"""The client over `obstore`: one request per read, without one for the size; files are created only where there are none.

Retries are those of the library: throttling, failures of the server, time-outs and connections that break, also in the middle
of an answer, with growing pauses until a deadline. Answers shorter than their stated length are requested again here.
"""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from time import sleep
from typing import Any, BinaryIO, Final, TypeVar, cast

from hudi_arrow.stores.hedged import Hedge
from hudi_arrow.stores.obstore_stores import open_store
from hudi_core.engine import FileInfo
from hudi_core.secrets import without_secrets

T = TypeVar("T")

_NO_BUCKET: Final = re.compile("<Code>(NoSuchBucket|ContainerNotFound)</Code>")
_BROKEN_LISTING: Final = "list response body"
"""Listings whose connection breaks are what the library does not repeat by itself."""
_BROKEN_ANSWERS: Final = 3
"""Answers that end too early, one after the other, of which the last is an error."""
_PAUSE_SECONDS: Final = 0.1
_TAKEN: Final = ("AlreadyExistsError", "PreconditionError")
"""Errors of the library where another file, or another version of it, exists."""
_PART_BYTES: Final = 8 << 20
"""Bytes of each part of an upload. Smaller files are uploaded by one request."""


def obstore_client(uri: str, options: Mapping[str, str], deadline: float, hedge: Hedge) -> ObstoreClient | None:
    """The client of a URL; None where `obstore` does not open it. Raises as `open_store` does."""
    opened = open_store(uri, options, deadline)
    return None if opened is None else ObstoreClient(*opened, hedge)


@dataclass(frozen=True)
class ObstoreClient:
    """`hudi_arrow.stores.clients.StoreClient` below a prefix of a store of `obstore`."""

    store: Any = field(repr=False)
    root: str
    hedge: Hedge

    def whole(self, path: str, max_size: int | None = None) -> tuple[bytes | None, int]:
        async def get() -> tuple[bytes | None, int]:
            answer = await self.store.get_async(self._full(path))
            size: int = answer.meta["size"]
            return (None if max_size is not None and size > max_size else await _content(answer, size)), size

        return self._read(get)

    def end(self, path: str, length: int) -> tuple[bytes, int]:
        async def get() -> tuple[bytes, int]:
            answer = await self.store.get_async(self._full(path), options={"range": {"suffix": length}})
            size: int = answer.meta["size"]
            return await _content(answer, min(length, size)), size

        return self._read(get)

    def range(self, path: str, offset: int, length: int) -> bytes:
        async def get() -> bytes:
            answer = await self.store.get_async(self._full(path), options={"range": (offset, offset + length)})
            return await _content(answer, length)

        return self._read(get)

    def size(self, path: str) -> int:
        return int(_answer(lambda: self.store.head(self._full(path)))["size"])

    def list(self, folder: str, recursive: bool) -> Sequence[FileInfo]:
        prefix = f"{self._full(folder)}/" if self._full(folder) else ""

        def get() -> list[Any]:
            if not recursive:
                return list(self.store.list_with_delimiter(prefix)["objects"])
            return [entry for page in self.store.list(prefix) for entry in page]

        skipped = len(self.root) + 1 if self.root else 0
        try:
            return [FileInfo(entry["path"][skipped:], entry["size"]) for entry in _answer(get)]
        except FileNotFoundError:  # there is no such bucket
            return []

    def create(self, path: str, content: bytes) -> None:
        _answer(lambda: self.store.put(self._full(path), content, mode="create", use_multipart=False))

    def replace(self, path: str, content: bytes) -> None:
        _answer(lambda: self.store.put(self._full(path), content, chunk_size=_PART_BYTES))

    def version(self, path: str) -> tuple[bytes, str]:
        async def get() -> tuple[bytes, str]:
            answer = await self.store.get_async(self._full(path))
            return await _content(answer, answer.meta["size"]), _name_version(answer.meta)

        return self._read(get)

    def exchange(self, path: str, content: bytes, version: str) -> str:
        previous = json.loads(version)
        result = _answer(lambda: self.store.put(self._full(path), content, mode=previous, use_multipart=False))
        return _name_version(result)

    def delete(self, paths: Sequence[str]) -> None:
        full = [self._full(path) for path in paths]
        try:
            _answer(lambda: self.store.delete(full))
        except FileNotFoundError:  # a service that deletes one by one says so, and the others may be there
            for path in full:
                with suppress(FileNotFoundError):
                    _answer(partial(self.store.delete, [path]))

    def read_modified(self, path: str) -> datetime:
        moment: datetime = _answer(lambda: self.store.head(self._full(path)))["last_modified"]
        return moment

    @contextmanager
    def output(self, path: str) -> Iterator[BinaryIO]:
        with tempfile.TemporaryFile() as file:
            yield cast(BinaryIO, file)
            file.seek(0)
            _answer(lambda: self.store.put(self._full(path), file, chunk_size=_PART_BYTES))

    def _read(self, get: Callable[[], Awaitable[T]]) -> T:
        return _answer(lambda: self.hedge.answer(get))

    def _full(self, path: str) -> str:
        return "/".join(part for part in (self.root, path) if part)


class _BrokenAnswer(OSError):
    """An answer with fewer bytes than its stated length."""


async def _content(answer: Any, length: int) -> bytes:
    """The bytes of an answer. Raises `_BrokenAnswer` when they are not so many."""
    content = bytes(await answer.bytes_async())
    if len(content) != length:
        raise _BrokenAnswer(f"expected an answer of {length} bytes, found {len(content)}")
    return content


def _name_version(meta: Mapping[str, Any]) -> str:
    """The name of a version: by what the service compares versions with."""
    return json.dumps({name: meta[name] for name in ("e_tag", "version") if meta.get(name)})


def _answer(call: Callable[[], T]) -> T:
    """The answer to a request, repeated while it ends too early. What the library raises is raised as an `OSError`."""
    _refuse_forked()
    for attempt in range(1, _BROKEN_ANSWERS + 1):
        try:
            return call()
        except _BrokenAnswer:
            if attempt == _BROKEN_ANSWERS:
                raise
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
        except Exception as problem:
            if type(problem).__name__ in _TAKEN:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            if not type(problem).__module__.startswith("obstore"):
                raise
            message = str(problem)
            if _NO_BUCKET.search(message):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
            if _BROKEN_LISTING not in message or attempt == _BROKEN_ANSWERS:
                raise OSError(_clean(message)) from None
            sleep(_PAUSE_SECONDS * attempt)
    raise AssertionError("the last attempt returns or raises")


_PROCESSES: Final = set[int]()
"""The processes that made requests: this one, or one that it was forked from."""


def _refuse_forked() -> None:
    """Raises `OSError` in a process that was forked from one that made requests: the library's threads did not come along, and
    it would wait for them without end."""
    process = os.getpid()
    if _PROCESSES and process not in _PROCESSES:
        raise OSError("remote storage was used before this process was forked: start processes by spawn or forkserver")
    _PROCESSES.add(process)


def _clean(message: str) -> str:
    """The first paragraph of a message of the library's, before the structures that it goes on with: without secrets, and of an
    answer in XML the code alone."""
    first = without_secrets(message.partition("\n\nDebug source")[0])
    return re.sub(r"<\?xml.*?<Code>(\w+)</Code>.*", r"\1", first, flags=re.DOTALL)
