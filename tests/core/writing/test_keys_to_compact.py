"""WRITE-75, WRITE-1484: a planned compaction puts a row into a base file, and its delete stays in a later log file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact, plan_only
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.by_files import FileLookup, SliceLookup
from hudi_core.tagging.key_columns import Locations
from hudi_core.writing import keys_to_compact
from hudi_core.writing.operations import write
from tests.core.writing.test_deleted_keys import EVENTS, MADE, events, upsert
from tests.support.drawing import each_pair
from tests.support.inserts_into_logs import inserts_into_logs
from tests.support.written_tables import rows_of

KINDS: dict[str, dict[str, Any]] = {**MADE, "log files": {}, "log files and index": {"indexes": ["record_index"]}}
"""Tables of buckets, and those into which a writer wrote that puts new keys into log files, as with an index of its own."""


def with_a_key_in_a_log_file(path: Path, version: int, made: str) -> Table:
    """`a` and `c` are in the base file, and `b` is in a log file alone where the table is one of `KINDS` with such keys."""
    table = create_table(
        path, EVENTS, "id", partition_by="p", type="mor", ordering="ts", version=version, **KINDS[made]
    )
    write(table, events(("a", 10, False), ("c", 10, False)))
    with inserts_into_logs() if "log files" in made else nullcontext():
        write(refreshed(table), events(("b", 20, False)))
    return refreshed(table)


def delete(table: Table, *keys: str) -> None:
    write(refreshed(table), events(*((key, 0, False) for key in keys)).select(["id", "p"]), "delete")


@pytest.mark.each_value
@each_pair(version=[6, 8, 9], made=list(KINDS), spread=[False, True])
def test_a_row_that_loses_to_one_of_a_log_file_to_compact_is_refused(
    tmp_path: Path, version: Any, made: str, spread: bool
) -> None:
    table = with_a_key_in_a_log_file(tmp_path / "t", version, made)
    (group,) = {one.file_id for one in table.slices() if one.logs} or {None}
    assert plan_only(table).state == ("nothing to compact" if group is None else "requested")
    delete(table, "b")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    if group is not None:
        with pytest.raises(UnsupportedError, match="compact it first, found a pending compaction"):
            upsert(table, events(("a", 11, False), ("b", 15, False)), spread)
        assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert upsert(table, events(("a", 11, False), ("b", 25, False)), spread).inserted == 1
    expected = [("a", "x", 11), ("b", "x", 25), ("c", "x", 10)]
    if group is not None and made != "virtual keys":
        places = {row["id"]: row["_hoodie_file_name"] for row in refreshed(table).scan().to_json_rows()}
        assert places["b"].startswith(group)
    for _ in range(2):
        assert rows_of(refreshed(table)) == rows_of(open_table(tmp_path / "t", metadata=MetadataMode.OFF)) == expected
        assert [str(finding) for finding in refreshed(table).validate()] == []
        compact(refreshed(table))


@pytest.mark.each_value
@each_pair(version=[6, 9], made=["files", "buckets", "log files"], spread=[False, True])
def test_a_late_delete_marker_brings_no_row_back(tmp_path: Path, version: Any, made: str, spread: bool) -> None:
    """It loses to the row that the compaction puts into the base file."""
    table = with_a_key_in_a_log_file(tmp_path / "t", version, made)
    upsert(table, events(("c", 20, False)), spread)
    plan_only(refreshed(table))
    delete(table, "b", "c")
    upsert(table, events(("b", 15, True), ("c", 15, True)), spread)
    for _ in range(2):
        assert rows_of(refreshed(table)) == [("a", "x", 10)]
        assert [str(finding) for finding in refreshed(table).validate()] == []
        compact(refreshed(table))
    upsert(table, events(("b", 12, False), ("c", 12, False)), spread)
    assert rows_of(refreshed(table)) == [("a", "x", 10), ("b", "x", 12), ("c", "x", 12)]


@pytest.mark.parametrize("version", [6, 9])
def test_a_row_that_loses_to_its_marker_behind_the_plan_is_left_out(tmp_path: Path, version: int) -> None:
    """Whatever the compaction does, the marker stays."""
    table = with_a_key_in_a_log_file(tmp_path / "t", version, "buckets")
    plan_only(table)
    write(refreshed(table), events(("b", 30, True)))
    assert write(refreshed(table), events(("b", 25, False))).files_added == 0
    assert write(refreshed(table), events(("b", 35, False))).inserted == 1
    for _ in range(2):
        assert rows_of(refreshed(table)) == [("a", "x", 10), ("b", "x", 35), ("c", "x", 10)]
        compact(refreshed(table))


@pytest.mark.parametrize("made", ["buckets", "log files"])
def test_no_file_is_read_for_keys_that_nothing_behind_the_plan_deletes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    table = with_a_key_in_a_log_file(tmp_path / "t", 9, made)
    plan_only(table)
    delete(table, "b")
    read: list[int] = []

    class Counted(FileLookup):
        def run(self, count: int, tasks: Sequence[SliceLookup], *rest: Any) -> Locations:
            read.append(len(tasks))
            return super().run(count, tasks, *rest)

    monkeypatch.setattr(keys_to_compact, "FileLookup", Counted)
    write(refreshed(table), events(("d", 1, False), ("c", 11, False)))
    assert read == [0]
    write(refreshed(table), events(("b", 21, False)))
    assert read == [0, 1]
    write(refreshed(table), events(("b", 22, False)))
    assert read == [0, 1]
