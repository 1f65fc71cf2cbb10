"""Statistics in footers of base files, kept in a local file between processes. Rule SOURCE-19.

One SQLite file serves any number of tables and processes. A row is one base file: its table, path and size, its footer
as compressed JSON, a digest over all of that, and the time of its last use. It keeps what planning uses: rows, columns
with their types, and statistics of the whole file; not docs, bloom filters and row groups, which readers get from the file
itself. Where the file grows beyond its bound, the least recently used entries are dropped.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from pathlib import Path as LocalPath
from typing import Any, Final

from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import CorruptFileError, SchemaError, StorageError, UsageError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.json_texts import parse_json
from hudi_core.local_uris import local_path
from hudi_core.schema.schema import Path, Schema
from hudi_core.types import nodes as t
from hudi_core.values.domain import check

_APPLICATION: Final = 0x48754643  # "HuFC": marks the file as ours in SQLite's own header
_VERSION: Final = 4
_TABLE: Final = """
CREATE TABLE footers (
    root TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, content BLOB NOT NULL, digest BLOB NOT NULL,
    used INTEGER NOT NULL, PRIMARY KEY (root, path)
) WITHOUT ROWID
"""
_DROP_LEAST_USED: Final = """
DELETE FROM footers WHERE (root, path) IN (
    SELECT root, path FROM (
        SELECT
            root, path, length(content) AS own,
            sum(length(content)) OVER (ORDER BY used, root, path) AS so_far, sum(length(content)) OVER () AS every
        FROM footers
    ) WHERE so_far - own < ? * every
)
"""  # the first ones that together are such a share of all

DEFAULT_MAX_BYTES: Final = 1 << 28
"""How large a cache may grow, in bytes: footers of some hundred thousand base files."""

_USED_AGAIN_AFTER: Final = 3600
"""Seconds after which another use of an entry is noted, so that reading seldom writes."""

_KEPT: Final = 0.875
"""The share of its bound that is left of a cache that grew beyond it, so that this does not happen each time."""

_FILES_PER_QUERY: Final = 500  # SQLite takes at least 999 parameters
_PATIENCE: Final = 10.0  # seconds to wait for another process that writes

_PRIMITIVES: Final[Mapping[str, type[Any]]] = {
    kind.__name__: kind
    for kind in (
        *(t.Boolean, t.Int, t.Long, t.Float, t.Double, t.Date, t.Time, t.Timestamp, t.String, t.Binary),
        *(t.Fixed, t.Uuid, t.Decimal, t.Enumeration, t.Vector),
    )
}
_ENUMS: Final[Mapping[str, type[Enum]]] = {"Unit": t.Unit, "VectorElement": t.VectorElement}


class FooterCache:
    """The cache at a local path, of at most so many bytes; made when it is not there, and emptied when an earlier version made
    it. Raises `UsageError` for a file that is something else.

    Threads and processes may use it at the same time. What is damaged in it raises `CorruptFileError` when it is met, what
    cannot be read or written `StorageError`: both name the file, and nothing of it is used.
    """

    def __init__(self, path: str, most: int = DEFAULT_MAX_BYTES) -> None:
        self.path, self.most = local_path(path), most
        if LocalPath(self.path).is_dir():
            raise UsageError(path, expected="a file for the footer cache", found="a folder")
        with self._open() as database:
            self._claim(database)

    def get(self, root: str, files: Sequence[FileInfo]) -> dict[str, Footer]:
        """The entries of these base files of the table at `root`, by path, where path and size are the same."""
        footers: dict[str, Footer] = {}
        root, now = _absolute(root), int(time.time())
        noted = []
        with self._open() as database:
            for first in range(0, len(files), _FILES_PER_QUERY):
                sizes = {file.path: file.size for file in files[first : first + _FILES_PER_QUERY]}
                marks = ",".join("?" * len(sizes))
                query = f"SELECT path, size, content, digest, used FROM footers WHERE root = ? AND path IN ({marks})"
                for path, size, content, digest, used in database.execute(query, (root, *sizes)):
                    if size == sizes.get(path):
                        footers[path] = self._read(root, path, size, content, digest)
                        if not isinstance(used, int) or not now - _USED_AGAIN_AFTER < used <= now:
                            noted.append((now, root, path))
            if noted and os.access(self.path, os.W_OK):
                database.executemany("UPDATE footers SET used = ? WHERE root = ? AND path = ?", noted)
        return footers

    def put(self, root: str, footers: Mapping[FileInfo, Footer]) -> None:
        """Keeps the footers of base files of the table at `root`: all of them, or none when something fails. Others are dropped
        for them where there are too many. Nothing is kept of a file whose size differs from the table's listing."""
        rows = []
        root, now = _absolute(root), int(time.time())
        for file, footer in footers.items():
            if footer.size not in (None, file.size):
                continue
            content = zlib.compress(_text(footer).encode())
            rows.append((root, file.path, file.size, content, _digest(root, file.path, file.size, content), now))
        with self._open() as database:
            database.executemany("INSERT OR REPLACE INTO footers VALUES (?, ?, ?, ?, ?, ?)", rows)
            held = _count_stored_bytes(database)
            if held > self.most:
                database.execute(_DROP_LEAST_USED, (1 - _KEPT * self.most / held,))

    def _read(self, root: str, path: str, size: int, content: bytes, digest: bytes) -> Footer:
        if not isinstance(content, bytes) or digest != _digest(root, path, size, content):
            raise CorruptFileError(self.path, expected=f"the footer of {path} in the cache", found="other bytes")
        try:
            return _footer(parse_json(zlib.decompress(content)))
        except (ValueError, TypeError, LookupError, InvalidOperation, zlib.error) as error:
            raise CorruptFileError(self.path, expected=f"the footer of {path}", found=type(error).__name__) from None

    def _claim(self, database: sqlite3.Connection) -> None:
        """Makes the table in a new file; makes sure that one that is there is ours."""
        if _read_maker(database) == (_APPLICATION, _VERSION):
            return
        database.execute("BEGIN IMMEDIATE")  # another process may be about to make it too
        application, version = _read_maker(database)
        if (application, version) == (_APPLICATION, _VERSION):
            return
        if application == _APPLICATION and version < _VERSION:
            database.execute("DROP TABLE IF EXISTS footers")
            application = version = 0
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application or version or tables:
            raise UsageError(
                self.path,
                expected=f"a footer cache of version {_VERSION}",
                found=f"version {version}" if application == _APPLICATION else "another database",
            )
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute(_TABLE)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept when nothing goes wrong; what goes wrong is raised as one of our errors."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as database, database:
                yield database
        except sqlite3.OperationalError as error:  # locked, full, not allowed, no such folder
            raise StorageError(self.path, message=str(error)) from error
        except sqlite3.DatabaseError as error:
            if LocalPath(self.path).is_file() and not _is_sqlite(self.path):
                raise UsageError(self.path, expected="a footer cache", found="another file") from error
            raise CorruptFileError(self.path, expected="a footer cache", found=str(error)) from error


def _read_maker(database: sqlite3.Connection) -> tuple[int, int]:
    """Which application made the file, in which version; zeros in a new one."""
    (application,), (version,) = (
        database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
    )
    return application, version


def _count_stored_bytes(database: sqlite3.Connection) -> int:
    """How large the file is, without pages that are free."""
    values = [
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    ]
    pages, free, size = map(int, values)
    return (pages - free) * size


def _is_sqlite(path: str) -> bool:
    with LocalPath(path).open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _absolute(root: str) -> str:
    """A table by a name that is the same from everywhere."""
    return root if "://" in root else str(LocalPath(root).absolute())


def _digest(root: str, path: str, size: int, content: bytes) -> bytes:
    place = json.dumps([root, path, size]).encode()
    return hashlib.blake2b(place + content, digest_size=16).digest()


# -- footers as text -------------------------------------------------------------------------------------------------------


def _text(footer: Footer) -> str:
    """Rows, schema and statistics; those of a column whose type is another than the schema's are left out."""
    statistics = [
        [list(path), _value_text(leaf.lower), _value_text(leaf.upper), leaf.null_count, leaf.value_count, leaf.nans]
        for path, leaf in footer.statistics.items()
        if leaf.type == _type_at(footer.schema, path)
    ]
    schema = json.dumps(_fields_text(footer.schema.record.fields))
    return json.dumps([footer.rows, schema, footer.schema.max_column_id, statistics])


def _footer(document: Any) -> Footer:
    rows, text, greatest, leaves = document
    schema = _schema(text, greatest)
    statistics = {}
    for path, low, high, nulls, values, nans in leaves:
        leaf_type = _type_at(schema, tuple(path))
        leaf = LeafStatistics(leaf_type, _value(low), _value(high), nulls, values, nans)
        check(leaf.lower, leaf_type)
        check(leaf.upper, leaf_type)
        statistics[tuple(path)] = leaf
    return Footer(rows, schema, statistics=statistics)


def _type_at(schema: Schema, path: Path) -> t.Type:
    return schema.place(schema.ids[path]).field.type


@lru_cache(maxsize=64)
def _schema(text: str, greatest: int) -> Schema:
    """Files of one commit share their schema, and so the making of it."""
    return Schema(t.Record(_fields(json.loads(text))), max_column_id=greatest)


def _fields_text(fields: Sequence[t.Field]) -> list[Any]:
    return [[field.id, field.name, _type_text(field.type), field.optional] for field in fields]


def _fields(document: Any) -> tuple[t.Field, ...]:
    return tuple(
        t.Field(number, name, _type(type_document), optional) for number, name, type_document, optional in document
    )


def _type_text(stored: t.Type) -> Any:
    match stored:
        case t.Record() | t.Array() | t.Map() | t.Union():
            kind = stored.kind.name if isinstance(stored, t.Record) else None
            return [type(stored).__name__, _fields_text(t.children(stored)), kind]
        case _:
            return [type(stored).__name__, {name: _part_text(getattr(stored, name)) for name in stored.__match_args__}]


def _type(document: Any) -> t.Type:
    name, parts, *kind = document
    match name:
        case "Record":
            return t.Record(_fields(parts), kind=t.RecordKind[kind[0]])
        case "Array":
            (element,) = _fields(parts)
            return t.Array(element)
        case "Map":
            key, value = _fields(parts)
            return t.Map(key, value)
        case "Union":
            return t.Union(_fields(parts))
        case _:
            made: t.Type = _PRIMITIVES[name](**{part: _part(value) for part, value in parts.items()})
            return made


def _part_text(value: Any) -> Any:
    """A part of a primitive type: a number, a text, several texts, a unit, a fixed."""
    match value:
        case Enum():
            return {"enum": type(value).__name__, "name": value.name}
        case t.Fixed():
            return {"fixed": _type_text(value)}
        case _:
            return value


def _part(part: Any) -> Any:
    match part:
        case {"enum": kind, "name": name}:
            return _ENUMS[kind][name]
        case {"fixed": document}:
            return _type(document)
        case list():
            return tuple(part)
        case _:
            return part


def _value_text(value: object) -> Any:
    """A bound, so that it comes back as the same Python value."""
    match value:
        case float():
            return {"float": value.hex()}
        case bytes():
            return {"bytes": base64.b64encode(value).decode()}
        case Decimal():
            return {"decimal": str(value)}
        case None | bool() | int() | str():
            return value
        case _:
            raise SchemaError("a bound", expected="a value of a primitive type", found=type(value).__name__)


def _value(document: Any) -> object:
    match document:
        case {"float": text}:
            return float.fromhex(text)
        case {"bytes": text}:
            return base64.b64decode(text, validate=True)
        case {"decimal": text}:
            return Decimal(text)
        case _:
            return document
