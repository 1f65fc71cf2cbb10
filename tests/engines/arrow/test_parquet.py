"""Parquet as writers of all ages leave it: INT96, integers as decimals, unsigned numbers, old list layouts, Avro schemas.

Also covers: `formats/leaf_statistics.py`, `formats/footer.py`.
"""

from __future__ import annotations

import datetime
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.stores.storage import ArrowStorage
from hudi_arrow.types import to_arrow
from hudi_core.engine import FileInfo, Footer
from hudi_core.errors import CorruptFileError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.types import nodes as t
from hudi_plain.storage import PlainStorage

READER = ParquetReader()


def read(table: pa.Table, folder: Path, **options: Any) -> tuple[Footer, pa.Table]:
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    pq.write_table(table, path, **options)
    storage, file = ArrowStorage(str(folder)), FileInfo(path.name, path.stat().st_size)
    opened = READER.open(storage, file)
    footer, rows = opened.footer, pa.Table.from_batches(opened.batches())
    assert rows.schema.types == [to_arrow(field.type) for field in footer.schema.fields]
    return footer, rows


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_rows_of_many_columns_come_in_batches_of_fewer_rows(tmp_path: Path, codec: str) -> None:
    """FILE-1361: a batch has about 16 MiB, however many columns there are; one column of them comes in as many rows as any."""
    rows, columns = 20_000, 300
    numbers = np.random.default_rng(0).integers(0, 1 << 62, rows)  # gzip takes minutes for ones in order
    table = pa.table({f"c{number}": numbers + number for number in range(columns)})
    pq.write_table(table, tmp_path / "wide.parquet", compression=codec, use_dictionary=False)
    storage, size = ArrowStorage(str(tmp_path)), (tmp_path / "wide.parquet").stat().st_size
    opened = READER.open(storage, FileInfo("wide.parquet", size))
    batches = list(opened.batches())
    assert len(batches) > 2 and max(batch.nbytes for batch in batches) < 20 << 20
    assert pa.Table.from_batches(batches).equals(table)
    assert [batch.num_rows for batch in opened.batches(["c7"])] == [rows]


def test_int96_is_an_instant_in_microseconds_without_bounds_at_any_depth(tmp_path: Path) -> None:
    """FILE-2, FILE-3."""
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 678_901)
    kind = pa.timestamp("us")
    table = pa.table(
        {
            "t": pa.array([moment], kind),
            "s": pa.array([{"x": 1, "l": [moment, None]}], pa.struct([("x", pa.int32()), ("l", pa.list_(kind))])),
            "m": pa.array([[("k", moment)]], pa.map_(pa.string(), kind)),
        }
    )
    footer, rows = read(table, tmp_path, use_deprecated_int96_timestamps=True, store_schema=False)
    assert footer.schema.get("t").field.type == t.Timestamp()
    assert footer.schema.get("s.l.element").field.type == t.Timestamp()
    assert footer.schema.get("m.value").field.type == t.Timestamp()
    known = footer.statistics["t",]
    assert (known.lower, known.upper, known.null_count, known.value_count) == (None, None, 0, 1)
    utc = moment.replace(tzinfo=datetime.UTC)
    assert rows.to_pylist() == [{"t": utc, "s": {"x": 1, "l": [utc, None]}, "m": [("k", utc)]}]


@pytest.mark.parametrize("precision", [5, 15, 30])
@pytest.mark.parametrize("as_integer", [False, True])
def test_bounds_of_decimals_do_not_depend_on_how_they_are_stored(
    tmp_path: Path, precision: int, as_integer: bool
) -> None:
    values = [Decimal("-1.50"), Decimal("2.25"), None, Decimal("-0.01")]
    table = pa.table({"d": pa.array(values, pa.decimal128(precision, 2))})
    known = read(table, tmp_path, store_decimal_as_integer=as_integer)[0].statistics["d",]
    assert (known.lower, known.upper, known.null_count, known.value_count) == (Decimal("-1.50"), Decimal("2.25"), 1, 4)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (pa.array([1, 2**32 - 1], pa.uint32()), 1, 2**32 - 1),
        (pa.array([1, 2**64 - 1], pa.uint64()), Decimal(1), Decimal(2**64 - 1)),
        (pa.array([200, 3], pa.uint8()), 3, 200),
        (pa.array([-3, 100], pa.int8()), -3, 100),
        (pa.array([5, -7], pa.date32()), -7, 5),
        (pa.array([5, -7], pa.timestamp("ns")), -7, 5),
        (pa.array([5, -7], pa.timestamp("s")), -7000, 5000),
        (pa.array([5, 7], pa.time32("s")), 5000, 7000),
        (pa.array([5, 7], pa.time64("us")), 5, 7),
        (pa.array([True, False]), False, True),
        (pa.array(["é", "z", None]), "z", "é"),
        (pa.array(["b", "a"]).dictionary_encode(), "a", "b"),
        (pa.array([b"\x7f", b"\x80"]), b"\x7f", b"\x80"),
        (pa.array([b"\x7f", b"\x80"], pa.binary(1)), b"\x7f", b"\x80"),
        (pa.array([0.0, -1.5]), -1.5, 0.0),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_bounds_are_values_in_the_form_of_the_domain(tmp_path: Path, values: pa.Array, low: Any, high: Any) -> None:
    footer, rows = read(pa.table({"x": values}), tmp_path)
    known = footer.statistics["x",]
    assert (known.lower, known.upper) == (low, high) and type(known.lower) is type(low)
    assert rows.num_rows == len(values)


def test_nan_is_no_bound_and_no_value_leaves_no_bounds(tmp_path: Path) -> None:
    table = pa.table(
        {"n": [float("nan")] * 2, "e": pa.array([None, None], pa.int32()), "h": pa.array([1.5, 2], pa.float16())}
    )
    statistics = read(table, tmp_path)[0].statistics
    assert statistics["n",] == LeafStatistics(t.Double(), None, None, 0, 2)
    assert statistics["e",] == LeafStatistics(t.Int(), None, None, 2, 2, nans=False)
    assert statistics["h",].lower is None


def test_bounds_hold_over_all_row_groups_and_are_unknown_when_one_has_none(tmp_path: Path) -> None:
    """FILE-3."""
    table = pa.table({"a": [5, 1, None, 9], "s": ["b", "a", "x" * 10_000, "c"], "n": [None, None, None, 3]})
    statistics = read(table, tmp_path, row_group_size=1)[0].statistics
    assert statistics["a",] == LeafStatistics(t.Long(), 1, 9, 1, 4, nans=False)
    assert statistics["n",] == LeafStatistics(t.Long(), 3, 3, 3, 4, nans=False)
    assert (statistics["s",].lower, statistics["s",].upper, statistics["s",].null_count) == (None, None, 0)


def test_columns_without_statistics_have_counts_alone(tmp_path: Path) -> None:
    """META-131: and those are unknown of a column that cannot be null, whose levels nobody counts."""
    required = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64())])
    table = pa.table({"a": [1, 2], "b": [1, None]}, required)
    statistics = read(table, tmp_path, write_statistics=False)[0].statistics
    assert statistics["a",] == LeafStatistics(t.Long(), None, None, None, 2, nans=False)
    assert statistics["b",] == LeafStatistics(t.Long(), None, None, 1, 2, nans=False)


def test_only_leaves_outside_lists_and_maps_have_statistics_and_find_theirs(tmp_path: Path) -> None:
    table = pa.table(
        {
            "l": [[1, 2]],
            "m": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
            "s": [{"x": [{"deep": 1}], "y": 7}],
            "a.b": [8],
            "a": [{"b": 9}],
        }
    )
    statistics = read(table, tmp_path)[0].statistics
    assert {path: known.lower for path, known in statistics.items()} == {("s", "y"): 7, ("a.b",): 8, ("a", "b"): 9}


@pytest.mark.parametrize(
    ("writer", "nans"),
    [
        (b"parquet-mr version 1.10.1", False),
        (b"parquet-mr version 1.13.1", False),
        (b"parquet-mr version 1.99.0", True),
        (b"parquet-mr version 1.8.3", True),
        (b"parquet-rs version 9.0.0", True),
        (b"", True),
    ],
)
def test_bounds_of_only_some_writers_prove_that_there_is_no_nan(tmp_path: Path, writer: bytes, nans: bool) -> None:
    """FILE-4."""
    buffer = io.BytesIO()
    pq.write_table(pa.table({"i": [1, 2], "f": [1.0, 2.0]}), buffer)
    content = buffer.getvalue()
    own = pq.read_metadata(io.BytesIO(content)).created_by.encode()
    (tmp_path / "f").write_bytes(content.replace(own, writer.ljust(len(own))))
    known = READER.open(ArrowStorage(str(tmp_path)), FileInfo("f", len(content))).footer.statistics
    assert (known["f",].lower, known["f",].nans) == (1.0, nans)
    assert (known["i",].lower, known["i",].nans) == (1, False)


UUID_TEXT = {"type": "string", "logicalType": "uuid"}
INNER = {"type": "record", "name": "inner", "fields": [{"name": "u", "type": UUID_TEXT}]}
AVRO = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "e", "type": {"type": "enum", "name": "colour", "symbols": ["RED", "GREEN"]}},
        {"name": "t", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "s", "doc": "said", "type": ["null", INNER]},
    ],
}


def test_the_avro_schema_adds_attributes_where_it_agrees_with_the_stored_types(tmp_path: Path) -> None:
    """FILE-1."""
    table = pa.table(
        {
            "e": ["RED"],
            "t": pa.array([1], pa.timestamp("us", "UTC")),
            "s": [{"u": "00000000-0000-0000-0000-000000000000"}],
        }
    ).replace_schema_metadata({"parquet.avro.schema": json.dumps(AVRO)})
    schema = read(table, tmp_path)[0].schema
    assert schema.get("e").field.type == t.Enumeration(("RED", "GREEN"), name="colour")
    assert schema.get("t").field.type == t.Timestamp(t.Unit.MICROS)
    assert (schema.get("s").field.doc, schema.get("s.u").field.type) == ("said", t.Uuid())


def test_layouts_that_only_arrow_distinguishes_become_one(tmp_path: Path) -> None:
    """FILE-8."""
    nested = pa.struct([("x", pa.uint64()), ("m", pa.map_(pa.string(), pa.int16()))])
    columns = {
        "d": pa.array(["a", None]).dictionary_encode(),
        "l": pa.array(["b", None], pa.large_string()),
        "f": pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
        "u": pa.array([b"\1" * 16, None], pa.uuid()),
        "s": pa.array([{"x": 5, "m": [("k", 7)]}, None], nested),
    }
    table = pa.table(columns)
    footer, rows = read(table, tmp_path)
    assert [field.type for field in footer.schema.fields][:2] == [t.String(), t.String()]
    first = {"d": "a", "l": "b", "f": [1, 2], "u": b"\1" * 16, "s": {"x": Decimal(5), "m": [("k", 7)]}}
    assert rows.to_pylist() == [first, dict.fromkeys(first)]


def test_an_avro_schema_of_other_columns_does_not_keep_a_file_from_being_read(tmp_path: Path) -> None:
    answer = '{"type": "record", "name": "r", "fields": []}'
    table = pa.table({"a": [1]}).replace_schema_metadata({"parquet.avro.schema": answer})
    footer, rows = read(table, tmp_path)
    assert footer.schema.get("a").field.type == t.Long() and rows.to_pylist() == [{"a": 1}]


@pytest.mark.parametrize("answer", ["{", '"int"', '{"type": "record", "name": "r"}'])
def test_an_invalid_avro_schema_is_damage_of_the_file(tmp_path: Path, answer: str) -> None:
    table = pa.table({"a": [1]}).replace_schema_metadata({"parquet.avro.schema": answer})
    with pytest.raises(CorruptFileError, match=r"\.parquet: expected an Avro schema as parquet\.avro\.schema"):
        read(table, tmp_path)


def test_storages_of_other_engines_serve_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "f.parquet")
    file = FileInfo("f.parquet", 0)
    storage = PlainStorage(str(tmp_path))
    opened = READER.open(storage, file)
    assert opened.footer.rows == 2
    assert [batch.to_pylist() for batch in opened.batches()] == [[{"a": 1}, {"a": 2}]]


def test_memory_is_bounded_by_a_row_group_not_by_the_file(tmp_path: Path) -> None:
    """FILE-6."""
    rows = 20_000
    table = pa.table({"x": pa.array(range(rows * 60)), "y": pa.array(range(rows * 60)).cast(pa.string())})
    pq.write_table(table, tmp_path / "f.parquet", row_group_size=rows, compression="none")
    whole = table.nbytes
    del table
    pool = pa.default_memory_pool()
    before, peak = pool.bytes_allocated(), 0
    for batch in READER.open(ArrowStorage(str(tmp_path)), FileInfo("f.parquet", 0)).batches():
        peak = max(peak, pool.bytes_allocated() - before)
        assert batch.num_rows <= rows
    assert peak < whole / 4


def test_schemas_that_differ_above_their_leaves_are_distinguished(tmp_path: Path) -> None:
    storage = PlainStorage(str(tmp_path))
    for name in ("a", "b", "a", "c"):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({name: [{"x": 1}], "y": [name]}), path, store_schema=False)
        footer = ParquetReader().open(storage, FileInfo(path.name, path.stat().st_size)).footer
        assert [field.name for field in footer.schema.fields] == [name, "y"]
