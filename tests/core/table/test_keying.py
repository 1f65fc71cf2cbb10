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
from hudi_core.errors import UnsupportedError
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
def test_rows_of_two_forms_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, op: str) -> None:
    """KEY-1660: one key has two forms then, and no form meets all rows."""
    table = create(tmp_path, "at")
    for writer, time in ((WritePath.ROW, WHOLE), (WritePath.AVRO, FINE)):
        with written_by(monkeypatch, writer):
            table.refresh().append(rows_of(["a"], [time]))
    with pytest.raises(UnsupportedError, match="one writer makes"):
        table.refresh().write(rows_of(["c"], [FINE]), op)
