"""What other writers of Hudi tables are known to get wrong, where it has no test elsewhere. Rules: WRITE-8, WRITE-13, MERGE-11,
COMMIT-5, COMMIT-23, COMMIT-24.

Elsewhere: files of dead writers (`test_crashes.py`), order of the metadata table and the commit, live writers, times that go back
(`test_transaction.py`), statistics of commits (`core/commit/test_metadata.py`), tokens of version 6 (`test_log_file.py`), types
in Parquet (`engines/arrow/test_parquet_write.py`), properties (`test_new_table.py`, `core/commit/test_properties.py`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.columns.nodes import to_list
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.commit.times import next_time, time_of
from hudi_core.errors import ConflictError
from hudi_core.formats.avro.container import read_container
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.log import BlockKind, HeaderKey, LogBlock, read_blocks
from hudi_core.front.opening import create_table, open_table
from hudi_core.schema.meta import bare_schema
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions.transaction import transaction
from hudi_core.writing.operation import WriteOptions

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64()), ("items", pa.list_(pa.int32()))])
INDEXES = ("column_stats", "record_index")


def arrow(*rows: tuple[str, int]) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "p": "x", "n": n, "items": [len(key), None]} for key, n in rows], TYPES)


def new_table(folder: Path, kind: str = "cow", version: int = 9, **more: object) -> Table:
    settings = {"partition_by": "p", "ordering": "n", "type": kind, "version": version, **more}
    return create_table(folder / "t", TYPES, "id", **settings)  # type: ignore[arg-type]


def blocks_of(table: Table) -> list[LogBlock]:
    (file_slice,) = refreshed(table).slices()
    return [block for log in file_slice.logs for block in read_blocks(table.storage.open(log.path))]


@pytest.mark.parametrize("version", [6, 8, 9])
def test_deletes_state_their_schema_and_win_over_every_ordering_value(tmp_path: Path, version: int) -> None:
    table = new_table(tmp_path, "mor", version)
    table.insert(arrow(("a", 1 << 60), ("b", 1)))
    table.delete(arrow(("a", 0)))
    (block,) = blocks_of(table)
    assert block.kind is BlockKind.DELETE
    assert json.loads(block.require(HeaderKey.SCHEMA))["fields"][0]["name"] == "_hoodie_commit_time"
    deletes = read_deletes(block)
    assert to_list(deletes.record_keys) == ["a"]
    assert to_list(deletes.partition_paths) == ["x"]
    assert to_list(deletes.ordering_values) == [{"value": 0}]
    assert [row["id"] for row in refreshed(table).scan(columns=["id"]).to_json_rows()] == ["b"]


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_of_rows_with_one_key_the_first_is_updated_and_all_are_deleted(tmp_path: Path, kind: str) -> None:
    """MERGE-11, WRITE-5: updated as Apache Hudi does, and as reads of a merge-on-read table do. WRITE-7: it leaves one, too."""
    table = new_table(tmp_path, kind)
    table.insert(arrow(("a", 1), ("a", 2), ("b", 1)))
    table.upsert(arrow(("a", 7)))
    assert numbers(table, "a") == [2, 7]
    table.delete(arrow(("a", 0)))
    assert numbers(table, "a") == []


def numbers(table: Table, key: str) -> list[int]:
    rows = refreshed(table).scan(columns=["id", "n"]).to_json_rows()
    return sorted(row["n"] for row in rows if row["id"] == key)


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_lists_with_null_elements_are_written_in_three_levels(tmp_path: Path, kind: str) -> None:
    """Apache Hudi's Avro writer has two levels, in which a null element cannot be."""
    table = new_table(tmp_path, kind)
    table.insert(arrow(("a", 1)))
    table.upsert(arrow(("a", 2)))
    assert [row["items"] for row in refreshed(table).scan(columns=["items"]).to_json_rows()] == [[1, None]]
    (file_slice,) = refreshed(table).slices()
    assert file_slice.base is not None
    columns = pq.ParquetFile(tmp_path / "t" / file_slice.base.path).schema
    assert "items.list.element" in {columns.column(number).path for number in range(len(columns))}


def test_base_files_name_themselves_and_log_files_their_group(tmp_path: Path) -> None:
    """WRITE-8."""
    table = new_table(tmp_path, "mor")
    table.insert(arrow(("a", 1), ("b", 1)))
    table.upsert(arrow(("b", 2)))
    (file_slice,) = refreshed(table).slices()
    assert file_slice.base is not None
    names = {row["id"]: row["_hoodie_file_name"] for row in refreshed(table).scan().to_json_rows()}
    assert names == {"a": file_slice.base.name, "b": file_slice.file_id}


def test_a_pending_overwrite_is_a_commit_and_a_completed_one_names_the_replaced_file_groups(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    table.insert(arrow(("a", 1)))
    instant = table.overwrite(arrow(("b", 1))).instant
    folder = tmp_path / "t" / ".hoodie" / "timeline"
    (inflight,) = folder.glob(f"{instant}.replacecommit.inflight")
    (completed,) = folder.glob(f"{instant}_*.replacecommit")
    (record,) = read_container(inflight.read_bytes(), "inflight")
    assert "partitionToReplaceFileIds" not in record
    assert record["operationType"] == "INSERT_OVERWRITE_TABLE"
    (record,) = read_container(completed.read_bytes(), "completed")
    assert [len(ids) for ids in record["partitionToReplaceFileIds"].values()] == [1]


def test_a_commit_of_another_writer_counts_on_merge_on_read_too(tmp_path: Path) -> None:
    """CONFLICT-1: bulk inserts and compactions complete as `commit` there."""
    table = new_table(tmp_path, "mor")
    table.insert(arrow(("a", 1)))
    (file_slice,) = refreshed(table).slices()
    begun = refreshed(table)
    status = WriteStatus(
        "x", file_slice.file_id, f"x/{file_slice.file_id}_0-0-0_0.parquet", 1, 1, 0, 1, 0,
        previous_instant=file_slice.instant,
    )  # fmt: skip
    with transaction(begun, "deltacommit", "UPSERT") as write:
        write.start()
        with transaction(refreshed(table), "commit", "COMPACT") as other:
            other.start()
            other.commit(TableChange("COMPACT", "commit", bare_schema(begun.schema), (status,)))
        with pytest.raises(ConflictError, match=file_slice.file_id):
            write.commit(TableChange("UPSERT", "deltacommit", bare_schema(begun.schema), (status,)))


def test_index_definitions_are_at_the_path_in_the_properties_and_have_a_version(tmp_path: Path) -> None:
    table = new_table(tmp_path, indexes=INDEXES)
    table.insert(arrow(("a", 1)))
    path = refreshed(table).config.properties["hoodie.table.index.defs.path"]
    definitions = json.loads((tmp_path / "t" / path).read_text("utf-8"))["indexDefinitions"]
    assert {name: one["version"] for name, one in definitions.items()} == {"column_stats": "V2", "record_index": "V1"}


def test_the_metadata_table_has_the_log_files_of_its_groups_and_a_schema_in_each_commit(tmp_path: Path) -> None:
    table = new_table(tmp_path, indexes=INDEXES)
    table.insert(arrow(("a", 1)))
    folder = tmp_path / "t" / ".hoodie" / "metadata"
    assert all(list((folder / name).glob(".*log.1_*")) for name in ("files", *INDEXES))
    for commit in (folder / ".hoodie" / "timeline").glob("*_*.deltacommit"):
        (record,) = read_container(commit.read_bytes(), commit.name)
        assert json.loads(record["extraMetadata"]["schema"])["name"] == "HoodieMetadataRecord"
        begins_a_partition = commit.name.startswith("0000")
        assert begins_a_partition or set(record["partitionToWriteStats"]) == {"files", *INDEXES}
    assert not open_table(tmp_path / "t").warnings


@pytest.fixture
def in_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("in_zone", ["Etc/GMT+10", "Etc/GMT-14"], indirect=True)
@pytest.mark.parametrize("hours", [-16, 16])
def test_times_of_a_writer_in_another_zone_are_followed(tmp_path: Path, in_zone: None, hours: int) -> None:
    """COMMIT-5: in a table whose times are those of the machine that wrote last, and nobody knows which that was."""
    table = new_table(tmp_path, options={"hoodie.table.timeline.timezone": "LOCAL"})
    theirs = datetime.now(UTC) + timedelta(hours=hours)  # noqa: TID251 - the time on the wall of another writer
    first = table.insert(arrow(("a", 1)), WriteOptions(clock=lambda: theirs)).instant
    second = refreshed(table).upsert(arrow(("a", 2), ("b", 2))).instant
    timeline = refreshed(table).timeline
    times = [(instant.requested_time, str(instant.completion_time)) for instant in timeline.commits]
    assert [requested for requested, _ in times] == [first, second]
    assert first < times[0][1] < second < times[1][1]
    assert next_time(timeline) > times[1][1]
    assert sorted(row["n"] for row in refreshed(table).scan(columns=["n"]).to_json_rows()) == [2, 2]


@pytest.mark.each_value
@pytest.mark.parametrize("in_zone", ["Etc/GMT+10", "Etc/GMT-14"], indirect=True)
@pytest.mark.parametrize("stated", ["UTC", "LOCAL"])
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 8), ("mor", 6)])
def test_all_times_of_a_table_are_of_its_zone(
    tmp_path: Path, in_zone: None, stated: str, kind: str, version: int
) -> None:
    """COMMIT-1389: those of the metadata table too. Were they ahead, later writes would follow them, hours before their time."""
    zone = UTC if stated == "UTC" else None
    before = time_of(datetime.now(UTC), zone)  # noqa: TID251 - what they are compared with
    table = new_table(tmp_path, kind, version, indexes=INDEXES, options={"hoodie.table.timeline.timezone": stated})
    table.insert(arrow(("a", 1)))
    refreshed(table).upsert(arrow(("a", 2), ("b", 2)))
    services = open_table(tmp_path / "t")
    services.savepoint()
    if kind == "mor":
        services.compact()
    services.refresh().cluster(columns=["id"])
    services.refresh().clean(keep_commits=1)
    services.refresh().index("bloom_filters")
    services.refresh().rollback(refreshed(table).upsert(arrow(("c", 3))).instant)
    after = time_of(datetime.now(UTC) + timedelta(seconds=1), zone)  # noqa: TID251
    names = [path.name for path in (tmp_path / "t" / ".hoodie").rglob("*") if "timeline" in path.parts or version == 6]
    times = [time for name in names for time in re.findall(r"(?<!\d)2\d{16}(?!\d)", name)]
    assert len(times) > 15
    assert before <= min(times) <= max(times) <= after


@pytest.mark.one_of(2)
@pytest.mark.parametrize("version", [6, 8])
def test_no_write_upgrades_a_table(tmp_path: Path, version: int) -> None:
    """COMMIT-23: writers of Apache Hudi do, unless they are told not to."""
    table = new_table(tmp_path, "mor", version, indexes=INDEXES)
    stated = dict(table.config.properties)
    files = {path.name for path in (tmp_path / "t/.hoodie").iterdir()}
    table.insert(arrow(("a", 1), ("b", 1)))
    for _ in range(2):
        refreshed(table).upsert(arrow(("a", 2), ("c", 2)))
        refreshed(table).delete(arrow(("b", 1)))
        refreshed(table).overwrite(arrow(("a", 1)))
    latest = open_table(tmp_path / "t")
    assert dict(latest.config.properties) == stated
    stated_of_metadata = (tmp_path / "t/.hoodie/metadata/.hoodie/hoodie.properties").read_text()
    assert f"hoodie.table.version={version}" in stated_of_metadata
    assert files <= {path.name for path in (tmp_path / "t/.hoodie").iterdir()}


@pytest.mark.parametrize("version", [6, 9])
def test_commits_repeat_the_checkpoints_of_streams(tmp_path: Path, version: int) -> None:
    """COMMIT-24: a stream of Apache Hudi begins again where the newest commits do not tell it."""
    table = new_table(tmp_path, version=version)
    reported = {"streamer.checkpoint.key.v2": "t,0:7", "deltastreamer.checkpoint.reset_key": "x"}
    with transaction(table, "commit", "UPSERT") as stream:
        change = TableChange("UPSERT", "commit", bare_schema(table.schema), extra={**reported, "other": "theirs"})
        stream.commit(change)
    for n in range(2):
        refreshed(table).upsert(arrow(("a", n)))
    extras = refreshed(table).timeline.extras()
    assert [{key: value for key, value in extra.items() if key != "schema"} for extra in extras] == [
        {**reported, "other": "theirs"}, reported, reported
    ]  # fmt: skip


@pytest.mark.parametrize("version", [6, 9])
def test_a_stream_goes_on_from_its_newest_checkpoint(tmp_path: Path, version: int) -> None:
    """COMMIT-24."""
    table = new_table(tmp_path, version=version)
    for offset in ("7", "9"):
        with transaction(refreshed(table), "commit", "UPSERT") as stream:
            extra = {"streamer.checkpoint.key.v2": f"t,0:{offset}"}
            stream.commit(TableChange("UPSERT", "commit", bare_schema(table.schema), extra=extra))
    refreshed(table).upsert(arrow(("a", 1)))
    assert refreshed(table).timeline.extras()[-1]["streamer.checkpoint.key.v2"] == "t,0:9"
