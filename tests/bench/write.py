"""Rows in memory to a commit on local storage: an append to an empty table, and upserts into one of 200 files.

Ours keeps what Apache Hudi keeps by default: keys, bloom filters, and a metadata table with column statistics. The floor is plain
pyarrow, which writes the same rows to as many files with the same codec and nothing else. Every call works on a table of its
own, which it makes: for upserts a copy whose data files are links. That is part of both sides' time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.writing.create import create_table
from tests.bench import apache_hudi
from tests.bench.timing import Elsewhere, Pair, Unbuilt

_ROWS = 1_000_000
_INDEXES = ("column_stats", "bloom_filters", "partition_stats")
_OF_HUDI = {
    "append_1m_12_columns": ("append", "insert_defaults"),
    "upsert_200k_uniform_200_files": ("upsert", "bloom_uniform"),
    "upsert_200k_recent": ("upsert", "bloom_recent"),
}
"""What Apache Hudi's script calls the cases."""
_INPUTS = {"upsert_200k_uniform_200_files": "upsert_input", "upsert_200k_recent": "upsert_recent_input"}


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case. Raises `Unbuilt` for one that there is none of, `Missing` for what the machine lacks."""
    if case == "append_1m_12_columns":
        return Pair(_append, _appender(case, peer), _appended, 5, burst=1)
    if case not in _INPUTS:
        raise Unbuilt("no measurement of this case")
    if peer != "apache-hudi":
        return _upsert_pair(case, peer)
    peer_s = apache_hudi.measurement(*_OF_HUDI[case], "rows")
    return Pair(lambda: _upsert(case), peer_s, partial(_upserted, case), 5, burst=1)


@cache
def rows() -> pa.Table:
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


def _append() -> int:
    """Rows that the table has after its creation and an append."""
    with tempfile.TemporaryDirectory(prefix="bench-write-") as folder:
        return _new_table(folder).append(rows()).inserted


def _new_table(folder: str) -> Table:
    return create_table(Path(folder) / "t", rows(), "id", ordering="ts", indexes=_INDEXES)


def _appender(case: str, peer: str) -> Callable[[], int] | Elsewhere:
    match peer:
        case "apache-hudi":
            apache_hudi.table("cow_read")  # its input is made along with this table
            return apache_hudi.measurement(*_OF_HUDI[case], "rows")
        case "pyarrow":
            return _plain_files
        case "deltalake" | "pyiceberg":
            from tests.bench import write_peers  # noqa: PLC0415 - needs what is only in the environment of `make bench`

            return write_peers.appender(peer, rows())
        case _:
            raise Unbuilt("no such peer")


def _plain_files() -> int:
    with tempfile.TemporaryDirectory(prefix="bench-write-") as folder:
        pq.write_table(rows(), Path(folder) / "rows.parquet", compression="zstd")
        return _ROWS


def _upsert_pair(case: str, peer: str) -> Pair:
    from tests.bench import write_peers  # noqa: PLC0415 - needs what is only in the environment of `make bench`

    files = sorted(apache_hudi.table("cow_tag").glob("*/*.parquet"))
    theirs = write_peers.upserter(peer, files, _input(case))
    return Pair(lambda: _upsert(case, count=True), theirs, partial(_upserted, case), 5, burst=1)


def _upsert(case: str, *, count: bool = False) -> int:
    """Rows of the batch, or with `count` those that the table has afterwards."""
    with _upserted_table(case) as table:
        return sum(refreshed(table).scan().counts()) if count else _input(case).num_rows


@contextmanager
def _upserted_table(case: str) -> Iterator[Table]:
    """A copy of the table, after the upsert."""
    with tempfile.TemporaryDirectory(prefix="bench-write-", dir=apache_hudi.table("cow_tag").parent) as folder:
        copy = Path(folder) / "t"
        shutil.copytree(apache_hudi.table("cow_tag"), copy, copy_function=_linked)
        table = open_table(copy)
        table.upsert(_input(case))
        yield table


def _linked(source: str, target: str) -> None:
    """A link to a data file, which nobody changes; a copy of what stands in the table's own folder."""
    if ".hoodie" in Path(source).parts:
        shutil.copy2(source, target)
    else:
        os.link(source, target)


@cache
def _input(case: str) -> pa.Table:
    return pq.read_table(apache_hudi.table("cow_tag").parent / _INPUTS[case])


def _appended(ours: object, theirs: object) -> None:
    """As many rows on both sides; in our table those that were given."""
    assert ours == theirs, f"{ours} rows, the peer has {theirs}"
    with tempfile.TemporaryDirectory(prefix="bench-write-") as folder:
        table = _new_table(folder)
        table.append(rows())
        _assert_same_rows(refreshed(table), rows(), ["id"])


def _upserted(case: str, ours: object, theirs: object) -> None:
    """As many rows on both sides; in our table those of the batch, and of the others those that were there."""
    assert ours == theirs, f"{ours} rows, the peer has {theirs}"
    batch, keys = _input(case), ["part", "id"]
    before = open_table(apache_hudi.table("cow_tag")).scan(meta=False).to_arrow()
    kept = before.join(batch.select(keys), keys, join_type="left anti").select(before.column_names)
    wanted = pa.concat_tables([kept, batch.select(kept.column_names).cast(kept.schema)])
    with _upserted_table(case) as table:
        _assert_same_rows(refreshed(table), wanted, keys)


def _assert_same_rows(table: Table, wanted: pa.Table, keys: Sequence[str]) -> None:
    stored, order = table.scan(meta=False).to_arrow(), [(name, "ascending") for name in keys]
    assert stored.sort_by(order).equals(wanted.select(stored.column_names).cast(stored.schema).sort_by(order)), (
        "rows differ"
    )
