"""LOG-1 to LOG-13: blocks that are written are read back; deletes that Apache Hudi wrote are written again byte for byte."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.nodes import BinaryColumn, Column, PrimitiveColumn, StructColumn, length, to_list
from hudi_core.columns.strings import string_column
from hudi_core.errors import SchemaError, UsageError
from hudi_core.formats.avro.block import join_records
from hudi_core.formats.avro.columns import decode
from hudi_core.formats.deletes import DeleteRecords, commit_time_deletes, encode_deletes, read_deletes, wrap_values
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.formats.log_write import (
    encode_block,
    encode_data_block,
    encode_data_blocks,
    encode_delete_block,
    encode_delete_blocks,
)
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.random_access import InMemoryFile
from tests.support.conformance import TableEntry, each_table_where

SCHEMA = '{"type":"record","name":"r","fields":[{"name":"key","type":"string"},{"name":"v","type":["null","long"]}]}'
HEADER = {HeaderKey.INSTANT_TIME: "001", HeaderKey.SCHEMA: SCHEMA}


def blocks(data: bytes) -> list[LogBlock]:
    return list(read_blocks(InMemoryFile(data, "file")))


@given(
    st.lists(
        st.tuples(
            st.sampled_from([kind for kind in BlockKind if kind is not BlockKind.CORRUPT]),
            st.dictionaries(st.sampled_from(HeaderKey), st.text(max_size=10)),
            st.binary(max_size=40),
        ),
        max_size=5,
    )
)
def test_blocks_are_read_back(written: list[tuple[BlockKind, dict[HeaderKey, str], bytes]]) -> None:
    found = blocks(b"".join(encode_block(*block) for block in written))
    assert [(block.kind, dict(block.header), block.content()) for block in found] == written


def test_rows_are_read_back() -> None:
    rows = StructColumn(
        2,
        {
            "key": string_column(["a", "é"]),
            "v": PrimitiveColumn(np.array([5, 0], np.int64), np.array([True, False])),
        },
    )
    (block,) = blocks(encode_data_block(HEADER, rows, "rows"))
    assert block.kind is BlockKind.AVRO_DATA
    data, starts, lengths = join_records([block])
    found = decode(SCHEMA, data, starts, lengths, "block")
    assert to_list(found) == [{"key": "a", "v": 5}, {"key": "é", "v": None}]
    (change,) = blocks(encode_data_block(HEADER, rows, "rows", BlockKind.CDC_DATA))
    assert (change.kind, change.content()) == (BlockKind.CDC_DATA, block.content())


def test_rows_of_another_schema_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"rows\.v"):
        encode_data_block(HEADER, StructColumn(1, {"key": string_column(["a"])}), "rows")


def test_a_corrupt_region_is_no_block_to_write() -> None:
    with pytest.raises(UsageError, match="a kind of block that is written"):
        encode_block(BlockKind.CORRUPT, {}, b"")


def test_deletes_without_ordering_values_are_read_back() -> None:
    (block,) = blocks(encode_delete_block(HEADER, commit_time_deletes(string_column(["b", "a"]), "p=1")))
    deletes = read_deletes(block)
    assert to_list(deletes.record_keys) == ["b", "a"]
    assert to_list(deletes.partition_paths) == ["p=1", "p=1"]
    assert to_list(deletes.ordering_values) == [{"value": 0}, {"value": 0}]


def test_no_deletes_are_the_content_that_new_groups_of_the_metadata_table_start_with() -> None:
    assert encode_deletes(commit_time_deletes(string_column([]), "")) == struct.pack(">iib", 3, 1, 0)


@pytest.mark.parametrize(
    ("wrapper", "values"),
    [
        ("BooleanWrapper", PrimitiveColumn(np.array([True, False, True]), np.array([True, False, True]))),
        ("LongWrapper", PrimitiveColumn(np.array([1, 2, -3], np.int64))),
        ("DateWrapper", PrimitiveColumn(np.array([1, 2, -3], np.int32))),
        ("DoubleWrapper", PrimitiveColumn(np.array([1.5, 2, -3]))),
        ("StringWrapper", string_column(["", "b", "é"])),
        ("DecimalWrapper", BinaryColumn(np.array([0, 1, 3, 4]), np.array([1, 2, 3, 4], np.uint8))),
    ],
)
def test_ordering_values_are_read_back(wrapper: str, values: Column) -> None:
    keys = string_column(["a", "b", "c"])
    deletes = DeleteRecords(keys, keys, wrap_values(wrapper, values))
    (block,) = blocks(encode_delete_block(HEADER, deletes))
    found = read_deletes(block).ordering_values
    assert to_list(found) == [None if value is None else {"value": value} for value in to_list(values)]
    used = {found.names[branch].rpartition(".")[2] for branch in found.branches.tolist()}
    assert used - {"null"} == {wrapper}


def test_columns_of_different_lengths_are_refused() -> None:
    deletes = commit_time_deletes(string_column(["a"]), "")
    with pytest.raises(UsageError, match="expected 2 rows"):
        encode_deletes(DeleteRecords(string_column(["a", "b"]), deletes.partition_paths, deletes.ordering_values))


def _delete_blocks(table: Path) -> Iterator[LogBlock]:
    for path in sorted(table.rglob(".*.log.*")):
        if parse_log_file(path.name) is not None:
            yield from (block for block in blocks(path.read_bytes()) if block.kind is BlockKind.DELETE)


@each_table_where(lambda entry: entry.has("*/.*.log.*"), "log files", every=3)
def test_deletes_of_apache_hudi_are_written_again_byte_for_byte(entry: TableEntry) -> None:
    delete_blocks = list(_delete_blocks(entry.unpacked()))
    if not delete_blocks:
        pytest.skip("no delete blocks")
    for block in delete_blocks:
        deletes = read_deletes(block)
        assert encode_deletes(deletes) == block.content()
        again = encode_block(
            block.kind, {HeaderKey(key): value for key, value in block.header.items()}, block.content()
        )
        assert len(again) == block.length


def numbered(first: int, stop: int) -> dict[HeaderKey, str]:
    return {**HEADER, HeaderKey.TARGET_INSTANT_TIME: f"{first} {stop}"}


@given(st.lists(st.lists(st.text(max_size=40), max_size=9), max_size=4), st.integers(1, 200))
def test_blocks_of_a_bounded_size_have_all_rows_in_order(parts: list[list[str]], max_bytes: int) -> None:
    """LOG-1020."""
    columns = [
        StructColumn(
            len(keys), {"key": string_column(keys), "v": PrimitiveColumn(np.arange(len(keys), dtype=np.int64))}
        )
        for keys in parts
    ]
    keys = [key for part in parts for key in part]
    read: list[Any] = []
    for block in blocks(b"".join(encode_data_blocks(numbered, columns, "rows", max_bytes))):
        data, starts, lengths = join_records([block])
        assert len(starts) == 1 or block.content_length <= max_bytes
        assert block.require(HeaderKey.TARGET_INSTANT_TIME) == f"{len(read)} {len(read) + len(starts)}"
        read += to_list(decode(SCHEMA, data, starts, lengths, "block"))
    assert [row["key"] for row in read] == keys
    deletes = commit_time_deletes(string_column(keys), "p=1")
    found = [read_deletes(block) for block in blocks(b"".join(encode_delete_blocks(numbered, deletes, max_bytes)))]
    assert [key for part in found for key in to_list(part.record_keys)] == keys
    assert [path for part in found for path in to_list(part.partition_paths)] == ["p=1"] * len(keys)
    assert all(to_list(part.ordering_values) == [{"value": 0}] * length(part.record_keys) for part in found)
