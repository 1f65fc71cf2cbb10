"""Keys to delete or to locate, in columns of other types than the table's: those of the same value, or a refusal."""

from __future__ import annotations

import datetime as dt
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from hudi_core.errors import HudiError
from hudi_core.front.opening import create_table, open_table
from hudi_core.tagging.tag import tag
from hudi_core.writing.spread.operations import spread_write
from tests.support.local_flow import local_rows

NOON = dt.datetime(2020, 1, 1, 12, 0, 0, 5000, tzinfo=dt.UTC)
EQUAL: list[tuple[pa.DataType, Any, list[Any]]] = [
    (pa.int32(), 1, [1.0, Decimal(1), "1", pa.scalar(1, pa.uint8())]),
    (pa.int64(), 2**53 + 1, [Decimal(2**53 + 1)]),
    (pa.decimal128(5, 2), Decimal("1.50"), [Decimal("1.5"), 1.5]),
    (pa.float64(), 2.0, [2, pa.scalar(2, pa.float32())]),
    (pa.string(), "7", [b"7", 7]),
    (pa.binary(), b"a", ["a"]),
    (pa.timestamp("ms", "UTC"), NOON, [pa.scalar(NOON, pa.timestamp("us", "UTC")), pa.scalar(NOON, pa.timestamp("ns", "UTC"))]),
]  # fmt: skip
OTHER: list[tuple[pa.DataType, Any, list[Any]]] = [
    (pa.int32(), 1, [1.5, True, Decimal("1.5"), pa.scalar(1, pa.timestamp("us"))]),
    (pa.decimal128(5, 2), Decimal("1.50"), [1.501, Decimal("1.504")]),
    (pa.date32(), NOON.date(), [NOON.replace(tzinfo=None), 18262]),
    (pa.timestamp("ms", "UTC"), NOON, [NOON.replace(tzinfo=None), 0, NOON.replace(microsecond=5001)]),
    (pa.bool_(), True, [1]),
]


def table_of(folder: Path, kind: pa.DataType, value: Any) -> Path:
    rows = pa.table({"id": pa.array([value], kind), "v": [1]})
    create_table(folder / "t", rows, "id", type="mor").append(rows)
    return folder / "t"


@pytest.mark.parametrize(("kind", "value", "given"), EQUAL)
def test_a_key_of_another_type_deletes_the_row_of_its_value(
    tmp_path: Path, kind: pa.DataType, value: Any, given: list[Any]
) -> None:
    """WRITE-1377."""
    root = table_of(tmp_path, kind, value)
    for number, one in enumerate(given):
        copy = tmp_path / str(number)
        shutil.copytree(root, copy)
        assert open_table(copy).delete(pa.table({"id": pa.array([one])})).deleted == 1, one
        assert open_table(copy).count() == 0


@pytest.mark.parametrize(("kind", "value", "given"), EQUAL)
def test_a_key_of_another_type_is_located_and_its_row_stays_as_it_is(
    tmp_path: Path, kind: pa.DataType, value: Any, given: list[Any]
) -> None:
    """WRITE-1377."""
    table = open_table(table_of(tmp_path, kind, value))
    for one in given:
        rows = pa.table({"id": pa.array([one])})
        tagged = tag(table, rows).read_all()
        assert tagged["location"][0].as_py() is not None, one
        assert tagged.column("id").to_pylist() == rows.column("id").to_pylist()


@pytest.mark.parametrize(("kind", "value", "given"), OTHER)
def test_a_key_that_the_column_cannot_have_is_refused(
    tmp_path: Path, kind: pa.DataType, value: Any, given: list[Any]
) -> None:
    """WRITE-1377: it deleted nothing, without a word."""
    table = open_table(table_of(tmp_path, kind, value))
    for one in given:
        with pytest.raises(HudiError):
            table.delete(pa.table({"id": pa.array([one])}))
        with pytest.raises(HudiError):
            tag(table, pa.table({"id": pa.array([one])})).read_all()
    assert open_table(tmp_path / "t").count() == 1


def test_whole_numbers_of_pandas_are_those_of_the_table(tmp_path: Path) -> None:
    """WRITE-1377: pandas makes floats of integers that were once beside a gap."""
    rows = pa.table({"id": [1, 2, 3], "p": [10, 10, 20]})
    table = create_table(tmp_path / "t", rows, "id", partition_by="p")
    table.append(rows)
    assert table.delete(pd.DataFrame({"id": [1.0, 3.0], "p": [10.0, 20.0], "more": ["x", "y"]})).deleted == 2
    with table.transaction() as changes:
        changes.delete(pd.DataFrame({"id": [2.0], "p": [10]}))
    assert open_table(tmp_path / "t").count() == 0


def test_keys_in_parts_are_taken_in_the_types_of_the_table(tmp_path: Path) -> None:
    """WRITE-1377."""
    table = open_table(table_of(tmp_path, pa.decimal128(5, 2), Decimal("1.50")))
    with pytest.raises(HudiError):
        spread_write(table, local_rows(table.engine, [pa.table({"id": [1.501]})]), "delete")
    assert spread_write(table, local_rows(table.engine, [pa.table({"id": [Decimal("1.5")]})]), "delete").deleted == 1
