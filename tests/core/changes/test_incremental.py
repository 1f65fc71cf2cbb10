"""Which commits lie between two times."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.changes.incremental import CommitRange, between, find_end
from hudi_core.errors import ConflictError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.options import TableConfig, table_config
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import StandIn, lsm_files
from tests.support.memory import Memory


def config(**more: str) -> TableConfig:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.version": "9"}
    return table_config(least | more)


def timeline(*names: str, layout: int = 2, log_compaction: str = "", history: LsmHistory | None = None) -> Timeline:
    answer = json.dumps({"operationType": "LOG_COMPACT"}).encode()
    storage = Memory({f"t/{name}": answer if name == log_compaction else b"" for name in names})
    found = timeline_in(storage, "t", layout)
    return Timeline(storage, "t", layout, found.instants, history=history)


def times(found: CommitRange) -> list[str]:
    return [item.requested_time for item in found.instants]


OVERTAKEN = timeline("10_50.deltacommit", "20_30.deltacommit", "40_45.commit", "60.deltacommit.inflight")


def test_commits_are_placed_by_their_completion() -> None:
    """QUERY-6."""
    found = between(OVERTAKEN, config(), "30", "50")
    assert times(found) == ["40", "10"]
    assert found.commits is not None
    assert [time in found.commits for time in ("10", "20", "40", "60")] == [True, False, True, False]
    assert [item.requested_time for item in found.timeline.commits] == ["10", "20", "40"]


def test_the_end_cuts_by_completion() -> None:
    found = between(OVERTAKEN, config(), None, "45")
    assert [item.requested_time for item in found.timeline.commits] == ["20", "40"]
    assert not found.timeline.is_committed("10")
    assert found.commits is None


def test_layout_1_has_requested_times_only() -> None:
    """QUERY-6."""
    found = between(timeline("10.commit", "20.commit", "30.commit", layout=1), config(), "10", "20")
    assert times(found) == ["20"]


GAP = timeline("10.commit", "20.commit.requested", "20.inflight", "30.commit", layout=1)


@pytest.mark.parametrize(
    ("since", "until"), [(None, None), ("earliest", "30"), ("10", None), ("10", "25"), ("30", None)]
)
def test_a_range_that_goes_beyond_a_pending_write_of_layout_1_is_refused(since: str | None, until: str | None) -> None:
    """QUERY-1432: a reader that goes on from 30 would never see the rows of 20."""
    with pytest.raises(ConflictError, match=r"until 10\), found commit 20, which is pending; try again"):
        between(GAP, config(), since, until)


def test_a_range_before_the_pending_write_is_whole() -> None:
    """QUERY-1432."""
    assert find_end(GAP) == "10"
    assert times(between(GAP, config(), "earliest", find_end(GAP))) == ["10"]


@pytest.mark.parametrize(
    ("pending", "layout"),
    [("20.compaction.requested", 1), ("40.commit.requested", 1), ("20.deltacommit.inflight", 2)],
)
def test_other_pending_actions_hold_up_no_range(pending: str, layout: int) -> None:
    """QUERY-1432: a compaction changes no row, a later write has a later time, and in layout 2 it completes later."""
    known = (
        timeline("10_11.commit", "30_31.commit", pending)
        if layout > 1
        else timeline("10.commit", "30.commit", pending, layout=1)
    )
    assert times(between(known, config(), None, None)) == ["10", "30"]
    assert find_end(known) == ("31" if layout > 1 else "30")


def test_the_end_of_all_ranges_is_that_of_the_write_that_completed_last() -> None:
    assert find_end(OVERTAKEN) == "50"
    assert find_end(timeline("20.commit.requested", "30.commit", layout=1)) is None


@pytest.mark.parametrize("since", [None, "earliest", " EARLIEST ", "0", "000"])
def test_from_the_beginning_every_row_is_returned(since: str | None) -> None:
    found = between(OVERTAKEN, config(), since, None)
    assert (found.commits, times(found)) == (None, ["20", "40", "10"])


def test_rows_of_unknown_commits_are_ordered_by_their_requested_time() -> None:
    """QUERY-9."""
    found = between(OVERTAKEN, config(), "05", None)
    assert found.commits is not None
    assert [time in found.commits for time in ("04", "05", "06", "09", "20", "25")] == [False] * 2 + [True] * 3 + [
        False
    ]


def test_a_beginning_before_the_active_timeline_asks_the_history() -> None:
    """QUERY-9."""
    rows = [
        {"instantTime": "01", "completionTime": "02", "action": "commit"},
        {"instantTime": "03", "completionTime": "08", "action": "deltacommit"},
        {"instantTime": "06", "completionTime": "07", "action": "clean"},
    ]
    reader = StandIn()
    history = LsmHistory(Memory(lsm_files("h", 1, {"01_06_0.parquet": rows})), "h", reader, reader)
    active = timeline("10_11.commit", "12_13.commit", history=history)
    found = between(active, config(), "05", None)
    assert times(found) == ["03", "10", "12"]
    assert {columns for _, columns in reader.reads} == {("instantTime", "completionTime", "action")}
    assert found.timeline.commits == active.commits


def test_a_long_running_write_is_found_in_the_history() -> None:
    rows = [
        {"instantTime": "01", "completionTime": "02", "action": "commit"},
        {"instantTime": "03", "completionTime": "15", "action": "deltacommit"},
    ]
    reader = StandIn()
    history = LsmHistory(Memory(lsm_files("h", 1, {"01_03_0.parquet": rows})), "h", reader, reader)
    active = timeline("10_11.commit", "12_13.commit", "16_17.commit", history=history)
    assert [times(between(active, config(), since, None)) for since in ("11", "13", "15")] == [
        ["12", "03", "16"],
        ["03", "16"],
        ["16"],
    ]
    found = between(active, config(), "13", "16")
    assert times(found) == ["03"]
    assert found.commits is not None
    assert [time in found.commits for time in ("01", "03", "12", "16")] == [False, True, False, False]
    assert found.timeline.is_committed("03")


def test_log_compaction_changes_no_row() -> None:
    """QUERY-7."""
    made = timeline("10_11.deltacommit", "20_21.deltacommit", "30_31.deltacommit", log_compaction="20_21.deltacommit")
    found = between(made, config(), "10", None)
    assert times(found) == ["10", "30"]
    assert not found.timeline.is_committed("20")
    assert times(between(made, config(**{"hoodie.table.type": "COPY_ON_WRITE"}), "10", None)) == ["10", "20", "30"]


@pytest.mark.parametrize(("since", "until"), [("yesterday", None), ("", None), (None, "x"), ("20", "10")])
def test_strings_that_are_no_range_are_refused(since: str | None, until: str | None) -> None:
    with pytest.raises(UsageError):
        between(OVERTAKEN, config(), since, until)


def test_rows_without_commit_times_have_no_incremental_query() -> None:
    """QUERY-7."""
    with pytest.raises(UnsupportedError, match="virtual keys"):
        between(OVERTAKEN, config(**{"hoodie.populate.meta.fields": "false"}), "10", None)


def test_a_begin_to_the_second_has_all_writes_of_the_second() -> None:
    """QUERY-1298."""
    whole, first, later = "20260101000001", "20260101000002100", "20260101000002900"
    names = [f"{time}.commit" for time in (whole, first, later)]
    every = timeline(*names, layout=1)
    for begin in ("20260101000002", "2026-01-01 00:00:02"):
        assert times(between(every, config(), begin, None)) == [first, later]
    assert times(between(every, config(), whole, None)) == [first, later]
    assert times(between(every, config(), "20260101000000", None)) == [whole, first, later]
    assert times(between(every, config(), first, None)) == [later]


TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])


@pytest.mark.each_value
@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("kept", [{"keep_commits": 1}, {"keep_versions": 1}])
def test_a_range_of_rows_needs_the_files_of_its_own_commits(
    tmp_path: Path, kind: str, version: int, kept: dict[str, int]
) -> None:
    """QUERY-1655: it is answered as before the clean, or refused."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type=kind, version=version)
    for number, (key, partition) in enumerate(["ax", "by", "ax", "cz", "by", "dw"]):
        table.refresh().upsert([{"id": key, "p": partition, "n": number}])
        if kind == "mor" and number in (2, 4):
            table.refresh().compact()
    table = table.refresh()
    table.overwrite_partitions([{"id": "q", "p": "w", "n": 9}])
    table = table.refresh()
    ends = sorted(one.completion_time or one.requested_time for one in table.timeline.commits)
    wanted = {piece: rows_between(table, *piece) for piece in combinations(["earliest", *ends], 2)}
    assert table.clean(**kept).files
    cleaned = table.refresh()
    answers = {}
    for piece in wanted:
        try:
            answers[piece] = rows_between(cleaned, *piece)
        except UsageError as error:
            assert "cleaned away" in str(error)
            if piece[0] != "earliest" and "until" in str(error):
                assert "a later end of the range, or none: rows that changed come in their latest state" in str(error)
    assert answers == {piece: rows for piece, rows in wanted.items() if piece in answers}
    assert len(answers) < len(wanted)
    as_of = [end for end in ends if is_refused(cleaned, end)]
    assert any(since != "earliest" and until in as_of and rows for (since, until), rows in answers.items())


def rows_between(table: Table, since: str, until: str) -> list[tuple[object, ...]]:
    return sorted(tuple(row.values()) for row in table.scan(since=since, until=until, meta=False).to_json_rows())


def is_refused(table: Table, end: str) -> bool:
    try:
        table.scan(until=end)
    except UsageError:
        return True
    return False
