"""Writes to tables of buckets, simple and consistent. WRITE-579 to WRITE-582, INDEX-576 to INDEX-578, CREATE-583.

Also covers: `tagging/bucket_layout.py`, `tagging/hashing_metadata.py`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import ConflictError, UnsupportedError, UsageError
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.errors import CorruptFileError
from hudi_core.options import HASHING_FOLDER
from hudi_core.schema.meta import FILE_NAME, RECORD_KEY, bare_schema
from hudi_core.tagging.buckets import bucket_numbers, bucket_of_file, hash_inputs
from hudi_core.tagging.hashing_metadata import first_nodes, hashing_content
from hudi_core.timeline.slices import FileSlice
from hudi_core.transactions.metadata_steps import metadata_steps
from hudi_core.transactions.transaction import transaction

SIMPLE = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}
CONSISTENT = {**SIMPLE, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
IN_EACH_RUN = [("cow", 9, SIMPLE), ("mor", 8, CONSISTENT)]
KINDS = [
    pytest.param(kind, version, layout, marks=() if (kind, version, layout) in IN_EACH_RUN else pytest.mark.soak)
    for kind, layouts in (("cow", [SIMPLE]), ("mor", [SIMPLE, CONSISTENT]))
    for version in (6, 8, 9)
    for layout in layouts
]
EACH = pytest.mark.parametrize(
    ("kind", "version", "layout"), KINDS, ids=lambda value: value if not isinstance(value, dict) else str(len(value))
)


def rows(first: int, last: int, n: int, city: str | None = None) -> pa.Table:
    return pa.table(
        {
            "id": pa.array([f"k{number:03}" for number in range(first, last)]),
            "n": pa.array([n] * (last - first), pa.int64()),
            "city": pa.array([city or ("oslo", "rome")[number % 2] for number in range(first, last)]),
        }
    )


def made(path: Path, kind: str, version: int, layout: dict[str, str], **more: Any) -> hudi_core.Table:
    given = {"partition_by": "city", "indexes": ["column_stats"], **more}
    return hudi_core.create(path, rows(0, 1, 0), "id", type=kind, version=version, options=layout, **given)


def content(table: hudi_core.Table) -> dict[str, int]:
    found = table.refresh().scan(columns=["id", "n"]).to_arrow().to_pylist()
    assert len(found) == len({row["id"] for row in found})
    return {row["id"]: row["n"] for row in found}


def held(table: hudi_core.Table) -> None:
    """Each key is in the file group that its hash names, each bucket once, and all indexes are as the rows."""
    latest = table.refresh()
    assert [str(one) for one in latest.validate()] == []
    groups = Counter((one.partition, one.file_id) for one in latest.slices())
    assert set(groups.values()) <= {1}
    nodes = [Path(latest.uri) / HASHING_FOLDER]
    if nodes[0].exists():
        return
    buckets = Counter((one.partition, bucket_of_file(one.file_id)) for one in latest.slices())
    assert set(buckets.values()) <= {1}
    found = latest.scan(columns=[RECORD_KEY, FILE_NAME]).to_arrow()
    numbers = bucket_numbers(hash_inputs(string_column(found[RECORD_KEY].to_pylist()), ("id",)), 3)
    assert [bucket_of_file(name) for name in found[FILE_NAME].to_pylist()] == numbers.tolist()


@pytest.mark.one_of(2)
@EACH
def test_every_operation_keeps_keys_in_their_buckets(
    tmp_path: Path, kind: str, version: int, layout: dict[str, str]
) -> None:
    """WRITE-579 to WRITE-581."""
    table = made(tmp_path / "t", kind, version, layout)
    table.upsert(rows(0, 20, 1))
    held(table)
    table.refresh().upsert(rows(10, 30, 2))
    table.refresh().insert(rows(30, 33, 3))
    table.refresh().bulk_insert(rows(33, 36, 4))
    table.refresh().append(rows(36, 40, 5, "bonn"))
    held(table)
    table.refresh().delete(rows(0, 4, 0).select(["id", "city"]))
    table.refresh().delete(where="id = 'k005'")
    table.refresh().update({"n": 9}, where="id = 'k006'")
    held(table)
    expected = {f"k{number:03}": 1 if number < 10 else 2 if number < 30 else 3 for number in range(6, 33)}
    expected |= {f"k{number:03}": 4 if number < 36 else 5 for number in range(33, 40)} | {"k004": 1, "k006": 9}
    assert content(table) == expected
    table.refresh().upsert(rows(0, 2, 6))  # keys that were deleted
    assert content(table) == {**expected, "k000": 6, "k001": 6}
    held(table)
    if kind == "mor":
        table.refresh().compact()
        assert content(table) == {**expected, "k000": 6, "k001": 6}
        held(table)
        table.refresh().upsert(rows(0, 2, 7))
        held(table)
    table.refresh().clean(keep_versions=1)
    assert content(table) == {**expected, **({"k000": 7, "k001": 7} if kind == "mor" else {"k000": 6, "k001": 6})}


@pytest.mark.one_of(2)
@EACH
def test_a_merge_deletes_updates_and_inserts_in_buckets(
    tmp_path: Path, kind: str, version: int, layout: dict[str, str]
) -> None:
    """WRITE-579, WRITE-580."""
    table = made(tmp_path / "t", kind, version, layout)
    table.upsert(rows(0, 20, 1))
    merge = table.refresh().merge(rows(10, 26, 2), on=["id", "city"])
    merge.when_matched_delete("target.id < 'k013'").when_matched_update().when_not_matched_insert().execute()
    expected = {f"k{number:03}": 1 if number < 10 else 2 for number in range(26) if number not in (10, 11, 12)}
    assert content(table) == expected
    held(table)


@pytest.mark.one_of(2)
@EACH
def test_overwrites_begin_buckets_anew(tmp_path: Path, kind: str, version: int, layout: dict[str, str]) -> None:
    """WRITE-582: nodes of consistent hashing name file groups that would be gone for good."""
    table = made(tmp_path / "t", kind, version, layout)
    table.upsert(rows(0, 20, 1))
    if layout is CONSISTENT:
        for refused in (
            lambda: table.overwrite_partitions(rows(0, 2, 5)),
            lambda: table.overwrite(rows(0, 2, 5)),
            lambda: table.delete_partitions(["oslo"]),
        ):
            with pytest.raises(UnsupportedError, match="as the nodes of consistent hashing name them"):
                refused()
        held(table)
        return
    table.refresh().overwrite_partitions(rows(0, 2, 5, "oslo"))
    assert table.refresh().scan(where="city = 'oslo'").count() == 2
    table.refresh().upsert(rows(0, 6, 6, "oslo"))
    table.refresh().delete_partitions(["rome"])
    assert content(table) == {f"k{number:03}": 6 for number in range(6)}
    held(table)
    table.refresh().overwrite(rows(7, 9, 7))
    table.refresh().upsert(rows(8, 12, 8))
    assert content(table) == {"k007": 7} | {f"k{number:03}": 8 for number in range(8, 12)}
    held(table)


def test_fields_of_the_key_are_hashed_alone(tmp_path: Path) -> None:
    """INDEX-576."""
    layout = {**SIMPLE, "hoodie.bucket.index.hash.field": "n"}
    table = hudi_core.create(tmp_path / "t", rows(0, 1, 0), "id,n", options=layout)
    table.upsert(rows(0, 30, 5))
    assert len(table.refresh().slices()) == 1
    table.refresh().upsert(rows(0, 30, 6))
    assert table.refresh().scan().count() == 60
    assert len(table.refresh().slices()) == 2


def test_a_writer_states_what_the_table_does_not(tmp_path: Path) -> None:
    """INDEX-577: as writers of Apache Hudi do; else the write is refused, as it is where the number is another."""
    table = made(tmp_path / "t", "mor", 9, {})
    table.upsert(rows(0, 20, 1), properties=SIMPLE)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    for properties, error, message in (
        ({}, UnsupportedError, "hoodie.bucket.index.num.buckets in the properties"),
        ({**SIMPLE, "hoodie.bucket.index.num.buckets": "7"}, UsageError, "which put one of its keys into bucket"),
        ({**SIMPLE, "hoodie.bucket.index.num.buckets": "many"}, UsageError, "the number of buckets"),
        ({**SIMPLE, "hoodie.index.bucket.engine": "MODULO"}, UsageError, "SIMPLE or CONSISTENT_HASHING"),
        ({**SIMPLE, "hoodie.bucket.index.hash.field": "n"}, UsageError, "some of the key id"),
        (CONSISTENT, UnsupportedError, "file groups of a bucket index"),
    ):
        for write in (
            lambda stated: table.refresh().upsert(rows(0, 2, 2), properties=stated),
            lambda stated: table.refresh().append(rows(0, 2, 2), properties=stated),
            lambda stated: table.refresh().delete(where="id = 'k001'", properties=stated),
        ):
            with pytest.raises(error, match=message):
                write(properties)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    table.refresh().upsert(rows(0, 2, 2), properties=SIMPLE)
    assert content(table)["k001"] == 2
    held(table)


def test_file_groups_of_another_index_are_no_buckets(tmp_path: Path) -> None:
    """INDEX-577."""
    table = made(tmp_path / "t", "cow", 9, {})
    table.upsert(rows(0, 20, 1))
    with pytest.raises(UnsupportedError, match="file groups of a bucket index"):
        table.refresh().upsert(rows(0, 2, 2), properties=SIMPLE)


def test_two_writers_do_not_begin_one_bucket(tmp_path: Path) -> None:
    """CONFLICT-584: of two inserts at once the second is planned again."""
    for layout in (SIMPLE, CONSISTENT):
        table = made(tmp_path / str(len(layout)), "mor", 9, layout, indexes=None)
        with transaction(table, "deltacommit", "INSERT", metadata_steps=metadata_steps) as slow:
            slow.start()
            planned = made(tmp_path / f"{len(layout)}-same", "mor", 9, layout, indexes=None)
            planned.insert(rows(0, 4, 1))
            twin = planned.refresh().slices()
            table.refresh().insert(rows(0, 4, 1))
            statuses = tuple(_status(one, slow.instant_time) for one in twin)
            with pytest.raises(ConflictError, match="buckets that no other writer began"):
                slow.commit(TableChange("INSERT", "deltacommit", bare_schema(table.schema), statuses))
        held(table)


def _status(one: FileSlice, time: str) -> WriteStatus:
    path = f"{one.partition}/{one.file_id}_0-0-0_{time}.parquet"
    return WriteStatus(one.partition, one.file_id, path, 1, 1, 1, 0, 0)


def test_a_bucket_that_is_there_twice_is_damage(tmp_path: Path) -> None:
    """WRITE-579."""
    table = made(tmp_path / "t", "cow", 9, SIMPLE, indexes=None)
    table.upsert(rows(0, 20, 1))
    path = next((tmp_path / "t/oslo").glob("00000000-*.parquet"))
    path.with_name(f"00000000-0000{path.name[13:]}").write_bytes(path.read_bytes())
    with pytest.raises(CorruptFileError, match="one file group for each bucket"):
        table.refresh().upsert(rows(0, 2, 2))


@pytest.mark.parametrize("buckets", [1, 2, 3, 7, 256])
def test_nodes_cover_all_hashes(buckets: int) -> None:
    """INDEX-578."""
    nodes = first_nodes("p/q", buckets)
    values = [value for value, _ in nodes]
    assert (len(nodes), values[-1], values) == (buckets, 0x7FFFFFFF, sorted(set(values)))
    assert json.loads(hashing_content("p/q", nodes))["numBuckets"] == buckets


def test_a_table_without_partitions_has_its_nodes_in_the_folder_itself(tmp_path: Path) -> None:
    """INDEX-578."""
    table = made(tmp_path / "t", "mor", 9, CONSISTENT, partition_by=())
    table.upsert(rows(0, 20, 1))
    assert [path.name for path in (tmp_path / "t" / HASHING_FOLDER).iterdir()] == ["00000000000000.hashing_meta"]
    table.refresh().upsert(rows(0, 20, 2))
    assert set(content(table).values()) == {2}


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"hoodie.bucket.index.num.buckets": "3"}, "cow", "hoodie.index.type=BUCKET"),
        ({"hoodie.index.type": "BUCKET"}, "cow", "the number of buckets of each partition"),
        (CONSISTENT, "cow", "a merge-on-read table"),
        ({**SIMPLE, "hoodie.bucket.index.hash.field": "n"}, "cow", "some of the key id"),
        ({**SIMPLE, "hoodie.bucket.index.partition.expressions": "a,1"}, "cow", "one number of buckets"),
    ],
)
def test_a_bucket_index_that_is_none_makes_no_table(
    tmp_path: Path, options: dict[str, str], kind: str, message: str
) -> None:
    """CREATE-583."""
    with pytest.raises((UsageError, UnsupportedError), match=message):
        hudi_core.create(tmp_path / "t", rows(0, 1, 0), "id", type=kind, options=options)
    assert not (tmp_path / "t" / ".hoodie").exists()


def test_clustering_keeps_off_consistent_buckets(tmp_path: Path) -> None:
    """CLUSTER-16: resizing of consistent buckets is Apache Hudi's."""
    table = made(tmp_path / "t", "mor", 9, CONSISTENT, indexes=None)
    table.upsert(rows(0, 20, 1))
    with pytest.raises(UnsupportedError, match=r"found consistent hashing$"):
        table.refresh().cluster(columns=["n"])
