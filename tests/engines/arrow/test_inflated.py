"""Files made of pages: the same rows as pyarrow reads, whatever their pages are, and errors for damaged ones.

Also covers: `formats/parquet/page_index.py`.
"""

from __future__ import annotations

import datetime
import decimal
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files import inflated, parquet
from hudi_arrow.files.inflated import PagedFile
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, HudiError
from hudi_core.formats.parquet import thrift

READER = parquet.ParquetReader()
ROWS = 3_000
EVEN = {"data_page_size": 1, "write_batch_size": 100, "use_dictionary": ["city"]}
"""Pages of 100 rows in every column."""


@pytest.fixture(autouse=True)
def _always() -> Iterator[None]:
    """Whatever library inflates here, and however small the file is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "FASTER_THAN_ARROW", True)
        patch.setattr(inflated, "MIN_COLUMN_BYTES", 0)
        yield


def table() -> pa.Table:
    draw = random.Random(3)
    day = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    return pa.table(
        {
            "id": [f"key-{draw.getrandbits(60):x}" for _ in range(ROWS)],
            "n": pa.array([draw.choice([None, number]) for number in range(ROWS)], pa.int32()),
            "x": [draw.random() for _ in range(ROWS)],
            "none": pa.nulls(ROWS, pa.int64()),
            "flag": [draw.random() < 0.5 for _ in range(ROWS)],
            "city": [draw.choice(["Oslo", "Bergen", None]) for _ in range(ROWS)],
            "at": [day + datetime.timedelta(seconds=number) for number in range(ROWS)],
            "price": [decimal.Decimal(number) / 100 for number in range(ROWS)],
            "list": [[draw.random() for _ in range(draw.randrange(4))] for _ in range(ROWS)],
            "deep": [draw.choice([None, {"a": number, "b": {"c": str(number)}}]) for number in range(ROWS)],
            "a.b": list(range(ROWS)),
        }
    )


def written(folder: Path, rows: pa.Table, **options: Any) -> tuple[ArrowStorage, FileInfo]:
    settings = {"compression": "gzip", "data_page_size": 2_000, "row_group_size": 1_100, "write_page_checksum": True}
    pq.write_table(rows, folder / "f.parquet", **(settings | options))
    return ArrowStorage(str(folder)), FileInfo("f.parquet", (folder / "f.parquet").stat().st_size)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0"},
        {"use_dictionary": False},
        EVEN,
        EVEN | {"data_page_version": "2.0"},
        {"use_dictionary": False, "data_page_version": "2.0", "column_encoding": {"n": "DELTA_BINARY_PACKED"}},
        {"use_deprecated_int96_timestamps": True},
        {"data_page_size": 1 << 20, "write_page_index": True, "store_schema": False},
        {"compression": {"id": "gzip", "n": "zstd"}},
    ],
)
def test_rows_are_those_of_the_file(tmp_path: Path, options: dict[str, Any]) -> None:
    rows = table()
    storage, file = written(tmp_path, rows, **options)
    assert pa.Table.from_batches(READER.open(storage, file).batches()).to_pylist() == rows.to_pylist()
    requested = [("deep", "b", "c"), "a.b", "city"]
    found = pa.Table.from_batches(READER.open(storage, file).batches(requested, [1]))
    assert found.column_names == ["city", "deep", "a.b"]
    deep = [row and {"b": row["b"]} for row in rows["deep"].to_pylist()]
    assert found["deep"].to_pylist() == deep[1_100:2_200]


def test_the_way_is_taken_where_all_columns_are_in_gzip(tmp_path: Path) -> None:
    storage, file = written(tmp_path, table(), compression={"id": "gzip", "n": "zstd"})
    content = (tmp_path / "f.parquet").read_bytes()
    footer = content[-8 - int.from_bytes(content[-8:-4], "little") : -8]
    with storage.filesystem.open_input_file(str(storage.full(file.path))) as source:
        gzip = PagedFile(footer, pq.read_metadata(source), "f")
        assert gzip.chunks(source, 0, [0]) is not None
        assert gzip.chunks(source, 0, [0, 1]) is None
        assert gzip.chunks(source, 0, []) is None


def test_small_column_chunks_are_left_to_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.table({"id": [f"key-{number}" for number in range(ROWS)], "n": range(ROWS)})
    storage, file = written(tmp_path, rows, row_group_size=ROWS)
    metadata = pq.read_metadata(tmp_path / "f.parquet")
    sizes = [metadata.row_group(0).column(leaf).total_uncompressed_size for leaf in (0, 1)]
    content = (tmp_path / "f.parquet").read_bytes()
    footer = content[-8 - int.from_bytes(content[-8:-4], "little") : -8]
    with storage.filesystem.open_input_file(str(storage.full(file.path))) as source:
        gzip = PagedFile(footer, metadata, "f")
        monkeypatch.setattr(inflated, "MIN_COLUMN_BYTES", sum(sizes) // 2)
        assert gzip.chunks(source, 0, [0, 1]) is not None
        monkeypatch.setattr(inflated, "MIN_COLUMN_BYTES", sum(sizes) // 2 + 1)
        assert gzip.chunks(source, 0, [0, 1]) is None
        assert gzip.chunks(source, 0, [sizes.index(max(sizes))]) is not None


@pytest.mark.parametrize("inflates", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"data_page_version": "2.0"},
        {"compression": "none", "use_dictionary": ["city"], "use_deprecated_int96_timestamps": True},
        {"compression": "zstd"},
        {"compression": {"id": "gzip", "n": "snappy"}, "write_page_index": False},
    ],
)
def test_rows_to_keep_are_those_of_the_whole_file(
    tmp_path: Path, options: dict[str, Any], inflates: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PagedFile.__init__, "__defaults__", (inflates,))
    rows = table()
    storage, file = written(tmp_path, rows, **({"write_page_index": True} | options))
    numbers, draw = np.arange(ROWS), np.random.default_rng(5)
    for keep in (numbers // 7 == 200, draw.random(ROWS) < 0.002, numbers % 400 == 399, numbers >= 0, numbers < 0):
        found = list(READER.open(storage, file).batches(None, None, keep))
        assert pa.Table.from_batches(found, rows.schema).equals(rows.filter(pa.array(keep)))
    kept = READER.open(storage, file).batches([("deep", "b"), "list"], [2], numbers[2_200:] == 2_300)
    assert [row for batch in kept for row in batch.to_pylist()] == [
        {"deep": (row := rows["deep"][2_300].as_py()) and {"b": row["b"]}, "list": rows["list"][2_300].as_py()}
    ]


def test_pages_without_rows_to_keep_are_not_read(tmp_path: Path) -> None:
    storage, file = written(tmp_path, table(), write_page_index=True, use_dictionary=False)
    content = bytearray((tmp_path / "f.parquet").read_bytes())
    keep = np.arange(ROWS) == 1_099
    whole = next(READER.open(storage, file).batches(["id"], None, keep))
    content[200:300] = bytes(100)  # within the first column's first page
    (tmp_path / "damaged").write_bytes(content)
    damaged = FileInfo("damaged", file.size)
    assert next(READER.open(storage, damaged).batches(["id"], None, keep)).equals(whole)
    with pytest.raises(CorruptFileError):
        next(READER.open(storage, damaged).batches(["id"]))


def test_a_damaged_page_index_gives_the_right_rows(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """FORMAT-260: pyarrow reads the pages one after the other."""
    rows = table().slice(0, 300)
    storage, file = written(tmp_path, rows, write_page_index=True, data_page_size=500)
    good = (tmp_path / "f.parquet").read_bytes()
    footer = good[-8 - int.from_bytes(good[-8:-4], "little") : -8]
    columns = thrift.structure(footer)[0][4][0][1]
    start, end = columns[0][4], columns[-1][4] + columns[-1][5]
    keep = np.arange(len(rows)) // 10 == 15
    want = pa.Table.from_batches(READER.open(storage, file).batches(None, None, keep))
    draw = random.Random(7)
    for number in range(100):
        content = bytearray(good)
        content[draw.randrange(start, end)] ^= 1 << draw.randrange(8)
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(content)
        found = pa.Table.from_batches(READER.open(storage, FileInfo(path.name, file.size)).batches(None, None, keep))
        assert found.equals(want)
    assert sum("read by pyarrow" in record.message for record in caplog.records) > 50


@pytest.mark.one_of(2)
@pytest.mark.parametrize("options", [{}, {"data_page_version": "2.0"}, EVEN, EVEN | {"write_page_checksum": False}])
def test_damaged_pages_give_an_error_or_the_right_rows(tmp_path: Path, options: dict[str, Any]) -> None:
    """FILE-7."""
    rows = table().slice(0, 300)
    storage, file = written(tmp_path, rows, **options)
    good = (tmp_path / "f.parquet").read_bytes()
    end = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
    draw, errors = random.Random(11), 0
    for number in range(150):
        content = bytearray(good)
        content[draw.randrange(4, end)] ^= 1 << draw.randrange(8)
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(content)
        try:
            found = pa.Table.from_batches(READER.open(storage, FileInfo(path.name, file.size)).batches())
        except HudiError as error:
            assert "\n" not in str(error)
            errors += 1
        else:
            assert found.equals(pa.Table.from_batches(READER.open(storage, file).batches()))
    assert errors > 100


def test_structures_come_back_from_their_bytes() -> None:
    fields = [
        thrift.i32(1, -5),
        thrift.i64(3, 1 << 40),
        thrift.binaries(4, [b"a", b"bc"] * 9),
        thrift.numbers(5, [1, 2]),
    ]
    inner = thrift.encode([thrift.binary(2, b"xyz"), thrift.false(7)])
    data = thrift.encode([*fields, thrift.struct(8, inner), thrift.structs(9, [inner, inner])])
    found, end = thrift.structure(b"--" + data, 2)
    assert end == len(data) + 2
    assert found == {
        1: -5, 3: 1 << 40, 4: [b"a", b"bc"] * 9, 5: [1, 2], 8: {2: b"xyz", 7: False}, 9: [{2: b"xyz", 7: False}] * 2,
    }  # fmt: skip
    assert thrift.encode(thrift.raw_fields(data)) == data
