"""Times whose files were cleaned away, and those that are yet to come."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from hudi_core.commit.times import system_clock
from hudi_core.errors import ConditionWarning, UsageError
from hudi_core.front.opening import create_table
from hudi_core.services.cleaning.plan import CleanPlan, encode_plan
from hudi_core.snapshot.time_travel import find_ahead, refuse_cleaned, refuse_unknown
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.services import RetainedInstant
from hudi_core.timeline.slices import FileSlice
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import StandIn, clean_file, lsm_files
from tests.support.commands import ran
from tests.support.memory import Memory

COMMITS = {f"{time}_{time}5.commit": b"" for time in ("10", "20", "30")}


def timeline(**cleans: bytes) -> Timeline:
    """Three commits, and cleans by requested time."""
    files = COMMITS | {f"{name[1:]}_{name[1:]}5.clean": content for name, content in cleans.items()}
    return timeline_in(Memory({f"t/{name}": content for name, content in files.items()}), "t", 2)


def slices(*there: tuple[str, str]) -> Sequence[FileSlice]:
    return [FileSlice("p", file_id, instant, None) for file_id, instant in there]


def requested(whole: Timeline, time: str, there: Sequence[FileSlice] = ()) -> None:
    refuse_cleaned(time, time, whole, whole.as_of(time), lambda: there)


def test_times_from_the_earliest_retained_commit_on_are_answered() -> None:
    """QUERY-3."""
    whole = timeline(c40=clean_file(retained="20"))
    requested(whole, "20")
    requested(whole, "30")
    with pytest.raises(UsageError, match="from 20 on"):
        requested(whole, "10")


def test_the_last_clean_counts_also_one_after_the_time() -> None:
    whole = timeline(c25=clean_file(retained="10"), c40=clean_file(retained="30"))
    with pytest.raises(UsageError, match="from 30 on"):
        requested(whole, "20")


def test_a_clean_by_versions_before_one_by_commits_counts_too() -> None:
    """QUERY-3."""
    whole = timeline(c40=BY_VERSIONS, c50=clean_file(retained="10"))
    with pytest.raises(UsageError, match="one whose file in p/f of 10 was cleaned away"):
        requested(whole, "10")
    requested(whole, "20", slices(("f", "20")))


def test_a_clean_that_is_not_completed_counts_by_its_plan() -> None:
    """QUERY-380."""
    storage = Memory({f"t/{name}": content for name, content in COMMITS.items()})
    retained = RetainedInstant(timestamp="20", action="commit", state="COMPLETED")
    by_time = encode_plan(CleanPlan("KEEP_LATEST_COMMITS", retained, "30", {"p": ()}), storage)
    by_versions = encode_plan(
        CleanPlan("KEEP_LATEST_FILE_VERSIONS", None, "30", {"p": ("f_0-1-2_10.parquet",)}), storage
    )
    for plan, error in ((by_time, "from 20 on"), (by_versions, "one whose file in p/f of 10 was cleaned away")):
        for done in ("40.clean.inflight", "40_41.clean"):
            files = {**storage.files, "t/40.clean.requested": plan, f"t/{done}": b""}
            whole = timeline_in(Memory(files), "t", 2)
            with pytest.raises(UsageError, match=error):
                requested(whole, "10")
            requested(whole, "20", slices(("f", "20")))


def test_an_archived_clean_counts_for_archived_times() -> None:
    """QUERY-380."""
    rows = [
        {"instantTime": time, "completionTime": f"{time}5", "action": "commit", "metadata": None}
        for time in ("10", "20")
    ]
    content = {"base64": base64.b64encode(BY_VERSIONS).decode()}
    rows.append({"instantTime": "25", "completionTime": "255", "action": "clean", "metadata": content})
    stand_in, storage = StandIn(), Memory({"t/30_305.commit": b""})
    storage.files |= lsm_files("h", 1, {"10_25_0.parquet": rows})
    history = LsmHistory(storage, "h", stand_in, stand_in)  # type: ignore[arg-type]
    whole = replace(timeline_in(storage, "t", 2), history=history)
    with pytest.raises(UsageError, match="one whose file in p/f of 10 was cleaned away"):
        requested(whole, "10")
    requested(whole, "20", slices(("f", "20")))


@pytest.mark.does_not_raise("the time is answered")
def test_without_cleans_no_files_are_checked() -> None:
    refuse_cleaned("10", "10", timeline(), timeline().as_of("10"), lambda: pytest.fail("files were listed"))


BY_VERSIONS = clean_file(retained=None, p=["f_0-1-2_10.parquet"])


def test_a_clean_by_versions_refuses_times_at_which_a_file_it_took_was_current() -> None:
    """QUERY-3."""
    whole = timeline(c40=BY_VERSIONS)
    with pytest.raises(UsageError, match="one whose file in p/f of 10 was cleaned away"):
        requested(whole, "10")
    requested(whole, "20", slices(("f", "20")))


@pytest.mark.does_not_raise("the time is answered")
def test_a_file_of_a_write_that_did_not_count_yet_is_not_missed() -> None:
    requested(timeline(c40=clean_file(retained=None, p=["f_0-1-2_20.parquet"])), "10", slices(("f", "05")))


@pytest.mark.does_not_raise("the time is answered")
def test_a_clean_before_the_time_took_nothing_that_was_current() -> None:
    requested(timeline(c15=BY_VERSIONS), "20")


def test_a_log_file_that_was_taken_is_missed_too() -> None:
    whole = timeline(c40=clean_file(retained=None, p=[".f_20.log.1_0-1-2", ".f_20.log.1_0-1-2.cdc"]))
    with pytest.raises(UsageError, match="p/f of 20"):
        requested(whole, "20", slices(("f", "10")))


def test_a_time_before_the_first_commit_is_refused_with_the_first_one() -> None:
    """QUERY-2."""
    whole = timeline()
    with pytest.raises(UsageError, match="from 10 on"):
        refuse_unknown("05", whole, whole.as_of("05"))
    refuse_unknown("10", whole, whole.as_of("10"))


ZONES = [UTC, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    ("days", "last_days", "is_ahead"),
    [(-400, -1, False), (0, -1, False), (0.9, -1, False), (2, 1, True), (400, 399.9, True), (2, 300, False)],
)
def test_a_time_that_is_yet_to_come_is_found(days: float, last_days: float, is_ahead: bool, zone: tzinfo) -> None:
    """QUERY-1524: clocks and zones may differ by a day, and those of writers be ahead."""
    now = system_clock().astimezone(zone)
    time, last = (f"{now + timedelta(days=ahead):%Y%m%d%H%M%S}" for ahead in (days, last_days))
    files = {f"t/20240402144910683_{last}123.commit": b""}
    whole = replace(timeline_in(Memory(files), "t", 2), zone=zone)
    assert find_ahead(whole, whole.as_of(time)) == (time if is_ahead else None)
    for there in (None, last, f"{last}123", f"{last[:4]}-{last[4:6]}-{last[6:8]}", last[:4]):
        assert find_ahead(whole, whole.as_of(there)) is None


def test_a_range_that_is_yet_to_begin_warns(tmp_path: Path) -> None:
    """QUERY-1632: in Python and on the command line, rows and changes."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.string())]), "id")
    table.append(pa.table({"id": ["a"]}))
    table = table.refresh()
    for read in (table.scan, table.changes):
        with pytest.warns(
            ConditionWarning, match="^since 29990101000000000, which is yet to come, no row changed$"
        ) as warnings:
            assert read(since="2999-01-01").count() == 0
        assert [warning.filename for warning in warnings] == [__file__]
        assert read(since="2020-01-01").count() == 1
    for options in ([], ["--cdc"]):
        done = ran("read", tmp_path / "t", "--since", "2999-01-01", *options)
        assert done.err.splitlines() == ["warning: since 29990101000000000, which is yet to come, no row changed"]


@pytest.mark.parametrize("rows", [0, 1])
def test_a_read_as_of_a_time_that_is_yet_to_come_warns(tmp_path: Path, rows: int) -> None:
    """QUERY-1524: in Python and on the command line, which still answer with the latest rows."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.string())]), "id")
    if rows:
        table.append(pa.table({"id": ["a"]}))
    table = table.refresh()
    for time in ("99991231", "2999-01-01", datetime(2999, 1, 1, tzinfo=UTC), 9_999_999_999_999):
        with pytest.warns(ConditionWarning, match="^as of [0-9]+, which is yet to come, the rows are the latest ones$"):
            assert table.count(as_of=time) == rows
        with pytest.warns(ConditionWarning, match="which is yet to come") as warnings:
            assert table.scan(as_of=time).to_arrow().num_rows == rows
        assert [warning.filename for warning in warnings] == [__file__]
    for command in ("read", "count", "files"):
        done = ran(command, tmp_path / "t", "--as-of", "2999-01-01")
        lines = done.err.splitlines()
        assert lines == ["warning: as of 29990101000000000, which is yet to come, the rows are the latest ones"], (
            command
        )
