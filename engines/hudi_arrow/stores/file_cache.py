"""Contents of files that never change, kept in a local file between processes: whole small files, and parts of larger ones.

One SQLite file serves any number of tables, threads and processes. A row is a part of a file: the table's URL, the path, the size
that the table records of the file, and the range; an entry never becomes stale, since files never change. A digest over all
of that detects damage. Where the file grows beyond its bound, the least recently used entries are dropped.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar
from weakref import finalize

from hudi_core.errors import UsageError

T = TypeVar("T")

DEFAULT_MIB: Final = 256
_APPLICATION: Final = 0x48755063  # "HuPc": marks the file as ours in SQLite's own header
_VERSION: Final = 1
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS parts (
    key BLOB PRIMARY KEY, content BLOB NOT NULL, digest BLOB NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID
"""
_DROP_LEAST_USED: Final = """
DELETE FROM parts WHERE key IN (
    SELECT key FROM (
        SELECT key, length(content) AS own, sum(length(content)) OVER (ORDER BY used, key) AS so_far FROM parts
    ) WHERE so_far - own < ?
)
"""
_KEPT: Final = 0.875
"""The share of its bound that is left of a cache that grew beyond it, so that this does not happen each time."""
_USED_AGAIN_AFTER: Final = 3600
"""Seconds after which it is noted again that a part was used, so that reading seldom writes."""
_PATIENCE: Final = 10.0  # seconds to wait for another process that writes


class FileCache:
    """The cache at a local path, made where it is not there. Raises `UsageError` for a file that is something else.

    A cache that fails later, because the disk is full or another process locks it, costs time and a warning.
    """

    def __init__(self, path: str, max_bytes: int = DEFAULT_MIB << 20) -> None:
        self.path, self._max_bytes = path, max_bytes
        self._lock = Lock()
        try:
            self._database = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False, isolation_level=None)
            finalize(self, self._database.close)
            self._claim()
        except sqlite3.Error as problem:
            raise UsageError(path, expected="a local file for a cache", found=str(problem)) from problem

    def get(self, root: str, path: str, size: int, part: str) -> bytes | None:
        """A part of a file that is kept; None where it is not, or is damaged."""
        key = _key(root, path, size, part)

        def read() -> bytes | None:
            row = self._database.execute("SELECT content, digest, used FROM parts WHERE key = ?", (key,)).fetchone()
            if row is None or row[1] != _digest(key, row[0]):
                return None
            now = int(time.time())
            if now - row[2] > _USED_AGAIN_AFTER:
                self._database.execute("UPDATE parts SET used = ? WHERE key = ?", (now, key))
            content: bytes = row[0]
            return content

        return self._attempt(read)

    def put(self, root: str, path: str, size: int, part: str, content: bytes) -> None:
        """Keeps a part of a file; of what is larger than an eighth of the bound nothing."""
        if len(content) > self._max_bytes // 8:
            return
        key = _key(root, path, size, part)

        def write() -> None:
            row = key, content, _digest(key, content), int(time.time())
            self._database.execute("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?)", row)
            surplus = self._bytes() - self._max_bytes
            if surplus > 0:
                self._database.execute(_DROP_LEAST_USED, (surplus + (1 - _KEPT) * self._max_bytes,))

        self._attempt(write)

    def _attempt(self, call: Callable[[], T]) -> T | None:
        with self._lock:
            try:
                return call()
            except sqlite3.Error as problem:
                warnings.warn(f"{self.path}: {problem}; files are fetched from their store", stacklevel=2)
                return None

    def _claim(self) -> None:
        """Makes the table in a new file; makes sure that one that is there is ours."""
        application, version = (self._number(name) for name in ("application_id", "user_version"))
        (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (application, version) != (_APPLICATION, _VERSION) and (application or version or tables):
            raise UsageError(self.path, expected=f"a cache of version {_VERSION}", found="another database")
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL"):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.execute(_TABLE)
        self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._database.execute(f"PRAGMA user_version = {_VERSION}")

    def _bytes(self) -> int:
        """How large the file is, without pages that are free."""
        pages, free, size = (self._number(name) for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def _number(self, pragma: str) -> int:
        (number,) = self._database.execute(f"PRAGMA {pragma}").fetchone()
        return int(number)


def local_cache(path: str, max_bytes: int) -> FileCache:
    """The cache at a path. Raises `UsageError` for a folder."""
    if Path(path).is_dir():
        raise UsageError(path, expected="a local file for a cache", found="a folder")
    return FileCache(path, max_bytes)


def _key(root: str, path: str, size: int, part: str) -> bytes:
    return json.dumps([root, path, size, part]).encode()


def _digest(key: bytes, content: bytes) -> bytes:
    return hashlib.blake2b(key + content, digest_size=16).digest()
