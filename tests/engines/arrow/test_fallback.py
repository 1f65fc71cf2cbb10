"""Valid Parquet files of every oddity are read, by pyarrow where our own reading of pages does not know them. Rule FORMAT-260."""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_arrow.files import inflated, parquet
from hudi_arrow.files.fallback import or_by_arrow
from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, StorageError, UnsupportedError
from hudi_core.formats.parquet import thrift
from hudi_core.front.opening import create_table, open_table
from tests.support.commands import ran
from tests.support.written_tables import rows as rows_of_table

ROWS = 2_000
READER = parquet.ParquetReader()


@pytest.fixture(autouse=True)
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own reading of pages, whatever library inflates here, and however small the file is."""
    monkeypatch.setattr(parquet, "FASTER_THAN_ARROW", True)
    monkeypatch.setattr(inflated, "MIN_COLUMN_BYTES", 0)


def rows() -> pa.Table:
    numbers = np.arange(ROWS)
    random = np.random.default_rng(3)
    some = [None if n % 7 == 0 else int(n) for n in numbers]
    return pa.table(
        {
            "int": pa.array(some, pa.int64()),
            "required": pa.array(numbers),
            "small": pa.array(numbers % 100, pa.int8()),
            "unsigned": pa.array(numbers, pa.uint16()),
            "double": pa.array(random.random(ROWS)),
            "bool": pa.array(numbers % 3 == 0),
            "text": pa.array([None if n % 5 == 0 else f"text {n % 50}" for n in numbers]),
            "long_text": pa.array([f"{n} " * (n % 40) for n in numbers]),
            "bytes": pa.array([bytes(random.bytes(20)) for _ in numbers]),
            "fixed": pa.array([n.tobytes() for n in numbers], pa.binary(8)),
            "decimal": pa.array([decimal.Decimal(int(n)).scaleb(-2) for n in numbers], pa.decimal128(12, 2)),
            "date": pa.array([datetime.date(2020, 1, 1) + datetime.timedelta(int(n)) for n in numbers]),
            "time": pa.array(numbers * 1000, pa.timestamp("us", "UTC")),
            "list": pa.array([list(range(n % 4)) if n % 6 else None for n in numbers], pa.list_(pa.int64())),
            "struct": pa.array([{"a": int(n), "b": None if n % 2 else "x"} for n in numbers]),
            "map": pa.array([[("k", int(n))] for n in numbers], pa.map_(pa.string(), pa.int64())),
            "nulls": pa.array([None] * ROWS, pa.string()),
        }
    )


DELTA = {
    "int": "DELTA_BINARY_PACKED",
    "text": "DELTA_BYTE_ARRAY",
    "long_text": "DELTA_LENGTH_BYTE_ARRAY",
    "double": "BYTE_STREAM_SPLIT",
}
ODDITIES: dict[str, dict[str, Any]] = {
    "gzip": {},
    "no codec": {"compression": "none"},
    "snappy": {"compression": "snappy"},
    "zstd": {"compression": "zstd"},
    "lz4": {"compression": "lz4"},
    "brotli": {"compression": "brotli"},
    "codecs by column": {"compression": {"int": "snappy", "text": "zstd", "double": "none"}},
    "encodings": {"use_dictionary": False, "column_encoding": DELTA},
    "encodings in pages of version 2": {"use_dictionary": False, "column_encoding": DELTA, "data_page_version": "2.0"},
    "plain": {"use_dictionary": False},
    "pages of version 2": {"data_page_version": "2.0"},
    "small pages of version 2 that do not get smaller": {"data_page_version": "2.0", "data_page_size": 1, "write_batch_size": 2},
    "small pages": {"data_page_size": 100, "write_batch_size": 7},
    "a page index": {"write_page_index": True, "data_page_size": 500, "write_batch_size": 50},
    "checksums": {"write_page_checksum": True},
    "checksums in pages of version 2": {"write_page_checksum": True, "data_page_version": "2.0"},
    "dictionaries that grow too large": {"dictionary_pagesize_limit": 100, "write_batch_size": 10, "data_page_size": 100},
    "no statistics": {"write_statistics": False},
    "row groups of a few rows": {"row_group_size": 333},
    "version 1.0 of the format": {"version": "1.0"},
    "no schema of Arrow's": {"store_schema": False},
}  # fmt: skip


@pytest.mark.one_of(2)
@pytest.mark.parametrize("name", ODDITIES)
def test_every_oddity_is_read_as_pyarrow_reads_it(tmp_path: Path, name: str) -> None:
    """FORMAT-260."""
    data = rows()
    options = {"compression": "gzip"} | ODDITIES[name]
    if isinstance(options["compression"], dict):
        options["compression"] = dict.fromkeys(data.column_names, "gzip") | options["compression"]
    pq.write_table(data, tmp_path / "f.parquet", **options)
    want = pq.read_table(tmp_path / "f.parquet")
    file = READER.open(ArrowStorage(str(tmp_path)), FileInfo("f.parquet", (tmp_path / "f.parquet").stat().st_size))
    assert _plain(pa.Table.from_batches(file.batches())) == _plain(want)
    keep = np.arange(ROWS) % 97 == 5
    found = pa.Table.from_batches(file.batches(["int", "text", "list", "bytes"], None, keep))
    assert _plain(found) == _plain(
        want.select(["int", "text", "bytes", "list"]).filter(pa.array(keep)).select(found.column_names)
    )


def _plain(table: pa.Table) -> list[dict[str, Any]]:
    return list(table.to_pylist())


def of_members(folder: Path, *, damaged: bool = False) -> FileInfo:
    """A file of one column in gzip whose pages have two members each."""
    path = folder / "f.parquet"
    pq.write_table(
        pa.table({"n": pa.array(np.arange(513))}), path, compression="gzip", compression_level=1, use_dictionary=False,
        write_statistics=False, store_schema=False,
    )  # fmt: skip
    content = bytearray(path.read_bytes())
    column = pq.read_metadata(path).row_group(0).column(0)
    header, start = thrift.structure(memoryview(content), column.data_page_offset)
    body = zlib.decompress(bytes(content[start : start + header[3]]), 31)
    body = body[: -8 * 513] + bytes(8 * 513)  # other values, which take less room
    first, second = (_member(part) for part in (body[:1000], body[1000:]))
    room = header[3] - len(first) - len(second)
    assert room >= 2
    first = first[:3] + b"\x04" + first[4:10] + (room - 2).to_bytes(2, "little") + bytes(room - 2) + first[10:]
    if damaged:
        second = second[:-8] + bytes(4) + second[-4:]
    content[start : start + header[3]] = first + second
    path.write_bytes(content)
    return FileInfo(path.name, len(content))


def _member(content: bytes) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, 0) as file:
        file.write(content)
    return out.getvalue()


def test_pages_of_several_gzip_members_are_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """FORMAT-260."""
    file = of_members(tmp_path)
    opened = READER.open(ArrowStorage(str(tmp_path)), file)
    assert pa.Table.from_batches(opened.batches())["n"].to_pylist() == [0] * 513
    assert ["f.parquet: its pages are read by pyarrow" in record.message for record in caplog.records] == [True]


def test_damage_in_them_is_an_error(tmp_path: Path) -> None:
    """FORMAT-260."""
    file = of_members(tmp_path, damaged=True)
    opened = READER.open(ArrowStorage(str(tmp_path)), file)
    with pytest.raises(CorruptFileError, match=r"f\.parquet: expected"):
        list(opened.batches())


def test_a_codec_without_a_library_is_no_damage(tmp_path: Path) -> None:
    """FORMAT-260."""
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"name": ["a"]}), path, compression="gzip", store_schema=False)
    content = path.read_bytes()
    lzo = content.replace(b"\x18\x04name\x15\x04", b"\x18\x04name\x15\x06")
    assert lzo != content
    path.write_bytes(lzo)
    with pytest.raises(UnsupportedError, match=r"f\.parquet"):
        list(READER.open(ArrowStorage(str(tmp_path)), FileInfo("f.parquet", len(lzo))).batches())


def batch(*numbers: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"n": list(numbers)})


def failing(error: Exception, *batches: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    yield from batches
    raise error


def numbers(batches: Iterator[pa.RecordBatch]) -> list[int]:
    return [number for one in batches for number in one["n"].to_pylist()]


@pytest.mark.parametrize(
    "error", [CorruptFileError("f"), UnsupportedError("f"), pa.ArrowInvalid("x"), KeyError(3), OverflowError()]
)
@pytest.mark.parametrize("given", [[], [batch(1)], [batch(1), batch(2, 3)], [batch(1, 2, 3, 4)]], ids=len)
def test_rows_that_were_given_come_once(error: Exception, given: list[pa.RecordBatch]) -> None:
    """FORMAT-260."""
    found = or_by_arrow(failing(error, *given), lambda: iter([batch(1, 2), batch(3, 4)]), "f")
    assert numbers(found) == [1, 2, 3, 4]


def test_storage_that_fails_is_not_tried_again() -> None:
    """FORMAT-260."""
    with pytest.raises(StorageError, match="gone"):
        list(or_by_arrow(failing(StorageError("f", message="gone")), lambda: iter([batch(1)]), "f"))


def test_the_command_line_shows_the_warning_on_request(tmp_path: Path) -> None:
    """FORMAT-260."""
    create_table(tmp_path / "t", rows_of_table(), key="id").insert(rows_of_table(("a", "x", 1)))
    ((base,),) = [file_slice.files for file_slice in open_table(tmp_path / "t").slices()]
    folder = tmp_path / "other"
    folder.mkdir()
    of_members(folder)
    (folder / "f.parquet").replace(tmp_path / "t" / base.path)
    quiet, verbose = ran("read", tmp_path / "t", "--count"), ran("--verbose", "read", tmp_path / "t", "--columns", "n")
    assert "pyarrow" not in quiet.err
    assert "warning:" in verbose.err and "its pages are read by pyarrow" in verbose.err
    assert "pyarrow" not in ran("read", tmp_path / "t", "--columns", "n").err


@pytest.mark.parametrize(
    "wanted", [None, pa.int64(), pa.string(), pa.timestamp("us", "UTC"), pa.decimal128(9, 2), pa.float64()], ids=str
)
def test_a_column_of_nothing_but_nulls_is_readable(tmp_path: Path, wanted: pa.DataType | None) -> None:
    """FORMAT-261."""
    columns = {"id": pa.array(["a", "b"]), "n": pa.array([1, 2])}
    if wanted is not None:
        columns["extra"] = pa.array([None, None], wanted)
    data = pa.table(columns)
    create_table(tmp_path / "t", data, key="id").insert(data)
    (path,) = (tmp_path / "t").glob("*.parquet")
    stored = pq.read_table(path)
    nulls = {
        "extra": pa.nulls(2),
        "inner": pa.array([{"x": None, "y": 1}] * 2, pa.struct([("x", pa.null()), ("y", pa.int64())])),
    }
    for name, array in nulls.items():
        if name in stored.column_names:
            stored = stored.drop_columns([name])
        stored = stored.append_column(name, array)
    pq.write_table(stored, path, compression="gzip")
    table = open_table(tmp_path / "t")
    found = table.scan(columns=list(columns)).to_arrow()
    assert found.equals(data)
    assert table.scan("n = 2", columns=["id"]).to_arrow()["id"].to_pylist() == ["b"]
