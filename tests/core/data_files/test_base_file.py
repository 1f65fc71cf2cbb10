"""Base files: their bloom filters, the ranges of their keys, and the names in rows that are written anew.

Also covers: `formats/files.py`.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_arrow.files.parquet import OpenedParquet, ParquetReader
from hudi_core.columns.nodes import StringColumn, length
from hudi_core.columns.strings import concat_strings, string_column, take_strings
from hudi_core.data_files.base_file import OlderFile, StreamedKeys, filter_settings, range_of_keys
from hudi_core.engine import FileInfo, Storage
from hudi_core.errors import UsageError
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.formats.bloom_write import encode_bloom_filter
from hudi_core.front.opening import create_table, open_table

KEYS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), max_size=8)
FILTER = b"org.apache.hudi.bloomfilter"


def latest(folder: Path) -> Path:
    return max(folder.glob("*.parquet"), key=lambda file: file.name.rpartition("_")[2])


def rows(first: int, count: int, value: int) -> pa.Table:
    keys = pa.array([f"key {number}" for number in range(first, first + count)], pa.string())
    return pa.table({"id": keys, "n": pa.array([value] * count, pa.int64())})


@pytest.mark.parametrize("new", [0, 5, 500])
def test_the_filter_of_a_rewritten_file_has_all_keys(tmp_path: Path, new: int) -> None:
    """FORMAT-1185. The old filter where it has room, another one where it has not."""
    table = create_table(tmp_path, rows(0, 1, 0), "id")
    table.append(rows(0, 1000, 1))
    before = pq.read_metadata(latest(tmp_path)).metadata[FILTER]
    table.upsert(pa.concat_tables([rows(0, 10, 2), rows(1000, new, 2)]))
    after = pq.read_metadata(latest(tmp_path)).metadata[FILTER]
    assert (before == after) is (new == 0)
    assert (len(before) == len(after)) is (new < 500)
    found = parse_bloom_filter(after, "a filter").may_contain(HashedKeys([f"key {n}" for n in range(1000 + new)]))
    assert found.all()
    assert not parse_bloom_filter(after, "a filter").may_contain(HashedKeys([f"no key {n}" for n in range(100)])).any()


def test_rows_of_a_rewritten_file_have_its_name(tmp_path: Path) -> None:
    """WRITE-1185."""
    table = create_table(tmp_path, rows(0, 1, 0), "id")
    table.append(rows(0, 100, 1))
    table.upsert(rows(50, 1, 2))
    table.delete([{"id": "key 7"}])
    table.insert(rows(200, 5, 3))
    read = pq.read_table(latest(tmp_path))
    assert read.num_rows == 104
    assert set(read["_hoodie_file_name"].to_pylist()) == {latest(tmp_path).name}


def test_a_rewritten_file_is_opened_once_for_its_keys_and_once_for_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WRITE-1256. One file is looked into before, for the form of its keys."""
    given, opened = rows(0, 30, 1).append_column("part", pa.array(["a", "b", "c"] * 10)), []
    table, opens = create_table(tmp_path, given, "id", partition_by="part"), ParquetReader.open
    table.append(given)
    names = [file.name for file in tmp_path.glob("*/*.parquet")]

    def note(reader: ParquetReader, storage: Storage, file: FileInfo) -> OpenedParquet:
        opened.append(file.name)
        return opens(reader, storage, file)

    monkeypatch.setattr(ParquetReader, "open", note)
    table.upsert(given)
    assert sorted(map(opened.count, names)) == [2, 2, 3]
    monkeypatch.undo()
    assert open_table(tmp_path).scan().count() == 30


def test_a_damaged_filter_is_made_anew() -> None:
    """FORMAT-1185."""
    keys = string_column([f"key {number}" for number in range(100)])
    none = string_column([])
    whole = encode_bloom_filter(keys, filter_settings(100))
    lying = encode_bloom_filter(string_column([f"other {number}" for number in range(100)]), filter_settings(100))

    def extended(older: bytes | None, keys: StringColumn) -> bytes | None:
        return OlderFile(cast(Any, None), frozenset(), older, lambda: none).extend_filter(keys, "a file")

    assert extended(whole, keys) is whole
    assert extended(whole, none) is whole
    for damaged in (lying, whole[:50], b"no base64!", b"", None):
        assert extended(damaged, keys) is None


@pytest.mark.parametrize(
    ("keys", "hashes", "rate"),
    [(0, 12, 1e-6), (1, 12, 1e-6), (200_000, 12, 1e-6), (400_000, 12, 5e-5), (10**6, 6, 0.018), (10**7, 2, 0.5)],
)
def test_a_filter_is_made_for_the_number_of_keys(keys: int, hashes: int, rate: float) -> None:
    """WRITE-11, FORMAT-1420."""
    settings = filter_settings(keys)
    assert settings.shape[1] == hashes
    assert settings.rate == pytest.approx(rate, rel=0.1)
    assert keys > 5_800_000 or settings.shape[0] <= (1 << 23) + 1


@given(st.lists(KEYS, max_size=5), st.integers(0, 4))
def test_batches_make_what_all_keys_make(batches: list[list[str]], absent: int) -> None:
    """WRITE-1186. Keys of all planes of Unicode; fewer keys than are expected make a filter of that shape all the same."""
    settings = filter_settings(sum(map(len, batches)) + absent)
    streamed, columns = StreamedKeys(settings), [string_column(keys) for keys in batches]
    for keys in columns:
        streamed.add(keys)
    every = concat_strings(columns) if columns else string_column([])
    assert streamed.encode() == encode_bloom_filter(every, settings)
    assert streamed.range == range_of_keys(every)


def test_many_keys_go_to_a_filter_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    """WRITE-1186. An empty key is refused all the same, at the latest where the filter is asked for."""
    monkeypatch.setattr("hudi_core.parallel.ordered.PROCESSORS", 2)
    every = string_column([f"key {number}" for number in range(70_000)])
    streamed = StreamedKeys(filter_settings(length(every)))
    for first in range(0, 70_000, 1000):
        streamed.add(take_strings(every, slice(first, first + 1000)))
    assert "hudi-keys_0" in {thread.name for thread in threading.enumerate()}
    assert streamed.encode() == encode_bloom_filter(every, filter_settings(length(every)))
    assert streamed.range == range_of_keys(every)
    streamed.add(string_column(["a", ""]))
    with pytest.raises(UsageError, match="keys that are not empty"):
        streamed.encode()


@pytest.mark.parametrize("indexes", [[], ["record_index"]])
def test_an_append_states_the_same_whether_its_keys_are_held_or_not(tmp_path: Path, indexes: list[str]) -> None:
    """WRITE-1186. With a record index they are."""
    rows = pa.table({"id": [f"key {number}" for number in range(500)], "n": list(range(500))})
    table = create_table(tmp_path, rows, "id", indexes=indexes)
    table.append(rows)
    (file,) = tmp_path.glob("*.parquet")
    pairs = pq.read_metadata(file).metadata
    every = string_column(rows["id"].to_pylist())
    assert pairs[b"org.apache.hudi.bloomfilter"] == encode_bloom_filter(every, filter_settings(500))
    ends = {"hoodie_min_record_key": "key 0", "hoodie_max_record_key": "key 99"}
    assert {key: pairs[key.encode()].decode() for key in ends} == ends == dict(range_of_keys(every))
    table.upsert(rows.slice(0, 10))
    assert open_table(tmp_path).scan().count() == 500
