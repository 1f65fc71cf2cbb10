"""Commit metadata in one form, whether JSON or Avro."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.timeline import commits
from hudi_core.timeline.commits import read_commit, read_extra
from tests.support.conformance import ROOT, TableEntry, each_table_where
from tests.support.drawing import cases


def test_empty_file_has_no_content() -> None:
    """TIME-10."""
    for content in (b"", b"\n", b"{}"):
        found = read_commit(content, "place")
        assert (dict(found.stats), dict(found.replaced), found.schema_text, found.operation) == ({}, {}, None, None)


def test_old_writers_write_the_string_null_where_there_was_no_slice_before() -> None:
    """TIME-10."""
    content = b'{"partitionToWriteStats": {"p": [{"fileId": "f", "prevCommit": "null", "path": null}]}}'
    (stat,) = read_commit(content, "place").stats["p"]
    assert (stat.previous, stat.path, stat.file_size) == (None, "", None)


def test_empty_schema_text_is_no_schema() -> None:
    assert read_commit(b'{"extraMetadata": {"schema": "", "latest_schema": null}}', "place").schema_text is None


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"partitionToWriteStats": []}',
        b'{"partitionToWriteStats": {"p": [{"numWrites": "many"}]}}',
        b"Obj\x01",
        b"Obj\x01" + bytes(100),
        b"PAR1",
    ],
)
def test_damaged_metadata_names_the_file(content: bytes) -> None:
    """TIME-11."""
    with pytest.raises(CorruptFileError, match=r"^place: expected"):
        read_commit(content, "place")


def commit_files() -> list[dict[str, Any]]:
    listed = ROOT / "corpus" / "commit-metadata" / "expected.json"
    found: list[dict[str, Any]] = json.loads(listed.read_text("utf-8")) if listed.is_file() else []
    return found


@pytest.mark.skipif(not commit_files(), reason="corpus folder not present")
@pytest.mark.parametrize("case", commit_files(), ids=lambda case: str(case["name"]))
def test_single_commits_are_read_as_recorded(case: dict[str, Any]) -> None:
    stored, content = (ROOT / "corpus" / case["file"]).read_bytes(), case.get("content")
    if content is None:  # nothing could be read of it
        with pytest.raises(CorruptFileError, match=re.escape(case["name"])):
            read_commit(stored, case["name"])
        return
    found = read_commit(stored, case["name"])
    assert found.operation == content.get("operationType")
    assert found.extra == {key: text for key, text in content["extraMetadata"].items() if text is not None}
    assert {partition: [stat.path for stat in stats] for partition, stats in found.stats.items()} == {
        partition: [stat["path"] for stat in stats] for partition, stats in content["partitionToWriteStats"].items()
    }


def recorded_commits(entry: TableEntry) -> list[dict[str, Any]]:
    """The completed instants of which write statistics are recorded."""
    return [item for item in entry.expected["timeline"] if "write_stats" in item and item["state"] == "completed"]


@each_table_where(recorded_commits, "recorded write statistics")
def test_write_stats_of_every_table_are_read_as_recorded(entry: TableEntry) -> None:
    folder = entry.unpacked() / ".hoodie"
    for expected in recorded_commits(entry):
        path = folder / expected["file"]
        path = path if path.is_file() else folder / "timeline" / expected["file"]
        found = read_commit(path.read_bytes(), str(path))
        assert found.operation == expected["operation_type"]
        assert {partition: [_recorded(stat) for stat in stats] for partition, stats in found.stats.items()} == {
            partition: [dict(stat) for stat in stats] for partition, stats in expected["write_stats"].items()
        }
        replaced = expected.get("replaced_file_ids") or {}
        assert {partition: sorted(ids) for partition, ids in found.replaced.items()} == {
            partition: sorted(ids) for partition, ids in replaced.items()
        }
        if "extra_metadata_keys" in expected:
            assert sorted(found.extra) == sorted(expected["extra_metadata_keys"])


@each_table_where(lambda entry: entry.has("*/.hoodie/timeline/*commit"), "commits of layout version 2")
def test_a_long_commit_is_read_without_its_write_statistics(entry: TableEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commits, "LARGE_FILE_BYTES", 0)
    for path in (entry.unpacked() / ".hoodie" / "timeline").glob("*commit"):
        content = path.read_bytes()
        assert read_extra(content, "place") == read_commit(content, "place").extra
        with pytest.raises(CorruptFileError, match="place"):
            read_extra(content[:-20], "place")


def _recorded(stat: Any) -> dict[str, Any]:
    return {
        "file_id": stat.file_id,
        "path": stat.path,
        "num_writes": stat.rows,
        "num_deletes": stat.deletes,
        "num_updates": stat.updates,
        "num_inserts": stat.inserts,
        "file_size": stat.file_size,
    }


SAMPLE = b"""{"partitionToWriteStats": {"p=1": [{"fileId": "f-0", "path": "p=1/f-0_0-1-1_1.parquet", "numWrites": 3,
"cdcStats": {"a": 1}, "logFiles": ["x"], "prevCommit": "null"}]}, "extraMetadata": {"schema": "s"}, "operationType": "UPSERT"}"""


@settings(max_examples=cases(200))
@given(st.integers(0, len(SAMPLE) - 1), st.binary(max_size=3))
def test_changed_bytes_are_read_or_refused(at: int, new: bytes) -> None:
    try:
        read_commit(SAMPLE[:at] + new + SAMPLE[at + 1 :], "place")
    except CorruptFileError as refused:
        assert str(refused).startswith("place: ")
