"""Base files as they are written: rows, physical types, statistics of what was written, and nothing where writing fails."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from errno import ENOSPC
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from hudi_arrow.arrays import from_values, to_values
from hudi_arrow.files.footers import arrow_types
from hudi_arrow.files.parquet import ParquetReader
from hudi_arrow.files.parquet_write import ParquetWriter
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import RowError, StorageError, UnsupportedError
from hudi_core.formats.files import WrittenFile
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.order import less
from tests.contract.files import SCHEMAS
from tests.contract.harness import law
from tests.support.column_parts import WAYS, columns_encoded
from tests.support.strategies import rows_of


@pytest.fixture(params=WAYS, scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """WRITE-1601: all of a file is the same in both ways."""
    with columns_encoded(request.param):
        yield request.param


def schema_of(**types: t.Type) -> Schema:
    fields = tuple(t.Field(0, name, of, optional=True, default=None) for name, of in types.items())
    return Schema(record_with_ids(t.Record(fields)))


def batch_of(schema: Schema, rows: list[Any]) -> pa.RecordBatch:
    columns = [from_values([row[number] for row in rows], field.type) for number, field in enumerate(schema.fields)]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_types(schema))


def written(folder: Path, schema: Schema, rows: list[Any], **settings: Any) -> tuple[WrittenFile, str]:
    storage, name = ArrowStorage(str(folder)), f"{len(list(folder.iterdir()))}.parquet"
    batches = [batch_of(schema, rows[: len(rows) // 2]), batch_of(schema, rows[len(rows) // 2 :])]
    return ParquetWriter(**settings).write(storage, name, schema, batches, lambda: {"made": "here"}), name


@law(SCHEMAS.filter(lambda schema: bool(schema.fields)), st.data(), st.integers(1, 3))
def test_rows_come_back_and_statistics_are_exact(
    tmp_path_factory: pytest.TempPathFactory, schema: Schema, data: st.DataObject, group_rows: int
) -> None:
    folder = tmp_path_factory.mktemp("files")
    rows = data.draw(st.lists(rows_of(schema), max_size=6))
    made, name = written(folder, schema, rows, row_group_rows=group_rows)
    storage, file = ArrowStorage(str(folder)), FileInfo(name, made.size)
    assert (folder / name).stat().st_size == made.size
    footer = ParquetReader().open(storage, file).footer
    assert footer.metadata["made"] == "here"
    result = [
        row
        for batch in ParquetReader().open(storage, file).batches()
        for row in to_values(batch.to_struct_array(), footer.schema.record)
    ]
    assert list(map(repr, result)) == list(map(repr, rows))
    for path, known in made.footer.statistics.items():
        values = [value for row in rows if (value := _at(row, schema, path)) is not None]
        numbers = [value for value in values if value == value]
        assert known.null_count == len(rows) - len(values)
        assert known.value_count == len(rows)
        assert known.nans is (len(numbers) < len(values))
        if isinstance(known.type, t.String | t.Binary) and values:
            assert (known.lower, known.upper) == (min(values, key=_in_bytes), max(values, key=_in_bytes))
        for value in numbers:
            assert known.lower is None or not less(value, known.lower, known.type)
            assert known.upper is None or not less(known.upper, value, known.type)


def _in_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _at(row: Any, schema: Schema, path: tuple[str, ...]) -> Any:
    for position in schema.get(path).positions:
        row = None if row is None else row[position]
    return row


def test_physical_types_are_those_of_hudi(tmp_path: Path) -> None:
    schema = schema_of(
        small=t.Decimal(5, 2, t.Fixed(3)),
        wide=t.Decimal(20, 3, t.Fixed(9)),
        at=t.Timestamp(t.Unit.MICROS, zoned=True),
        local=t.Timestamp(t.Unit.MICROS, zoned=False),
        day=t.Date(),
        items=t.Array(t.Field(0, "element", t.Int(), optional=True)),
    )
    _, name = written(tmp_path, schema, [(Decimal("1.25"), Decimal("-7.125"), 5, 6, 7, (1, None))])
    parquet = pq.ParquetFile(tmp_path / name)
    columns = {column.path: column for column in map(parquet.schema.column, range(len(parquet.schema)))}
    assert [columns[path].physical_type for path in ("small", "wide", "at", "day")] == [
        "FIXED_LEN_BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY", "INT64", "INT32"
    ]  # fmt: skip
    assert (columns["small"].length, columns["wide"].length) == (3, 9)
    assert "isAdjustedToUTC=true" in str(columns["at"].logical_type)
    assert "isAdjustedToUTC=false" in str(columns["local"].logical_type)
    assert "items.list.element" in columns
    assert set(parquet.metadata.metadata) == {b"made"}


def test_long_strings_and_nans_are_in_the_statistics(tmp_path: Path) -> None:
    schema = schema_of(s=t.String(), f=t.Double(), all_nan=t.Float())
    long = "x" * 10_000
    made, _ = written(tmp_path, schema, [(long, 1.5, math.nan), ("y", math.nan, math.nan), ("é", None, None)])
    known = made.footer.statistics
    assert (known["s",].lower, known["s",].upper) == (long, "é")
    assert (known["f",].lower, known["f",].upper, known["f",].nans, known["f",].null_count) == (1.5, 1.5, True, 1)
    assert (known["all_nan",].lower, known["all_nan",].nans, known["all_nan",].null_count) == (None, True, 1)
    assert known["s",].size
    assert known["s",].uncompressed_size


@pytest.mark.parametrize("kind", [t.String(), t.Binary()])
@pytest.mark.parametrize("long", [4096, 4097])
def test_bounds_of_strings_are_those_of_all_row_groups(tmp_path: Path, kind: t.Type, long: int) -> None:
    """WRITE-12: one row group has a string that is too long for a footer, one no string, the others short ones."""
    schema, letters = schema_of(s=kind), ["m", "z" * long, None, "b", "é"]
    values = [value.encode() if isinstance(kind, t.Binary) and value else value for value in letters]
    batches = [batch_of(schema, [(value,)]) for value in values]
    storage = ArrowStorage(str(tmp_path))
    made = ParquetWriter(row_group_rows=1).write(storage, "f.parquet", schema, batches, dict)
    assert pq.ParquetFile(tmp_path / "f.parquet").metadata.num_row_groups == 5
    known = made.footer.statistics["s",]
    assert (known.lower, known.upper, known.null_count) == (values[3], values[4], 1)


def test_columns_with_nan_have_no_bounds_in_the_footer(tmp_path: Path, way: str) -> None:
    """WRITE-12. Where columns are encoded one after the other, the bounds of a further row group are not known in time."""
    schema = schema_of(f=t.Double(), g=t.Double(), n=t.Long(), s=t.Record((t.Field(0, "x", t.Float(), optional=True),)))
    made, name = written(
        tmp_path, schema, [(1.5, 2.5, 1, (3.0,)), (math.nan, 3.5, 2, (math.nan,)), (None, None, 3, None)]
    )
    group = pq.ParquetFile(tmp_path / name).metadata.row_group(0)
    stated = {group.column(number).path_in_schema: group.column(number).is_stats_set for number in range(4)}
    assert stated == {"f": False, "g": True, "n": True, "s.x": False}
    known = made.footer.statistics
    assert (known["f",].lower, known["f",].upper, known["f",].null_count) == (1.5, 1.5, 1)
    assert (known["s", "x"].lower, known["s", "x"].nans, known["s", "x"].null_count) == (3.0, True, 1)
    _, name = written(tmp_path, schema, [(1.5, 2.5, 1, None)] * 4, row_group_rows=2)
    group = pq.ParquetFile(tmp_path / name).metadata.row_group(0)
    stated_of_several = {"side by side": [True] * 4, "one after the other": [False, False, True, False]}
    assert [group.column(number).is_stats_set for number in range(4)] == stated_of_several[way]


def test_row_groups_end_at_their_size(tmp_path: Path) -> None:
    schema = schema_of(a=t.Long())
    storage = ArrowStorage(str(tmp_path))
    batches = [batch_of(schema, [(n,) for n in range(100)]) for _ in range(4)]
    ParquetWriter(row_group_bytes=2_000).write(storage, "f.parquet", schema, batches, dict)
    groups = pq.ParquetFile(tmp_path / "f.parquet").metadata
    assert [groups.row_group(number).num_rows for number in range(groups.num_row_groups)] == [200, 200]


def test_no_rows_make_a_file_without_row_groups(tmp_path: Path) -> None:
    made, name = written(tmp_path, schema_of(a=t.Long()), [])
    assert made.footer.rows == pq.ParquetFile(tmp_path / name).metadata.num_row_groups == 0
    assert made.footer.statistics["a",].null_count == 0


def test_an_error_of_the_rows_leaves_no_file(tmp_path: Path) -> None:
    schema = schema_of(a=t.Long())

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch_of(schema, [(1,)])
        raise RowError(1, expected="a number", found="none")

    with pytest.raises(RowError):
        ParquetWriter().write(ArrowStorage(str(tmp_path)), "f.parquet", schema, batches(), dict)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failing", [0, 1, 2, "metadata"])
def test_an_error_of_any_row_group_or_of_the_metadata_leaves_no_file(tmp_path: Path, failing: int | str) -> None:
    schema, drawn = schema_of(n=t.Long()), list[int]()

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(3):
            if number == failing:
                raise RowError(number, expected="a row", found="none")
            drawn.append(number)
            yield batch_of(schema, [(number,)])

    def metadata() -> dict[str, str]:
        assert drawn == [0, 1, 2]
        raise RowError(3, expected="metadata", found="none")

    with pytest.raises(RowError):
        ParquetWriter(row_group_rows=1).write(ArrowStorage(str(tmp_path)), "f.parquet", schema, batches(), metadata)
    assert list(tmp_path.iterdir()) == []


def test_memory_has_few_row_groups_of_many(tmp_path: Path) -> None:
    """Rows of the one that is encoded and of the next, and what they are encoded to."""
    schema, value, rows_of_group = schema_of(s=t.String()), 1 << 16, 8
    before, most = pa.total_allocated_bytes(), 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal most
        for number in range(16 * rows_of_group):
            yield batch_of(schema, [(f"{number:03}" * value,)])
            most = max(most, pa.total_allocated_bytes() - before)

    ParquetWriter(row_group_rows=rows_of_group).write(ArrowStorage(str(tmp_path)), "f.parquet", schema, batches(), dict)
    assert most < 7 * rows_of_group * 3 * value


def test_a_union_is_refused_by_name(tmp_path: Path) -> None:
    union = t.Union((t.Field(0, "a", t.Long()), t.Field(0, "b", t.String())))
    with pytest.raises(UnsupportedError, match=r"f\.parquet"):
        ParquetWriter().write(ArrowStorage(str(tmp_path)), "f.parquet", schema_of(u=union), [], dict)
    assert list(tmp_path.iterdir()) == []


def test_values_that_repeat_get_a_dictionary(tmp_path: Path) -> None:
    """Those that are all different are stored as they are, which takes less time and room; nulls do not count."""
    schema = schema_of(key=t.String(), city=t.String(), many=t.Long(), none=t.String(), flag=t.Boolean())
    rows = [(f"key {n}", f"city {n % 40}", n * 7919, None if n % 9 else f"{n}", n % 2 == 0) for n in range(20_000)]
    _, name = written(tmp_path, schema, rows)
    group = pq.ParquetFile(tmp_path / name).metadata.row_group(0)
    chunks = {group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)}
    assert [column for column, chunk in chunks.items() if chunk.has_dictionary_page] == ["city"]
    (tmp_path / "always").mkdir()
    pq.write_table(pq.read_table(tmp_path / name), tmp_path / "always" / "t", compression="zstd")
    assert (tmp_path / name).stat().st_size < (tmp_path / "always" / "t").stat().st_size
    assert pq.read_table(tmp_path / name).to_pylist()[::5000] == [
        dict(zip(chunks, row, strict=True)) for row in rows[::5000]
    ]


def test_gzip_has_the_level_of_parquets_java_library(tmp_path: Path) -> None:
    """WRITE-640: with the level that pyarrow takes by itself a write takes eight times as long."""
    values = [f"key-{number * 7919 % 50_021:09}" for number in range(50_000)]
    _, name = written(tmp_path, schema_of(s=t.String()), [(value,) for value in values], compression="gzip")
    settings = {"compression": "gzip", "use_dictionary": False, "write_batch_size": 1 << 14}
    sizes = []
    for level in (6, 9):
        pq.write_table(pa.table({"s": values}), tmp_path / "other", compression_level=level, **settings)
        sizes.append(pq.ParquetFile(tmp_path / "other").metadata.row_group(0).column(0).total_compressed_size)
    size = pq.ParquetFile(tmp_path / name).metadata.row_group(0).column(0).total_compressed_size
    assert abs(size - sizes[0]) < abs(size - sizes[1]) / 10, (size, sizes)


def test_texts_that_hardly_repeat_get_no_dictionary(tmp_path: Path) -> None:
    """Numbers that repeat as seldom get one: of these it is small, and saves half of the bytes."""
    schema = schema_of(often=t.String(), seldom=t.String(), number=t.Long())
    rows = [(f"text {n % 6000}", f"text {n % 16_000}", n % 16_000 * 7919) for n in range(20_000)]
    _, name = written(tmp_path, schema, rows)
    group = pq.ParquetFile(tmp_path / name).metadata.row_group(0)
    assert [group.column(number).has_dictionary_page for number in range(3)] == [True, False, True]
    assert pq.read_table(tmp_path / name).to_pydict() == {
        column: [row[number] for row in rows] for number, column in enumerate(("often", "seldom", "number"))
    }


def test_few_different_texts_come_back_from_all_row_groups(tmp_path: Path) -> None:
    """Texts of a later row group that are all different, nulls and long texts among them are written as well."""
    schema = schema_of(kind=t.String(), number=t.Long())
    draw = [None, "a", "b", "é" * 3000]
    rows = [[draw[number % 4], number] for number in range(9000)]
    rows += [[f"other {number}", number] for number in range(9000)] + [[None, 0]] * 10
    made, name = written(tmp_path, schema, rows, row_group_rows=4500)
    table = pq.read_table(tmp_path / name)
    assert table.to_pydict() == {"kind": [kind for kind, _ in rows], "number": [number for _, number in rows]}
    statistics = made.footer.statistics["kind",]
    assert (statistics.lower, statistics.upper, statistics.null_count) == ("a", "é" * 3000, 2260)


def test_what_a_failed_write_has_left_is_not_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nor does anybody hear of it when the writer is collected."""
    schema = schema_of(number=t.Long())

    def fail() -> dict[str, str]:
        raise RowError(0, expected="nothing", found="a failure")

    with pytest.raises(RowError):
        ParquetWriter().write(ArrowStorage(str(tmp_path)), "a.parquet", schema, [batch_of(schema, [[1], [2]])], fail)
    gc.collect()
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("room", [10, 200, 900])
def test_a_store_without_room_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Nothing is left, and nothing fails a second time when the writer is collected."""
    schema = schema_of(s=t.String())
    late: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", late.append)

    class Full(ArrowStorage):
        @contextmanager
        def output(self, path: str) -> Iterator[BinaryIO]:
            with super().output(path) as stream:
                yield cast("BinaryIO", Limited(stream))

    class Limited:
        def __init__(self, stream: BinaryIO) -> None:
            self.stream, self.left = stream, room

        def write(self, content: bytes) -> int:
            self.left -= len(content)
            if self.left < 0:
                raise OSError(ENOSPC, "No space left on device")
            return self.stream.write(content)

    batches = [batch_of(schema, [(f"{number * 7919 % 1000}",) for number in range(1000)])]
    with pytest.raises(StorageError, match="No space left on device"):
        ParquetWriter(row_group_rows=100).write(Full(str(tmp_path)), "f.parquet", schema, batches, dict)
    gc.collect()
    assert late == []
    assert list(tmp_path.iterdir()) == []
