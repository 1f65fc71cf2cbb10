"""The record index: places of keys in their partition or in any, and what becomes of keys that it sends nowhere.

Also covers: `tagging/key_columns.py`, `tagging/work.py`.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from hudi_core.columns.hashes import file_group_indexes
from hudi_core.columns.strings import string_column
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.records import HoodieKey
from hudi_core.table.table import Table
from hudi_core.tagging.by_records import LOST, RecordIndexLookup
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.key_columns import NOWHERE, KeyColumns
from hudi_core.tagging.key_reader import key_columns
from hudi_core.tagging.tag import TagOptions, locate
from hudi_core.tagging.work import TaggingMetrics
from hudi_core.timeline.slices import FileSlice
from tests.support.made_tables import Group, Log, MadeTable

GROUPS = [
    Group("p", [{"id": "a"}, {"id": "b"}], [Log([{"id": "late"}], deleted=["b"])]),
    Group("q", [{"id": "c"}]),
]


def made(**more: object) -> Table:
    return MadeTable(GROUPS, ("record_index",), **more).open()  # type: ignore[arg-type]


def looked_up(table: Table, requested: list[tuple[str, str]], whole_table: bool = False) -> list[int]:
    snapshot = table.snapshot()
    assert snapshot.metadata is not None
    keys = key_columns(string_column([key for key, _ in requested]), string_column([path for _, path in requested]))
    lookup = RecordIndexLookup(snapshot.metadata, snapshot.slices, whole_table)
    return lookup.locate(keys, TaggingMetrics()).slices.tolist()


def test_keys_are_located_in_their_own_partition() -> None:
    """INDEX-12."""
    requested = [("a", "p"), ("c", "q"), ("late", "p"), ("b", "p"), ("a", "q"), ("a", "none"), ("x", "p"), ("a", "p")]
    assert looked_up(made(), requested) == [0, 1, 0, NOWHERE, NOWHERE, NOWHERE, NOWHERE, 0]


def test_in_the_whole_table_partitions_do_not_matter() -> None:
    """INDEX-12."""
    assert looked_up(made(), [("a", "q"), ("c", "none"), ("x", "p")], whole_table=True) == [0, 1, NOWHERE]


def test_keys_sent_to_no_file_group_are_lost() -> None:
    """INDEX-13."""
    table = made()
    snapshot = table.snapshot()
    assert snapshot.metadata is not None
    keys = key_columns(string_column(["a", "c"]), string_column(["p", "q"]))
    lookup = RecordIndexLookup(snapshot.metadata, snapshot.slices[1:])
    assert lookup.locate(keys, TaggingMetrics()).slices.tolist() == [
        NOWHERE,
        0,
    ]  # the partition of the first has no slices now
    whole = RecordIndexLookup(snapshot.metadata, snapshot.slices[1:], whole_table=True)
    assert whole.locate(keys, TaggingMetrics()).slices.tolist() == [LOST, 0]


def test_a_missing_index_is_reported() -> None:
    """INDEX-17."""
    table = MadeTable(GROUPS, ("column_stats",)).open()
    with pytest.raises(UnsupportedError, match=r"record_index.*column_stats, files"):
        locate(table, [HoodieKey("a", "p")], TagOptions(IndexType.RECORD_INDEX))


def test_buckets_are_refused_where_file_ids_have_none() -> None:
    table = MadeTable([Group("p", [{"id": "a"}])], ()).open()
    with pytest.raises(UsageError, match="buckets: expected a whole number from 1 on, found 0"):
        TagOptions(IndexType.BUCKET, buckets=0)
    for options in (TagOptions(IndexType.BUCKET), TagOptions(IndexType.BUCKET, buckets=4, whole_table=True)):
        with pytest.raises(UsageError, match=r"bucket|hashing"):
            locate(table, [HoodieKey("a", "p")], options)


def test_a_key_is_searched_for_in_the_file_group_of_its_hash_without_its_sign() -> None:
    """The file group that writers put it in, by the same rule for one key and for many (INDEX-11)."""
    names = [f"key-{number}" for number in range(200)]
    keys = KeyColumns(string_column(names), np.zeros(len(names), np.int32), ("",))
    groups = [FileSlice("record_index", f"record-index-{number:04}-0", "1", None) for number in range(7)]
    lookup = RecordIndexLookup(SimpleNamespace(slices=lambda _: groups), [])  # type: ignore[arg-type]
    found = {row: groups.index(group) for group, rows in lookup._parts(keys) for row in rows.tolist()}
    assert [found[row] for row in range(len(names))] == file_group_indexes(names, 7).tolist()
