"""Commit metadata as bytes.

Also covers: `commit/avro_schemas.py`, `commit/statuses.py`.
"""

from __future__ import annotations

import json

import pytest

from hudi_core.commit.metadata import commit_record, encode_commit, metadata_record, plan_stat
from hudi_core.commit.statuses import TableChange, WriteStatus
from hudi_core.schema.schema import Schema
from hudi_core.timeline.commits import CommitMetadata, read_commit
from hudi_core.timeline.instants import InstantFiles, parse_instant
from hudi_core.types import nodes as t

SCHEMA = Schema(t.Record((t.Field(0, "id", t.String()),)))
TIME = "20260101000000000"
NEW = WriteStatus("p", "aa-0", f"p/aa-0_0-0-0_{TIME}.parquet", 10, 3, 3, 0, 0)
LOG = WriteStatus(
    "p",
    "bb-0",
    f"p/.bb-0_{TIME}.log.2_0-0-0",
    5,
    2,
    0,
    2,
    1,
    is_log=True,
    previous_instant="20250101000000000",
    previous_base="bb-0_0-0-0_20250101000000000.parquet",
    log_files=(".bb-0_1.log.1_0-0-0", f".bb-0_{TIME}.log.2_0-0-0"),
)


def written(change: TableChange, version: int) -> CommitMetadata:
    layout = 1 if version < 8 else 2
    return read_commit(encode_commit(commit_record(change, TIME, version, "{}"), layout), "commit")


@pytest.mark.parametrize("version", [6, 8, 9])
def test_commit_metadata_lists_the_written_files(version: int) -> None:
    """COMMIT-1, COMMIT-2, COMMIT-4."""
    read = written(TableChange("UPSERT", "deltacommit", SCHEMA, (NEW,), extra={"mine": "1"}), version)
    assert read.operation == "UPSERT"
    assert read.extra == {"mine": "1", "schema": "{}"}
    (stat,) = read.stats["p"]
    assert (stat.path, stat.file_id, stat.previous) == (NEW.path, NEW.file_id, None)
    assert (stat.rows, stat.inserts, stat.updates, stat.deletes, stat.file_size) == (3, 3, 0, 0, 10)


def test_a_new_file_group_has_the_string_null_before_it() -> None:
    """COMMIT-2."""
    record = commit_record(TableChange("INSERT", "commit", SCHEMA, (NEW,)), TIME, 9, "{}")
    assert record["partitionToWriteStats"]["p"][0]["prevCommit"] == "null"
    assert plan_stat("", None, 3, 0)["prevCommit"] == "null"


def test_a_log_refers_to_its_slice_or_to_itself() -> None:
    """COMMIT-3."""
    change = TableChange("UPSERT", "deltacommit", SCHEMA, (LOG,))
    (old,), (new,) = written(change, 6).stats["p"], written(change, 9).stats["p"]
    assert (old.previous, old.base_file, old.log_files) == (LOG.previous_instant, LOG.previous_base, LOG.log_files)
    assert (new.previous, new.base_file, new.log_files) == (TIME, "", (f".bb-0_{TIME}.log.2_0-0-0",))


def test_version_6_writes_no_fields_of_logs_for_base_files() -> None:
    """COMMIT-1."""
    text = encode_commit(commit_record(TableChange("INSERT", "commit", SCHEMA, (NEW,)), TIME, 6, "{}"), 1)
    (stat,) = json.loads(text)["partitionToWriteStats"]["p"]
    assert {"logVersion", "logFiles", "baseFile"}.isdisjoint(stat)
    assert stat["tempPath"] is None


@pytest.mark.parametrize("layout", [1, 2])
def test_replaced_file_groups_make_a_replace_commit(layout: int) -> None:
    change = TableChange("INSERT_OVERWRITE", "replacecommit", SCHEMA, (NEW,), replaced={"p": ("cc-0",)})
    read = read_commit(encode_commit(commit_record(change, TIME, 9, "{}"), layout), "commit")
    assert read.replaced == {"p": ("cc-0",)}


def test_an_inflight_commit_lists_its_planned_files() -> None:
    record = metadata_record({"p": [plan_stat("aa-0", "1", 2, 3)]}, "UPSERT")
    (stat,) = read_commit(encode_commit(record, 2), "inflight").stats["p"]
    assert (stat.file_id, stat.previous, stat.inserts, stat.updates) == ("aa-0", "1", 2, 3)


@pytest.mark.parametrize("layout", [1, 2])
@pytest.mark.parametrize(
    ("action", "completes_as"), [("commit", "commit"), ("deltacommit", "deltacommit"), ("clustering", "replacecommit")]
)
def test_names_of_instants_are_read_back(layout: int, action: str, completes_as: str) -> None:
    files = InstantFiles(".hoodie", layout, TIME, action)
    completed = files.name_completed("20260101000000001")
    for path, state, of in ((files.requested, 0, action), (files.inflight, 1, action), (completed, 2, completes_as)):
        instant = parse_instant(path.rpartition("/")[2])
        assert instant is not None
        assert (instant.requested_time, instant.action, instant.state) == (TIME, of, state)
