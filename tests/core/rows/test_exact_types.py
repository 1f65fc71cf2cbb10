"""WRITE-31: times in any unit, exactly or not at all; and rows that lack a column of their keys."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import RowError, SchemaError, UnknownColumnError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.types import nodes as t

MOMENT = 1_700_000_000_123
"""Milliseconds since the epoch."""


def nested(unit: str) -> pa.Schema:
    """Times at the top, in a struct, in a list and in the values of a map."""
    at, local = pa.timestamp(unit, "UTC"), pa.timestamp(unit)
    return pa.schema(
        [
            ("id", pa.string()),
            ("at", at),
            ("inner", pa.struct([("local", local), ("n", pa.int32())])),
            ("items", pa.list_(at)),
            ("pairs", pa.map_(pa.string(), local)),
        ]
    )


def rows(unit: str, *moments: int | None) -> pa.Table:
    made = [
        {"id": str(number), "at": one, "inner": {"local": one, "n": 1}, "items": [one, None], "pairs": [("k", one)]}
        for number, one in enumerate(moments)
    ]
    return pa.Table.from_pylist(made, nested(unit))


def stored(table: Table) -> list[dict[str, Any]]:
    return refreshed(table).scan(meta=False).to_arrow().cast(nested("us")).sort_by("id").to_pylist()


def type_of(table: Table, column: str) -> t.Type:
    place = table.schema.find((column,))
    assert place is not None
    return place.field.type


@pytest.mark.parametrize(("unit", "a_milli"), [("ms", 1), ("us", 1000), ("ns", 1_000_000)])
@pytest.mark.parametrize("kept", ["ms", "us"])
def test_times_of_another_unit_are_converted_exactly(tmp_path: Path, kept: str, unit: str, a_milli: int) -> None:
    table = create_table(tmp_path / "t", nested(kept), "id")
    table.upsert(rows(unit, MOMENT * a_milli, None, -a_milli))
    assert stored(table) == rows("us", MOMENT * 1000, None, -1000).to_pylist()


@pytest.mark.parametrize(("kept", "unit", "finer"), [("us", "ns", 1), ("us", "ns", -1), ("ms", "us", 999)])
def test_a_finer_time_is_refused_with_row_and_column(tmp_path: Path, kept: str, unit: str, finer: int) -> None:
    table = create_table(tmp_path / "t", nested(kept), "id")
    whole = MOMENT * 1_000_000
    batches = pa.concat_tables([rows(unit, whole, whole), rows(unit, whole, None, whole + finer)])
    with pytest.raises(RowError, match=r"^at: row 5: expected a value of timestamp-.*, found a finer one"):
        table.upsert(batches)
    of_struct = batches.set_column(1, "at", rows(unit, *[whole] * 5)["at"])
    with pytest.raises(RowError, match=r"^inner.local: row 5"):
        table.upsert(of_struct)
    of_list = of_struct.set_column(2, "inner", rows(unit, *[whole] * 5)["inner"])
    with pytest.raises(RowError, match=r"^items: a row"):
        table.upsert(of_list)
    assert not refreshed(table).timeline.completed


def test_a_time_beyond_the_range_of_its_column_is_refused(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", nested("us"), "id")
    with pytest.raises(SchemaError, match=r"^at: expected"):
        table.upsert(rows("ms", 1 << 62))


def test_new_columns_have_no_nanoseconds(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", nested("ns"), "id")
    assert type_of(table, "at") == t.Timestamp(t.Unit.MICROS)
    table.upsert(rows("ns", 5000).append_column("later", pa.array([7000], pa.timestamp("ns"))))
    assert type_of(refreshed(table), "later") == t.Timestamp(t.Unit.MICROS, zoned=False)


@pytest.mark.parametrize("missing", ["id", "p"])
@pytest.mark.parametrize("op", ["upsert", "append", "delete"])
def test_rows_without_a_column_of_their_keys_are_refused_before_one_is_drawn(
    tmp_path: Path, op: str, missing: str
) -> None:
    """WRITE-1."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.string()), ("p", pa.string())]), "id", partition_by="p")
    types = pa.schema([(name, pa.string()) for name in ("id", "p") if name != missing])
    drawn: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        drawn.append(1)
        yield pa.RecordBatch.from_pylist([{"id": "a", "p": "x"}], types)

    with pytest.raises(UnknownColumnError, match=f"^{missing}: "):
        table.write(pa.RecordBatchReader.from_batches(types, batches()), op)
    assert not drawn


@pytest.mark.parametrize(
    "kind", [pa.struct([]), pa.list_(pa.struct([])), pa.map_(pa.string(), pa.struct([])), pa.binary(0)]
)
def test_a_struct_without_parts_is_refused(tmp_path: Path, kind: pa.DataType) -> None:
    """WRITE-1378, CREATE-1379: before a file is begun. So are bytes of a fixed length that is 0."""
    types = pa.schema([("id", pa.string()), ("v", kind)])
    with pytest.raises(UsageError, match=r"expected (structs with parts|fixed bytes of at least one)"):
        create_table(tmp_path / "t", types, "id")
    table = create_table(tmp_path / "t", types.remove(1), "id", type="mor")
    table.upsert(pa.table({"id": ["a"]}))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnsupportedError, match="expected a type that can be written"):
        table.upsert(pa.table({"id": ["a"], "v": pa.nulls(1, kind)}), add_columns=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_decimal_that_spark_has_not_is_refused(tmp_path: Path) -> None:
    """WRITE-803."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.string()), ("d", pa.decimal128(38, 2))]), "id")
    batch = pa.table({"id": ["a"], "d": pa.array([Decimal("1.50")], pa.decimal256(39, 2))})
    with pytest.raises(UnsupportedError, match=r"d: expected a type that can be written, found decimal\(39,2\)"):
        table.upsert(batch)
    assert not refreshed(table).timeline.completed
