"""Tables that are not written to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.writing.operations import write
from tests.support.commands import fingerprint
from tests.support.every_write import WRITES
from tests.support.written_tables import TYPES, rows

ROWS = pa.table({"id": ["a"], "n": [1]})


def table_with(folder: Path, *lines: str) -> Any:
    """A table whose properties somebody else wrote."""
    create_table(folder / "t", ROWS.schema, "id")
    path = folder / "t/.hoodie/hoodie.properties"
    keys = {line.partition("=")[0] for line in lines}
    kept = [line for line in path.read_text().splitlines() if line.partition("=")[0] not in keys]
    path.write_text("\n".join([*kept, *lines]) + "\n")
    return open_table(folder / "t")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("hoodie.table.format=iceberg", "iceberg"),
        ("hoodie.table.base.file.format=ORC", "ORC"),
        ("hoodie.table.multiple.base.file.formats.enable=true", "multiple.base.file.formats"),
        ("hoodie.partition.metafile.use.base.format=true", "partition.metafile"),
        ("hoodie.bootstrap.base.path=/elsewhere", "bootstrap"),
        ("hoodie.table.keygenerator.type=USER_PROVIDED", "key generator"),
        ("hoodie.table.storage.layout=lsm_tree", "lsm_tree"),
        ("hoodie.write.lock.provider=org.apache.hudi.client.transaction.lock.ZookeeperBasedLockProvider", "Zookeeper"),
        ("hoodie.write.lock.provider=org.apache.hudi.aws.transaction.lock.DynamoDBBasedLockProvider", "DynamoDB"),
        (
            "hoodie.write.lock.provider=org.apache.hudi.hive.transaction.lock.HiveMetastoreBasedLockProvider",
            "HiveMetastore",
        ),
        ("hoodie.write.lock.provider=com.example.InProcessLockProvider", "com.example.InProcessLockProvider"),
        ("hoodie.write.lock.provider=FileSystemBasedLockProvider", "found FileSystemBasedLockProvider"),
        ("hoodie.write.lock.filesystem.path=/elsewhere/locks", "lock.filesystem.path"),
        ("hoodie.write.concurrency.mode=NON_BLOCKING_CONCURRENCY_CONTROL", "NON_BLOCKING_CONCURRENCY_CONTROL"),
    ],
)
def test_a_table_is_refused_by_name(tmp_path: Path, line: str, named: str) -> None:
    """WRITE-21, COMMIT-22, COMMIT-328."""
    table = table_with(tmp_path, line)
    before = sorted((tmp_path / "t").rglob("*"))
    with pytest.raises(UnsupportedError, match=named):
        write(table, ROWS, "append")
    assert sorted((tmp_path / "t").rglob("*")) == before


@pytest.mark.parametrize("mode", ["COMMIT_TIME_ONLY", "FILE_NAME_ONLY", "COMMIT_TIME_AND_FILE_NAME"])
def test_rows_are_not_written_without_the_meta_columns_that_the_table_has(tmp_path: Path, mode: str) -> None:
    """WRITE-1558: such a row is in no query of what changed."""
    table = table_with(tmp_path, f"hoodie.meta.fields.mode={mode.lower()}")
    with pytest.raises(UnsupportedError, match=f"hoodie.meta.fields.mode of ALL or NONE, found {mode}"):
        write(table, ROWS, "append")
    assert open_table(tmp_path / "t").timeline.commits == ()


@pytest.mark.parametrize("mode", ["ALL", "NONE"])
def test_rows_are_written_with_all_meta_columns_or_with_none(tmp_path: Path, mode: str) -> None:
    """WRITE-1558."""
    table = table_with(tmp_path, f"hoodie.meta.fields.mode={mode}")
    write(table, ROWS, "append")
    (row,) = refreshed(table).scan().to_arrow().to_pylist()
    assert row["id"] == "a"
    assert bool(row.get("_hoodie_commit_time")) is (mode == "ALL")


@pytest.mark.parametrize("provider", ["InProcessLockProvider", "FileSystemBasedLockProvider"])
def test_locks_of_one_process_and_of_files_exclude_writers(tmp_path: Path, provider: str) -> None:
    """COMMIT-860: threads of one process too."""
    full = f"org.apache.hudi.client.transaction.lock.{provider}"
    table_with(tmp_path, f"hoodie.write.lock.provider={full}", "hoodie.write.lock.num_retries=3")

    def add(number: int) -> int:
        return write(open_table(tmp_path / "t"), pa.table({"id": [f"k{number}"], "n": [number]}), "append").inserted

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(add, range(8))) == 8
    latest = open_table(tmp_path / "t")
    assert (latest.scan().count(), len(latest.timeline.commits)) == (8, 8)
    assert list(latest.validate()) == []


def test_no_verb_writes_to_a_table_of_another_lock(tmp_path: Path) -> None:
    """COMMIT-22: not one byte."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor", indexes=["column_stats"])
    table.upsert(rows(("a", "x", 1)))
    path = tmp_path / "t/.hoodie/hoodie.properties"
    provider = "org.apache.hudi.hive.transaction.lock.HiveMetastoreBasedLockProvider"
    path.write_text(f"{path.read_text()}\nhoodie.write.lock.provider={provider}\n")
    before = fingerprint(tmp_path / "t")
    for verb, change in WRITES.items():
        with pytest.raises(UnsupportedError, match="HiveMetastoreBasedLockProvider"):
            change(open_table(tmp_path / "t"))
        assert fingerprint(tmp_path / "t") == before, verb


def test_a_merger_that_is_not_known_is_refused_only_where_rows_are_merged(tmp_path: Path) -> None:
    """WRITE-21."""
    table = table_with(tmp_path, "hoodie.record.merge.mode=CUSTOM", "hoodie.record.merge.strategy.id=one-of-my-own")
    with pytest.raises(UnsupportedError, match="one-of-my-own"):
        write(table, ROWS, "upsert")
    assert write(table, ROWS, "append").inserted == 1


def test_a_table_in_buckets_is_refused(tmp_path: Path) -> None:
    """WRITE-21."""
    table = create_table(tmp_path / "t", ROWS.schema, "id")
    write(table, ROWS)
    (file_slice,) = refreshed(table).slices()
    assert file_slice.base is not None
    path = tmp_path / "t" / file_slice.base.path
    path.rename(path.with_name(path.name.replace(file_slice.file_id, f"00000003{file_slice.file_id[8:]}")))
    with pytest.raises(UnsupportedError, match="bucket"):
        write(table, ROWS)


@pytest.mark.parametrize("partition", [None, "p"])
def test_a_table_of_consistent_hashing_is_refused(tmp_path: Path, partition: str | None) -> None:
    """WRITE-21."""
    rows = ROWS.append_column("p", pa.array(["x"]))
    table = create_table(tmp_path / "t", rows.schema, "id", partition_by=partition or ())
    write(table, rows)
    folder = tmp_path / "t/.hoodie/.bucket_index/consistent_hashing_metadata" / ("x" if partition else "")
    folder.mkdir(parents=True)
    (folder / "00000000000000.hashing_meta").write_text("{}")
    with pytest.raises(UnsupportedError, match="consistent hashing"):
        write(table, rows)


@pytest.mark.parametrize("op", ["upsert", "delete"])
def test_a_table_whose_row_lost_its_key_columns_is_refused(tmp_path: Path, op: str) -> None:
    """WRITE-1533: as a merge of Apache Hudi's leaves a row that it writes with the changed columns alone."""
    table = create_table(tmp_path / "t", ROWS.schema, "id", indexes=())
    write(table, ROWS)
    (path,) = (tmp_path / "t").glob("*.parquet")
    stored = pq.read_table(path)
    pq.write_table(stored.set_column(stored.schema.get_field_index("id"), "id", pa.nulls(1, pa.string())), path)
    with pytest.raises(UnsupportedError, match=r"t: expected rows with the values .* found one whose columns make no"):
        write(open_table(tmp_path / "t"), ROWS, op)


@pytest.mark.parametrize("op", ["upsert", "delete", "insert_overwrite"])
def test_a_table_with_keys_of_another_generator_is_refused(tmp_path: Path, op: str) -> None:
    """WRITE-32."""
    options = {"hoodie.table.keygenerator.type": "COMPLEX"}
    write(create_table(tmp_path / "t", ROWS.schema, "id", options=options), ROWS)
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("keygenerator.type=COMPLEX", "keygenerator.type=NON_PARTITION"))
    table = open_table(tmp_path / "t")
    with pytest.raises(UnsupportedError, match="_hoodie_record_key 'id:a', as a row of the table has it, found 'a'"):
        write(table, ROWS, op)
    with pytest.raises(UnsupportedError, match="'id:a'"):
        table.update({"n": 2})
    assert table.delete(where="n = 1").deleted == 1


@pytest.mark.parametrize("op", ["upsert", "delete", "insert_overwrite", "insert_overwrite_table"])
def test_rows_with_keys_of_fields_need_these_in_the_properties(tmp_path: Path, op: str) -> None:
    """WRITE-502: properties that were cut would double each key."""
    table = create_table(tmp_path / "t", ROWS.schema, "id")
    table.insert(ROWS)
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_bytes(b"".join(line for line in path.read_bytes().splitlines(True) if b"recordkey" not in line))
    with pytest.raises(UnsupportedError, match=r"expected hoodie\.table\.recordkey\.fields .* a row of the key 'a'"):
        write(open_table(tmp_path / "t"), ROWS, op)
    assert open_table(tmp_path / "t").count() == 1


def test_rows_with_keys_that_were_made_up_do_not(tmp_path: Path) -> None:
    """WRITE-502."""
    table = create_table(tmp_path / "t", ROWS.schema)
    table.upsert(ROWS)
    table.refresh().upsert(ROWS)
    assert table.refresh().count() == 2
