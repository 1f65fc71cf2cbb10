"""File groups of a metadata partition, and the files with their rows. Rules META-70 to META-74."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.hashes import utf8_string_hashes
from hudi_core.columns.nodes import BinaryColumn, StringColumn
from hudi_core.columns.spans import gather
from hudi_core.columns.strings import concat_strings, take_strings
from hudi_core.formats.bloom_write import BloomFilterWriter, FilterKind, FilterSettings
from hudi_core.formats.deletes import commit_time_deletes
from hudi_core.formats.hfile.write import HFileWriter, write_hfile
from hudi_core.formats.log import BlockKind, HeaderKey
from hudi_core.formats.log_write import encode_block, encode_delete_block
from hudi_core.metadata_rows.record_schema import STORED_SCHEMA
from hudi_core.metadata_rows.rows import NO_STRINGS, IndexRows
from hudi_core.pruning.ranks import order_texts

BLOOM_FILTERS_OF_GROUPS: Final = FilterSettings(FilterKind.DYNAMIC_V0, entries=10_000, max_entries=100_000)
"""The filters of keys in base files, as Apache Hudi has them."""
FIRST_TOKEN: Final = "0-0-0"
"""The write token of files that no task of an engine writes."""
_NO_ROWS: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class GroupRows:
    """The rows of one file group, by key."""

    group: int
    keys: StringColumn
    values: BinaryColumn
    deletes: StringColumn


def file_id(prefix: str, number: int) -> str:
    """The id of a file group: `col-stats-` and 1 make `col-stats-0001-0`."""
    return f"{prefix}{number:04d}-0"


def by_group(rows: IndexRows, groups: int) -> Iterator[GroupRows]:
    """The rows of each of so many file groups, those without any left out. Rule FORMAT-12."""
    count = len(rows)
    places = group_numbers(rows, groups)
    order, deleted = _order(rows.keys), _order(rows.deletes)
    written, removed = split_rows(places[:count], order), split_rows(places[count:], deleted)
    for group in sorted({*written, *removed}):
        mine, gone = written.get(group, _NO_ROWS), removed.get(group, _NO_ROWS)
        yield GroupRows(
            group, take_strings(rows.keys, mine), take_values(rows.values, mine), take_strings(rows.deletes, gone)
        )


def split_rows(places: Numbers, order: Numbers) -> dict[int, Numbers]:
    """The rows of each place, as an order of all rows has them."""
    by_place = order[np.argsort(places[order], kind="stable")]
    present, starts = np.unique(places[by_place], return_index=True)
    return dict(zip(present.tolist(), np.split(by_place, starts[1:]), strict=True)) if len(present) else {}


def group_numbers(rows: IndexRows, groups: int) -> Numbers:
    """The file group of each record, and then of each delete, among so many. Rule FORMAT-12."""
    chosen_by = rows.group_keys or concat_strings([rows.keys, rows.deletes])
    return np.abs(utf8_string_hashes(chosen_by.data, chosen_by.offsets).astype(np.int64)) % groups


def order_rows(rows: IndexRows) -> GroupRows:
    """All of these rows as those of one file group."""
    order = _order(rows.keys)
    return GroupRows(0, take_strings(rows.keys, order), take_values(rows.values, order), rows.deletes)


def log_content(rows: GroupRows, partition: str, instant_time: str) -> bytes:
    """A log file of a file group: its records, then its deletes."""
    header = {HeaderKey.INSTANT_TIME: instant_time, HeaderKey.SCHEMA: STORED_SCHEMA}
    blocks: list[bytes] = []
    if len(rows.keys.offsets) > 1:
        file = write_hfile(rows.keys, rows.values, {"schema": STORED_SCHEMA.encode()})
        blocks.append(encode_block(BlockKind.HFILE_DATA, header, file))
    if len(rows.deletes.offsets) > 1:
        blocks.append(encode_delete_block(header, commit_time_deletes(rows.deletes, partition)))
    return b"".join(blocks)


def first_log_content(instant_time: str) -> bytes:
    """The log file that a new file group begins with: a block that deletes nothing."""
    return encode_delete_block({HeaderKey.INSTANT_TIME: instant_time}, commit_time_deletes(NO_STRINGS, ""))


def base_content(rows: GroupRows) -> bytes:
    """A base file of a file group."""
    sink = io.BytesIO()
    write_base(sink, [(rows.keys, rows.values)])
    return sink.getvalue()


def write_base(sink: BinaryIO, key_ranges: Iterable[tuple[StringColumn, BinaryColumn]]) -> tuple[int, int]:
    """Writes a base file of a file group to a stream, which holds nothing before it; gives its bytes and records.

    Keys ascend and differ, also from one key range to the next. Memory holds a key range, the index of the file, and the bits of
    its filter.
    """
    writer, keys_put = HFileWriter(sink), BloomFilterWriter(BLOOM_FILTERS_OF_GROUPS)
    first = last = b""
    for keys, values in key_ranges:
        if len(keys.offsets) == 1:
            continue
        first, last = first if keys_put.count else _key(keys, 0), _key(keys, len(keys.offsets) - 2)
        writer.add(keys, values)
        keys_put.add(keys)
    info = {
        "schema": STORED_SCHEMA.encode(),
        "minRecordKey": first,
        "maxRecordKey": last,
        "bloomFilterTypeCode": BLOOM_FILTERS_OF_GROUPS.kind.encode(),
    }
    return writer.finish(info, {"bloomFilter": keys_put.encode()}), keys_put.count


def _order(keys: StringColumn) -> Numbers:
    if len(keys.offsets) == 1:
        return np.zeros(0, np.int64)
    return order_texts(ByteStrings(keys.offsets, keys.data))[0]


def take_values(values: BinaryColumn, rows: Numbers) -> BinaryColumn:
    """The values of these rows, in the order given."""
    starts = values.offsets[rows]
    return BinaryColumn(*gather(values.data, starts, values.offsets[rows + 1] - starts))


def _key(keys: StringColumn, row: int) -> bytes:
    return keys.data[keys.offsets[row] : keys.offsets[row + 1]].tobytes()
