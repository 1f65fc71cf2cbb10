"""QUERY-19: changes from logs of changes are those that the slices tell, with fewer files read."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.options import CdcMode
from hudi_core.table.table import Table
from tests.support.cdc_tables import (
    ADDED,
    BEFORE,
    CHANGED,
    CHANGES,
    FIRST,
    LOG_NAME,
    NATIVE_NAME,
    SECOND,
    base_name,
    cdc_table,
)
from tests.support.memory import Memory

OLD, NEW = base_name(FIRST), base_name(SECOND)
EXPECTED = [
    {"op": "d", "ts_ms": SECOND, "before": BEFORE[2], "after": None},
    {"op": "i", "ts_ms": SECOND, "before": None, "after": ADDED},
    {"op": "u", "ts_ms": SECOND, "before": BEFORE[1], "after": CHANGED},
]
modes = pytest.mark.parametrize("mode", CdcMode)


def changes(table: Table, meta: bool = False, **requested: Any) -> list[dict[str, Any]]:
    found = table.changes(since=FIRST[:-1] + "9", meta=meta, **requested).to_json_rows()
    return sorted(found, key=lambda answer: answer["op"])


def read(memory: Memory) -> set[str]:
    """The data files that were read."""
    return {path for path in memory.reads if path in (OLD, NEW, LOG_NAME)}


@pytest.mark.parametrize(
    ("mode", "files"),
    [
        (CdcMode.DATA_BEFORE_AFTER, {LOG_NAME}),
        (CdcMode.DATA_BEFORE, {LOG_NAME, NEW}),
        (CdcMode.OP_KEY_ONLY, {OLD, NEW}),
    ],
)
def test_rows_come_from_the_log_as_far_as_it_has_them(mode: CdcMode, files: set[str]) -> None:
    table, memory = cdc_table(mode)
    assert changes(table) == EXPECTED
    assert read(memory) == files


@modes
@pytest.mark.parametrize("columns", [None, ["op"], ["op", "after"]])
def test_native_files_of_changes_mean_what_blocks_of_changes_mean(mode: CdcMode, columns: list[str] | None) -> None:
    """LOG-714."""
    (native, memory), (blocks, _) = cdc_table(mode, native=True), cdc_table(mode)
    assert changes(native, columns=columns) == changes(blocks, columns=columns)
    assert NATIVE_NAME in memory.reads or mode is CdcMode.OP_KEY_ONLY


@modes
def test_operations_alone_come_from_any_log(mode: CdcMode) -> None:
    table, memory = cdc_table(mode)
    assert [item["op"] for item in changes(table, columns=["op"])] == ["d", "i", "u"]
    assert list(table.changes(where="op = 'u'", columns=["ts_ms"]).to_json_rows()) == [{"ts_ms": SECOND}]
    assert table.changes(since=FIRST[:-1] + "9").count() == 3
    assert read(memory) == {LOG_NAME}


@pytest.mark.parametrize(
    "where", ["before.n > 1", "after.v = 'new' AND op = 'i'", "after IS NULL", "before.v = after.v"]
)
@modes
def test_changes_are_chosen_as_from_slices(mode: CdcMode, where: str) -> None:
    found = changes(cdc_table(mode)[0], where=where)
    assert found == changes(cdc_table(CdcMode.OP_KEY_ONLY)[0], where=where)


@modes
def test_rows_with_hudis_own_columns_come_from_slices(mode: CdcMode) -> None:
    table, memory = cdc_table(mode)
    assert [item["after"] and item["after"]["_hoodie_commit_time"] for item in changes(table, True)] == [
        None,
        SECOND,
        SECOND,
    ]
    assert read(memory) == {OLD, NEW}


@pytest.mark.parametrize("mode", [CdcMode.DATA_BEFORE_AFTER, CdcMode.DATA_BEFORE])
@pytest.mark.parametrize("logged", [CHANGES[:2], [*CHANGES, CHANGES[2]], []])
def test_an_incomplete_change_log_is_not_used(mode: CdcMode, logged: list[Any]) -> None:
    table, memory = cdc_table(mode, logged)
    assert changes(table) == EXPECTED
    assert read(memory) == {OLD, NEW, LOG_NAME}


def test_a_log_that_names_other_rows_than_the_commit_wrote_is_not_used() -> None:
    other = ("i", None, {**ADDED, "id": "key-5"})
    table, memory = cdc_table(CdcMode.DATA_BEFORE, [*CHANGES[:2], other])
    assert changes(table) == EXPECTED
    assert read(memory) == {OLD, NEW, LOG_NAME}


@modes
def test_a_missing_log_file_of_an_older_slice_is_no_damage(mode: CdcMode) -> None:
    table, memory = cdc_table(mode)
    del memory.files[LOG_NAME]
    assert changes(table) == EXPECTED


def test_logged_changes_are_returned_though_the_rows_before_are_cleaned() -> None:
    table, memory = cdc_table(CdcMode.DATA_BEFORE_AFTER)
    del memory.files[OLD]
    assert changes(table) == EXPECTED


def test_a_damaged_change_log_is_reported_and_not_used() -> None:
    table, memory = cdc_table(CdcMode.DATA_BEFORE_AFTER, [("x", BEFORE[1], CHANGED), *CHANGES[1:]])
    assert changes(table) == EXPECTED
    (answer,) = table.warnings
    assert "expected one of i, u, d in op, found another" in answer and answer.endswith(
        "; comparing file slices instead"
    )
    memory.files[LOG_NAME] = memory.files[LOG_NAME][:-20]
    assert changes(table) == EXPECTED
    assert LOG_NAME in table.warnings[-1]


@modes
def test_slices_read_from_change_logs_are_explained(mode: CdcMode) -> None:
    found = cdc_table(mode)[0].changes(since=FIRST[:-1] + "9", meta=False)
    by_logs = "" if mode is CdcMode.OP_KEY_ONLY else ", 1 by their logs of changes"
    assert found.explain().splitlines()[0] == f"{SECOND}: 1 of 1 file groups compared{by_logs}"
