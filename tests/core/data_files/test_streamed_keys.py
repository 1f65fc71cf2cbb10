"""Filters and ranges of keys that come in batches."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import concat_strings, string_column
from hudi_core.data_files.base_file import filter_settings
from hudi_core.data_files.streamed_keys import StreamedKeys, range_of_keys
from hudi_core.formats.bloom_write import encode_bloom_filter
from hudi_core.front.opening import create_table, open_table

KEYS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12), max_size=8)


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
