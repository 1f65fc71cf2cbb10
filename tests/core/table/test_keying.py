"""Keys as the writer of the stored rows made them, where writers make others of one value. Rule KEY-1660."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.front.table import Table
from hudi_core.keys.generator import WritePath
from hudi_core.table.keying import table_generator
from hudi_core.writing import incoming

UTC = dt.UTC
WHOLE = dt.datetime(2024, 2, 28, 23, 59, 59, tzinfo=UTC)
FINE = WHOLE.replace(microsecond=123456)
PATHS = list(WritePath)


@contextmanager
def written_by(monkeypatch: pytest.MonkeyPatch, writer: WritePath) -> Iterator[None]:
    """Writes have keys as this writer of Apache Hudi's makes them."""
    with monkeypatch.context() as patched:
        patched.setattr(incoming, "table_generator", partial(table_generator, writer=writer))
        yield


def rows_of(ids: list[str], times: list[Any], wide: int = 1) -> pa.Table:
    zoned = pa.array(times, pa.timestamp("us", "UTC"))
    return pa.table({"id": ids, "at": zoned, "local": zoned.cast(pa.timestamp("us")), "v": [wide] * len(ids)})


def create(path: Path, key: Any, partition_by: Any = ()) -> Table:
    return hudi_core.create(str(path), rows_of([], []), key, partition_by=partition_by)


@pytest.mark.filterwarnings("ignore:partitions whose first folder has a colon")  # in which only some writers put one
@pytest.mark.parametrize("writer", PATHS)
@pytest.mark.parametrize(
    ("key", "partition_by"),
    [("at", ()), ("local", ()), (["id", "at"], ()), ("id", "at"), ("id", ["v", "local"])],
    ids=["key", "local-key", "composite", "partition", "local-partition"],
)
def test_rows_are_merged_with_those_of_any_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: WritePath, key: Any, partition_by: Any
) -> None:
    """KEY-1660: an upsert and a delete meet the stored rows."""
    table = create(tmp_path, key, partition_by)
    rows = rows_of(["a", "b"], [FINE, FINE.replace(year=1969)])
    with written_by(monkeypatch, writer):
        table.append(rows)
    keys = ["_hoodie_record_key", "_hoodie_partition_path"]
    stored = table.refresh().to_arrow(columns=keys).to_pylist()
    table.refresh().upsert(rows)
    assert table.refresh().to_arrow(columns=keys).to_pylist() == stored
    table.refresh().delete(rows.slice(0, 1))
    assert table.refresh().to_arrow().num_rows == 1


def test_forms_that_are_the_same_for_first_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """KEY-1660: rows beyond the first decide."""
    table = create(tmp_path, "at")
    rows = rows_of(["a", "b"], [WHOLE, FINE])
    with written_by(monkeypatch, WritePath.INTERNAL_ROW):
        table.append(rows)
    table.refresh().upsert(rows)
    assert table.refresh().to_arrow().num_rows == 2


@pytest.mark.parametrize("op", ["upsert", "insert", "append"])
def test_rows_of_two_forms_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, op: Any) -> None:
    """KEY-1660: one key has two forms then, and no form meets all rows."""
    table = create(tmp_path, "at")
    for writer, time in ((WritePath.ROW, WHOLE), (WritePath.AVRO, FINE)):
        with written_by(monkeypatch, writer):
            table.refresh().append(rows_of(["a"], [time]))
    with pytest.raises(UnsupportedError, match="that one writer makes"):
        table.refresh().write(rows_of(["c"], [FINE]), op)


def test_an_empty_table_gets_keys_as_apache_hudi_upserts_them(tmp_path: Path) -> None:
    """KEY-1660: numbers. Its upserts of rows with strings as keys would add them a second time, and colons of strings in a path
    stop its readers."""
    table = create(tmp_path, ["id", "local"], "at")
    table.upsert(rows_of(["a"], [FINE]))
    number = str(int(FINE.timestamp()) * 1_000_000 + FINE.microsecond)
    (row,) = table.refresh().to_arrow(columns=["_hoodie_record_key", "_hoodie_partition_path"]).to_pylist()
    assert list(row.values()) == [f"id:a,local:{number}", number]


@pytest.mark.parametrize("writer", [WritePath.AVRO, WritePath.INTERNAL_ROW])
def test_days_as_times_go_to_the_stored_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: WritePath
) -> None:
    """KEY-1660: Apache Hudi prints them though Spark's rows would not; in an empty table they are refused."""
    options = {
        "hoodie.table.keygenerator.type": "TIMESTAMP",
        "hoodie.keygen.timebased.timestamp.type": "SCALAR",
        "hoodie.keygen.timebased.timestamp.scalar.time.unit": "DAYS",
        "hoodie.keygen.timebased.output.dateformat": "yyyy-MM",
    }
    rows = pa.table({"id": ["a"], "day": pa.array([dt.date(2024, 2, 28)])})
    table = hudi_core.create(str(tmp_path), rows.schema, "id", partition_by="day", options=options)
    with pytest.raises(SchemaError, match="day"):
        table.upsert(rows)
    with written_by(monkeypatch, writer):
        table.append(rows)
    assert table.refresh().upsert(rows).updated == 1
    assert table.refresh().scan(meta=True).to_arrow()["_hoodie_partition_path"].to_pylist() == ["2024-02"]


def test_a_part_of_a_key_may_be_null_without_partitions(tmp_path: Path) -> None:
    """KEY-10: as Apache Hudi's upserts take it."""
    rows = pa.table({"id": ["a", "b"], "n": pa.array([None, 1])})
    table = hudi_core.create(str(tmp_path), rows.schema, ["id", "n"])
    table.upsert(rows)
    assert table.refresh().upsert(rows).updated == 2
