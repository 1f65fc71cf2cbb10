"""FORMAT-9 to FORMAT-12: hash ids, index keys, file groups."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.hashes import (
    bloom_filter_key,
    bloom_filter_keys,
    column_stats_key,
    file_group_index,
    file_group_indexes,
    md5_id,
    partition_id,
    partition_stats_key,
    string_hashes,
    utf8_string_hashes,
    xxh64_id,
)
from hudi_core.columns.strings import string_column
from tests.support.conformance import vectors


def cases(operation: str) -> list[dict[str, Any]]:
    return [case for case in vectors("bloom") if case["op"] == operation]


def java_hash(text: str) -> int:
    value = 0
    data = text.encode("utf-16-be", "surrogatepass")
    for at in range(0, len(data), 2):
        value = (31 * value + int.from_bytes(data[at : at + 2], "big")) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def test_ids_are_the_hashes_of_hudi() -> None:
    for case in (case for case in cases("hash_id") if "text" in case["input"]):
        text, output = case["input"]["text"], case["output"]
        assert base64.b64decode(xxh64_id(text)).hex() == output["bytes_BITS_64"]["value"]
        assert base64.b64decode(md5_id(text)).hex() == output["bytes_BITS_128"]["value"]
    for case in cases("index_id"):
        name, output = case["input"]["name"], case["output"]
        assert xxh64_id(name) == output["ColumnIndexID"]["base64"] == output["PartitionIndexID"]["base64"]
        assert md5_id(name) == output["FileIndexID"]["base64"]


def test_index_keys_are_those_of_hudi() -> None:
    """META-10."""
    for case in cases("index_keys"):
        partition, file, column = (case["input"][part] for part in ("partition", "file", "column"))
        output = {name: made.get("value") for name, made in case["output"].items()}
        assert column_stats_key(column, partition, file) == output["column_stats_key"]
        assert bloom_filter_key(partition, file) == output["bloom_key"]
        assert partition_stats_key(column, partition) == output["partition_stats_key"]
        assert partition_stats_key(column, partition, "pre") == output["partition_stats_key_with_prefix"]
        assert column_stats_key(column, partition, file).startswith(output["column_partition_prefix"])
        assert partition_id(partition) == xxh64_id(output["bloom_partition_identifier"])


def test_keys_go_to_the_file_groups_of_hudi() -> None:
    for case in cases("file_group"):
        key = case["input"]["key"]
        for group in case["output"]["groups"]:
            assert file_group_index(key, group["n"]) == group["record_key"]["value"]
    for case in cases("secondary_file_group"):
        for group in case["output"]["groups"]:
            assert file_group_index(case["output"]["key"], group["n"]) == group["v1"]["value"]


def test_a_hash_of_the_least_integer_has_a_group() -> None:
    assert string_hashes(["polygenelubricants"]).tolist() == [-(2**31)]
    assert file_group_index("polygenelubricants", 10) == 8


@given(st.lists(st.text(st.characters(), max_size=8) | st.text("ab", max_size=3) | st.just("😀" * 5), max_size=6))
def test_many_strings_hash_as_one_by_one(texts: list[str]) -> None:
    assert string_hashes(texts).tolist() == [java_hash(text) for text in texts]
    whole = [text for text in texts if text.isprintable()]
    data = np.frombuffer("".join(["ä", *whole]).encode(), np.uint8)
    offsets = np.cumsum([2, *(len(text.encode()) for text in whole)])
    assert utf8_string_hashes(data, offsets).tolist() == string_hashes(whole).tolist()
    assert file_group_indexes(texts, 7).tolist() == [file_group_index(text, 7) for text in texts]


def test_strings_of_many_batches_hash_as_one_by_one() -> None:
    texts = [f"{'k' * (number % 7)}{number}" for number in range(10_000)]
    assert string_hashes(texts).tolist() == [java_hash(text) for text in texts]


def test_keys_of_many_files_are_those_of_each() -> None:
    files = [("", "a"), ("p=1", "b_0-1-2_3.parquet"), ("p=1", ""), ("", "é")]
    found = bloom_filter_keys(["", "p=1"], np.array([0, 1, 1, 0]), string_column([name for _, name in files]))
    assert [key.decode() for key in found] == [bloom_filter_key(*file) for file in files]
    assert len(bloom_filter_keys([], np.zeros(0, np.int64), string_column([]))) == 0
