"""Records of tables that Apache Hudi wrote are tagged to the file that holds them, by each index that a table has and by none.

Also covers: `tagging/by_values.py`, `tagging/matching.py`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from hudi_arrow.engine import ENGINE
from hudi_core.columns.hashes import bloom_filter_key, file_group_index
from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.keys.records import HoodieKey
from hudi_core.metadata.table import BLOOM_FILTERS, RECORD_INDEX
from hudi_core.options import HASHING_FOLDER
from hudi_core.planning.sources.file_filters import open_recorded_filters, read_recorded_texts
from hudi_core.planning.sources.indexes import SecondaryIndex
from hudi_core.planning.sources.sources import Sources
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.tagging.by_values import locate_values
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.hashing_metadata import first_nodes, hashing_content, hashing_path
from hudi_core.tagging.tag import Tagger, TagOptions, locate, tag
from tests.support.buckets import bucket_options, is_bucketed, is_consistent
from tests.support.commands import ran
from tests.support.conformance import TableEntry, each_table, each_table_where

Truth = dict[HoodieKey, set[str]]


def readable(entry: TableEntry) -> bool:
    return entry.expected["table"]["base_file_format"].lower() in ENGINE.formats


def partitions_of(entry: TableEntry) -> list[str]:
    found: list[str] = entry.expected["table"]["metadata_partitions"]
    return found


def with_partition(name: str) -> Callable[[TableEntry], bool]:
    return lambda entry: readable(entry) and name in partitions_of(entry)


def truth_of(entry: TableEntry) -> Truth:
    """The files that hold each record, as the recorded rows say."""
    found: Truth = {}
    for row in entry.expected["snapshot"]["rows"]:
        if row.get("_hoodie_record_key") is not None:
            key = HoodieKey(row["_hoodie_record_key"], row["_hoodie_partition_path"])
            file_id = row["_hoodie_file_name"].partition("_")[0].removeprefix(".")
            found.setdefault(key, set()).add(file_id)
    return found


def absent_keys(truth: Truth) -> list[HoodieKey]:
    """Keys that no record has: in known partitions and others, near to known keys and far from them."""
    paths = [*sorted({key.partition_path for key in truth}), "no such partition"]
    near = [HoodieKey(f"{key.record_key}0!", key.partition_path) for key in truth]
    made = [HoodieKey(text, path) for path in paths for text in ("", "no such key", "\U0001f600")]
    return [key for key in (*near, *made) if key not in truth]


def check(table: Table, truth: Truth, options: TagOptions) -> None:
    present, absent = list(truth), absent_keys(truth)
    found = locate(table, [*present, *absent], options)
    slices = {(item.partition, item.file_id): item for item in table.slices()}
    assert len(found) == len(present) + len(absent)
    for key, location in zip(present, found, strict=False):
        assert location is not None, (options.index, key)
        assert location.file_id in truth[key], (options.index, key)
        assert location.partition_path == key.partition_path
        assert location.instant == slices[location.partition_path, location.file_id].instant
    assert found[len(present) :] == [None] * len(absent)


def kinds(table: Table) -> Iterator[IndexType]:
    yield from (IndexType.SIMPLE, IndexType.BLOOM, IndexType.AUTO)
    if table.snapshot().usable(RECORD_INDEX) is not None:
        yield IndexType.RECORD_INDEX


@pytest.mark.one_of(3)
@each_table()
def test_every_record_is_tagged_to_its_file_by_each_index(entry: TableEntry) -> None:
    truth = truth_of(entry)
    table = open_table(str(entry.unpacked()))
    if not readable(entry):
        if table.slices():
            with pytest.raises(UnsupportedError):
                locate(table, truth or [HoodieKey("k", "")], TagOptions(IndexType.SIMPLE, whole_table=True))
        return
    for kind in kinds(table):
        check(table, truth, TagOptions(kind))


@pytest.mark.one_of(3)
@each_table_where(
    lambda entry: readable(entry) and partitions_of(entry), "base files whose rows can be read, and a metadata table"
)
def test_every_record_is_tagged_to_its_file_without_metadata(entry: TableEntry) -> None:
    table = open_table(str(entry.unpacked()), metadata=MetadataMode.OFF)
    check(table, truth_of(entry), TagOptions(IndexType.BLOOM))


@pytest.mark.one_of(3)
@each_table_where(with_partition(BLOOM_FILTERS), "bloom filters in the metadata table")
def test_damaged_filters_lose_no_key(entry: TableEntry, tmp_path: Path) -> None:
    """INDEX-7."""
    for table in damaged(entry, BLOOM_FILTERS, tmp_path):
        check(table, truth_of(entry), TagOptions(IndexType.BLOOM))


@each_table_where(with_partition(BLOOM_FILTERS), "bloom filters in the metadata table")
def test_a_damaged_file_group_of_filters_takes_no_other_along(entry: TableEntry, tmp_path: Path) -> None:
    root = tmp_path / "table"
    shutil.copytree(entry.unpacked(), root)
    whole = filters_by_group(open_table(str(root)))
    lost = min(whole, default="")
    for file in root.glob(f".hoodie/metadata/{BLOOM_FILTERS}/*{lost}*"):
        file.write_bytes(cut(file.read_bytes(), Random(entry.name)))
    left = filters_by_group(open_table(str(root)))
    assert left == {group: texts for group, texts in whole.items() if group != lost}


def filters_by_group(table: Table) -> dict[str, dict[str, bytes]]:
    """The filters in the metadata table by file id, by the file group that has them."""
    snapshot = table.snapshot()
    slices = [item for item in snapshot.slices if item.base is not None]
    metadata = open_recorded_filters(snapshot)
    found: dict[str, dict[str, bytes]] = {}
    for place, text in read_recorded_texts(metadata, snapshot, slices).items():
        item = slices[place]
        assert metadata is not None
        assert item.base is not None
        groups = metadata.slices(BLOOM_FILTERS)
        group = groups[file_group_index(bloom_filter_key(item.partition, item.base.name), len(groups))]
        found.setdefault(group.file_id, {})[item.file_id] = text
    return found


@pytest.mark.one_of(3)
@each_table_where(with_partition(RECORD_INDEX), "a record index")
def test_a_damaged_record_index_loses_no_key(entry: TableEntry, tmp_path: Path) -> None:
    """INDEX-13."""
    for table, kind in zip(
        damaged(entry, RECORD_INDEX, tmp_path), (IndexType.AUTO, IndexType.RECORD_INDEX), strict=False
    ):
        check(table, truth_of(entry), TagOptions(kind))


def damaged(entry: TableEntry, partition: str, folder: Path) -> Iterator[Table]:
    """The table with the HFiles of a metadata partition damaged in one way and another."""
    random = Random(entry.name)
    for damage in (cut, overwritten):
        root = folder / damage.__name__
        shutil.copytree(entry.unpacked(), root)
        for file in root.glob(f".hoodie/metadata/{partition}/*.hfile"):
            file.write_bytes(damage(file.read_bytes(), random))
        yield open_table(str(root))


def cut(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data))]


def overwritten(data: bytes, random: Random) -> bytes:
    """A run of bytes with others in their place, in the first half: among the filters."""
    start = random.randrange(len(data) // 2)
    return data[:start] + random.randbytes(40) + data[start + 40 :]


@pytest.mark.one_of(2)
@each_table_where(with_partition(RECORD_INDEX), "a record index")
def test_keys_are_found_in_whatever_partition_they_are(entry: TableEntry) -> None:
    """INDEX-21."""
    table, truth = open_table(str(entry.unpacked())), truth_of(entry)
    places: dict[str, set[tuple[str, str]]] = {}
    for key, files in truth.items():
        places.setdefault(key.record_key, set()).update((key.partition_path, file) for file in files)
    keys = [HoodieKey(key, "elsewhere") for key in places]
    for kind in (IndexType.SIMPLE, IndexType.BLOOM, IndexType.RECORD_INDEX):
        for key, location in zip(keys, locate(table, keys, TagOptions(kind, whole_table=True)), strict=True):
            assert location is not None, (kind, key)
            assert (location.partition_path, location.file_id) in places[key.record_key]


@pytest.mark.one_of(2)
@each_table_where(
    lambda entry: readable(entry) and any(p.startswith("secondary_index_") for p in partitions_of(entry)),
    "a secondary index",
)
def test_records_are_located_by_values_of_a_secondary_index(entry: TableEntry) -> None:
    """INDEX-23."""
    table = open_table(str(entry.unpacked()))
    indexes = [item for item in Sources(table.snapshot()).indexes if isinstance(item, SecondaryIndex)]
    columns = {item.id: item.name for item in table.schema.fields}
    assert indexes
    for index in indexes:
        column = columns[index.column]
        rows = entry.expected["snapshot"]["rows"]
        values = list(dict.fromkeys(row[column] for row in rows if row.get(column) is not None))[:3]
        found = locate_values(table, column, [*values, *values[:1]]).read_all().to_pylist()
        places = sorted((str(row[column]), row["location"]["file_id"]) for row in found)
        held = [row for row in rows if row.get(column) in values]
        assert places == sorted(
            (str(row[column]), row["_hoodie_file_name"].partition("_")[0].removeprefix(".")) for row in held
        )
        answer = ran("locate", entry.unpacked(), column, "--json", "--", *values).lines
        assert sorted((str(row[column]), row["location"]["file_id"]) for row in answer) == places
        shown = ran("locate", entry.unpacked(), column.upper(), "--", *values).out
        assert shown.splitlines()[-1] == f"{len(held)} record{'s' if len(held) > 1 else ''}"
        with pytest.raises(UnsupportedError, match=f"a secondary index of .*{index.name}"):
            locate_values(table, "_hoodie_record_key", ["k"])


@each_table_where(lambda entry: readable(entry) and not entry.expected["table"]["populate_meta_fields"], "virtual keys")
def test_rows_that_do_not_hold_their_keys_are_tagged(entry: TableEntry) -> None:
    table = open_table(str(entry.unpacked()))
    rows = table.scan(meta=False).to_arrow()
    places = {(item.partition, item.file_id) for item in table.slices()}
    for kind in kinds(table):
        found = tag(table, rows, TagOptions(kind)).read_all()
        assert found.num_rows == rows.num_rows
        for location in found.column("location").to_pylist():
            assert (location["partition_path"], location["file_id"]) in places


@each_table_where(is_bucketed, "a bucket index")
def test_records_of_bucketed_tables_are_in_their_buckets(entry: TableEntry) -> None:
    options = bucket_options(entry)
    table, truth = open_table(str(entry.unpacked())), truth_of(entry)
    check(table, truth, options)
    columns = {"record_key": [key.record_key for key in truth], "partition_path": [key.partition_path for key in truth]}
    (firsts,) = Tagger(table, options).first_slices(table.engine.rows.read_given(pa.table(columns)))
    files = [table.slices()[int(number)].file_id for number in firsts]
    assert all(file in held for file, held in zip(files, truth.values(), strict=True))


@each_table_where(is_consistent, "consistent hashing")
def test_the_first_nodes_of_a_partition_are_those_of_apache_hudi(entry: TableEntry) -> None:
    """INDEX-578: byte for byte."""
    root = entry.unpacked()
    stored = sorted((root / HASHING_FOLDER).rglob("00000000000000.hashing_meta"))
    assert stored
    for path in stored:
        partition = path.parent.relative_to(root / HASHING_FOLDER).as_posix().removeprefix(".")
        buckets = json.loads(path.read_bytes())["numBuckets"]
        assert hashing_content(partition, first_nodes(partition, buckets)) == path.read_bytes()
        assert root / hashing_path(partition) == path
