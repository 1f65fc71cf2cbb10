"""Rows in memory to a commit on local storage: an append to an empty table; upserts into one of 200 files, and a delete in it.

Ours keeps what Apache Hudi keeps by default: keys, bloom filters, and a metadata table with column statistics. The floor is plain
pyarrow, which writes the same rows with the same codec and nothing else. Every call works on a table of its own, a copy whose
data files are links; making it is timed on no side. Beside Apache Hudi a change begins with a table that Apache Hudi wrote,
beside Delta Lake and PyIceberg each side with one of its own, with the same rows in the same files. Before anything is timed, all
rows of both sides are compared with those that have to be there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from tests.bench import apache_hudi
from tests.bench.timing import Elsewhere, Fresh, Pair, Unbuilt

Rows = Callable[[], pa.Table]
Act = Callable[[], Rows]
"""Writes, which is what is timed, and gives what reads the rows of the table afterwards."""
Write = Callable[[], AbstractContextManager[Act]]
"""Makes a table to be written to, which is there as long as the context."""

_ROWS = 1_000_000
INDEXES = ("column_stats", "bloom_filters", "partition_stats")
_KEY = ("part", "id")
_EVERY = 4
"""Of the table's four million rows one million are known keys to upsert."""
_DELETED = 10_000
"""Rows whose `b` is below it are deleted: one in a hundred, in all files."""


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case. Raises `Unbuilt` for one that there is none of, `Missing` for what the machine lacks."""
    if case == "append_1m_12_columns":
        return _append_pair(peer)
    if case == "upsert_1m_known_keys_record_index":
        return _record_index_pair(peer)
    if case not in _CHANGES:
        raise Unbuilt("no measurement of this case")
    return _change_pair(_CHANGES[case], peer)


def _append_pair(peer: str) -> Pair:
    if peer == "apache-hudi":
        folder = apache_hudi.table("cow_read").parent / "append_input"  # made along with this table
        rows = _read(folder)
        return _pair(partial(_appended, rows), _of_apache_hudi("append", rows=folder), lambda: rows, ("id",), peer)
    rows = rows_to_append()
    theirs: Write = partial(_plain_file, rows) if peer == "pyarrow" else partial(_peers().appended, peer, rows)
    return _pair(partial(_appended, rows), theirs, lambda: rows, ("id",), peer)


@dataclass(frozen=True)
class Change:
    """A change of a table: an upsert of rows, or the delete."""

    source: Callable[[], Path]
    batch: Callable[[], pa.Table] | None

    @contextmanager
    def assemble(self) -> Iterator[Act]:
        """The change of a copy of the table."""
        source = self.source()
        with tempfile.TemporaryDirectory(prefix="bench-write-", dir=source.parent) as scratch:
            table = open_table(shutil.copytree(source, Path(scratch) / "t", copy_function=_linked))
            batch = self.batch() if self.batch else None

            def act() -> Rows:
                if batch is None:
                    table.delete(where=f"b < {_DELETED}")
                else:
                    table.upsert(batch)
                return partial(_rows_of, table)

            yield act

    def result(self) -> pa.Table:
        """The rows that the table has afterwards."""
        before = open_table(self.source()).scan(meta=False).to_arrow()
        if self.batch is None:
            return before.filter(pc.field("b") >= float(_DELETED))
        batch = self.batch()
        kept = before.join(batch.select(_KEY), list(_KEY), join_type="left anti").select(before.column_names)
        return pa.concat_tables([kept, batch.select(kept.column_names).cast(kept.schema)])


@dataclass(frozen=True)
class _Input:
    """What is changed: the table of Apache Hudi, perhaps as one that is merged on read, and the folder of rows beside it."""

    folder: str | None
    merge_on_read: bool = False

    def source(self) -> Path:
        table = apache_hudi.table("cow_tag")
        return _merge_on_read(table) if self.merge_on_read else table

    def rows(self) -> Path | None:
        return self.source().parent / self.folder if self.folder else None

    def of(self, source: Callable[[], Path]) -> Change:
        """The change of a table."""
        rows = self.rows()
        return Change(source, partial(_read, rows) if rows else None)


_CHANGES: Mapping[str, _Input] = {
    "upsert_200k_uniform_200_files": _Input("upsert_input"),
    "upsert_200k_recent": _Input("upsert_recent_input"),
    "mor_upsert_200k": _Input("upsert_input", merge_on_read=True),
    "delete_where_1_percent": _Input(None),
}


def _change_pair(given: _Input, peer: str) -> Pair:
    change, rows = given.of(given.source), given.rows()
    if peer == "apache-hudi":
        command, where = ("upsert", None) if rows else ("delete", f"b < {_DELETED}")
        theirs = _of_apache_hudi(command, given.source(), rows, where)
        return _pair(change.assemble, theirs, change.result, _KEY, peer)
    if rows is None:
        raise Unbuilt("no such peer")
    files = tuple(sorted(given.source().glob("*/*.parquet")))
    own = given.of(partial(_peers().own_table, files, INDEXES))
    return _pair(own.assemble, _peers().upserted(peer, files, _read(rows)), own.result, _KEY, peer)


def _record_index_pair(peer: str) -> Pair:
    """An upsert of rows that the table has, with a record index and without it."""
    if peer != "upsert without it":
        raise Unbuilt("no such peer")

    @cache
    def batch() -> pa.Table:
        rows = open_table(apache_hudi.table("cow_tag")).scan(meta=False).to_arrow()
        return rows.take(np.arange(0, rows.num_rows, _EVERY))

    with_index, without = (Change(partial(apache_hudi.table, name), batch) for name in ("cow_tag_rli", "cow_tag"))
    return _pair(with_index.assemble, without.assemble, without.result, _KEY, peer)


def _pair(ours: Write, theirs: Write | Elsewhere, result: Rows, key: Sequence[str], peer: str) -> Pair:
    """Both sides have to leave the rows `result`, in any order."""

    def check(_: object, answer: pa.Table | None) -> None:
        wanted = result()
        _assert_same(_read_of(ours), wanted, key)
        _assert_same(_read_of(theirs) if answer is None and not isinstance(theirs, Elsewhere) else answer, wanted, key)

    called = theirs if isinstance(theirs, Elsewhere) else Fresh(theirs)
    return Pair(Fresh(ours), called, check, 5, burst=1, terms={"ours": TERMS["ours"], "peer": TERMS[peer]})


TERMS: Mapping[str, str] = {
    "ours": "zstd; five columns of Hudi; bloom filters, column and partition statistics; synced before the commit is",
    "upsert without it": "as ours, without a record index",
    "apache-hudi": "gzip; five columns of Hudi; bloom filters and statistics as the table has them; not synced",
    "pyarrow": "zstd; the given columns; no commit; not synced",
    "deltalake": "snappy; the given columns; statistics in the log; not synced",
    "pyiceberg": "zstd; the given columns; statistics in manifests; not synced",
}
"""What each side writes and makes sure of, so that a ratio can be judged."""


def _read_of(write: Write) -> pa.Table:
    with write() as act:
        return act()()


def _assert_same(rows: pa.Table, wanted: pa.Table, key: Sequence[str]) -> None:
    order = [(name, "ascending") for name in key]
    stored = rows.select(wanted.column_names).cast(wanted.schema)
    assert stored.sort_by(order).equals(wanted.sort_by(order)), "rows differ"


@contextmanager
def _appended(rows: pa.Table) -> Iterator[Act]:
    """A new table with the rows."""
    with tempfile.TemporaryDirectory(prefix="bench-write-") as folder:

        def act() -> Rows:
            table = create_table(Path(folder) / "t", rows, "id", ordering="ts", indexes=INDEXES)
            table.append(rows)
            return partial(_rows_of, table)

        yield act


def _rows_of(table: Table) -> pa.Table:
    rows: pa.Table = refreshed(table).scan(meta=False).to_arrow()
    return rows


@contextmanager
def _plain_file(rows: pa.Table) -> Iterator[Act]:
    with tempfile.TemporaryDirectory(prefix="bench-write-") as folder:

        def act() -> Rows:
            pq.write_table(rows, Path(folder) / "rows.parquet", compression="zstd")
            return partial(pq.read_table, Path(folder) / "rows.parquet")

        yield act


def _peers() -> ModuleType:
    from tests.bench import write_peers  # noqa: PLC0415 - needs what is only in the environment of `make bench`

    return write_peers


def _of_apache_hudi(
    command: str, table: Path | None = None, rows: Path | None = None, where: str | None = None
) -> Elsewhere:
    """The seconds of its own write, and the rows that it leaves."""
    script = Path(__file__).with_name("write_peer.py")
    options = {"--table": table, "--rows": rows, "--where": where}
    given = [str(part) for option, value in options.items() if value for part in (option, value)]

    def run() -> tuple[Sequence[float], pa.Table]:
        with tempfile.TemporaryDirectory(prefix="bench-write-", dir=apache_hudi.table("cow_tag").parent) as scratch:
            answer = Path(scratch) / "rows"
            (line,) = apache_hudi.script(script, command, str(answer), scratch, *given)
            return line["seconds"], pq.read_table(answer)

    return Elsewhere(run)


def _merge_on_read(table: Path) -> Path:
    """A copy of a copy-on-write table with the other type: its command line changes the type of a table so."""
    copy = table.with_name(f"{table.name}_mor")
    if not copy.is_dir():
        new = shutil.copytree(table, table.with_name(f"{copy.name}.new"), copy_function=_linked)
        properties = Path(new) / ".hoodie" / "hoodie.properties"
        text = properties.read_text("utf-8")
        properties.write_text(text.replace("COPY_ON_WRITE", "MERGE_ON_READ"), "utf-8")
        properties.with_name(".hoodie.properties.crc").unlink(missing_ok=True)  # Hadoop's checksum of what it was
        Path(new).rename(copy)
    return copy


def _linked(source: str, target: str) -> None:
    """A link to a data file, which nobody changes; a copy of what stands in the table's own folder."""
    if ".hoodie" in Path(source).parts:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


@cache
def _read(folder: Path) -> pa.Table:
    return pq.read_table(folder)


@cache
def rows_to_append() -> pa.Table:
    """A million rows: keys in no order, dates and times that run with them, numbers and strings."""
    draw = np.random.default_rng(5)
    numbers = draw.permutation(_ROWS)
    seconds = 1_700_000_000_000_000 + numbers.astype(np.int64) * 1_000_000
    return pa.table(
        {
            "id": pa.array([f"key-{number:09d}" for number in numbers.tolist()]),
            "ts": pa.array(numbers, pa.int64()),
            "a": pa.array(draw.integers(0, 1 << 31, _ROWS), pa.int64()),
            "b": pa.array(draw.integers(0, 1000, _ROWS), pa.int32()),
            "l": pa.array(draw.integers(0, 1 << 40, _ROWS), pa.int64()),
            "x": pa.array(draw.normal(size=_ROWS)),
            "dec": pa.array(draw.integers(0, 10**8, _ROWS), pa.int64()).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)),
            "flag": pa.array(draw.integers(0, 2, _ROWS).astype(np.bool_)),
            "cat": pa.array(np.array(["books", "music", "games", "tools"])[draw.integers(0, 4, _ROWS)]),
            "name": pa.array([f"name {number}" for number in draw.integers(0, 50_000, _ROWS).tolist()]),
            "day": pa.array(19_000 + numbers // 10_000, pa.int32()).cast(pa.date32()),
            "at": pa.array(seconds, pa.timestamp("us", "UTC")),
        }
    )  # fmt: skip
