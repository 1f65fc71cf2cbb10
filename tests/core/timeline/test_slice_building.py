"""Files and timeline to latest file slices.

Also covers: `timeline/files.py`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.engine import FileInfo
from hudi_core.front.opening import create_table
from hudi_core.timeline.files import files_in
from hudi_core.timeline.slice_building import Visibility, latest_slices, visibility
from tests.support.conformance import TableEntry, each_table, visible_slice, visible_slices
from tests.support.tables import opened


def seen(
    layout: int,
    completed: dict[str, str],
    pending: set[str] | None = None,
    replaced: set[tuple[str, str]] | None = None,
) -> Visibility:
    """Requested times with their completion times."""
    return Visibility(
        layout, completed.__contains__, lambda time: completed.get(time, time), pending or set(), replaced or set()
    )


def base(instant: str, file_id: str = "f-0") -> str:
    return f"{file_id}_0-1-2_{instant}.parquet"


def log(instant: str, version: int = 1, file_id: str = "f-0", suffix: str = "") -> str:
    return f".{file_id}_{instant}.log.{version}_0-1-2{suffix}"


def slice_of(names: list[str], visible: Visibility) -> tuple[str, str | None, list[str]] | None:
    found = latest_slices(files_in({"p": [FileInfo(f"p/{name}", 1) for name in names]}), visible)
    if not found:
        return None
    (only,) = found
    return only.instant, only.base.name if only.base else None, [file.name for file in only.logs]


def test_newest_completed_base_file_counts() -> None:
    assert slice_of([base("1"), base("2"), base("3")], seen(2, {"1": "1", "2": "2"})) == ("2", base("2"), [])


def test_of_files_that_one_instant_wrote_twice_the_last_counts() -> None:
    """A task that was tried again leaves the file of its first attempt, under another token."""
    names = ["f-0_0-1-2_1.parquet", "f-0_0-9-2_1.parquet"]
    assert slice_of(names, seen(2, {"1": "1"})) == ("1", names[1], [])


@pytest.mark.parametrize("recorded", [0, 1])
def test_of_files_that_one_instant_wrote_twice_the_recorded_one_counts(recorded: int) -> None:
    """TIME-1429."""
    names = ["f-0_0-1-2_1.parquet", "f-0_0-9-2_1.parquet"]
    visible = replace(seen(2, {"1": "1", "2": "2"}), recorded=lambda instant: {f"p/{names[recorded]}"} - {instant})
    assert slice_of([*names, log("2")], visible) == ("1", names[recorded], [log("2")])


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("token", ["0-99-7", "0-0-0-1"])
def test_a_file_of_a_run_that_was_given_up_is_not_read(tmp_path: Path, version: int, token: str) -> None:
    """TIME-1429: its rows are not those of the commit."""
    table = create_table(tmp_path / "t", pa.schema([("id", pa.int64()), ("v", pa.int64())]), "id", version=version)
    table.insert(pa.table({"id": [1, 2], "v": [1, 1]}))
    (file,) = (path for path in (tmp_path / "t").glob("*.parquet"))
    file_id, _, instant = file.stem.split("_")
    pq.write_table(pq.read_table(file).slice(0, 1), file.with_name(f"{file_id}_{token}_{instant}.parquet"))
    table = table.refresh()
    assert table.to_arrow(columns=["id"])["id"].to_pylist() == [1, 2]
    table.upsert(pa.table({"id": [1], "v": [2]}))
    assert table.refresh().to_arrow(columns=["v"])["v"].to_pylist() == [2, 1]


def test_files_of_no_completed_instant_are_invisible() -> None:
    """TIME-6, QUERY-4."""
    assert slice_of([base("1"), log("2")], seen(2, {})) is None


def test_other_files_are_passed_over() -> None:
    assert slice_of([".hoodie_partition_metadata", "x.parquet.crc", base("1")], seen(2, {"1": "1"})) == (
        "1",
        base("1"),
        [],
    )


def test_a_replaced_file_group_is_left_out_in_its_partition_only() -> None:
    """TIME-9."""
    files = {"p": [FileInfo(f"p/{base('1')}", 1)], "q": [FileInfo(f"q/{base('1')}", 1)]}
    found = latest_slices(files_in(files), seen(2, {"1": "1"}, replaced={("p", "f-0")}))
    assert [item.partition for item in found] == ["q"]


@pytest.mark.parametrize("layout", [1, 2])
def test_files_of_a_replaced_group_are_left_out_up_to_the_replacing_instant(layout: int) -> None:
    """As of an archived replace commit: files of its own time and before it went, younger ones are the group's new life."""
    replaced = {("p", "f-0"): "2"}
    completed = {time: time for time in ("1", "2", "3")}
    visible = Visibility(layout, completed.__contains__, completed.__getitem__, replaced_before=lambda _: replaced)
    assert slice_of([base("1"), base("2")], visible) is None
    assert slice_of([base("1"), base("3")], visible) == ("3", base("3"), [])
    assert slice_of([base("2"), base("2", "g-0")], visible) == ("2", base("2", "g-0"), [])


def test_layout_2_log_belongs_to_the_slice_that_was_there_when_it_completed() -> None:
    """TIME-12."""
    visible = seen(2, {"10": "11", "20": "45", "30": "40"})
    assert slice_of([base("10"), log("20"), base("30")], visible) == ("30", base("30"), [log("20")])
    assert slice_of([base("10"), log("20"), base("30")], seen(2, {"10": "11", "20": "25", "30": "40"})) == (
        "30",
        base("30"),
        [],
    )


def test_layout_2_log_without_base_opens_a_slice() -> None:
    visible = seen(2, {"10": "11", "20": "21"})
    assert slice_of([log("20"), log("10")], visible) == ("10", None, [log("10"), log("20")])


@pytest.mark.parametrize("first", ["1", "2"])
def test_a_slice_without_a_base_file_is_opened_by_the_first_completed_log(first: str) -> None:
    """TIME-710: whatever pending ones come before it."""
    names = [log("1"), log("2"), log("3"), log("4")]
    completed = {time: time for time in "1234" if time >= first and time != "3"}
    assert slice_of(names, seen(2, completed)) == (first, None, [log(time) for time in sorted(completed)])


def test_layout_1_log_names_its_slice() -> None:
    """TIME-12."""
    visible = seen(1, {"10": "10", "20": "20"})
    assert slice_of([base("10"), log("10"), base("20"), log("20", 2), log("20", 1)], visible) == (
        "20",
        base("20"),
        [log("20", 1), log("20", 2)],
    )


def test_layout_1_log_that_was_named_in_layout_2_belongs_to_the_slice_before() -> None:
    """TIME-1386: after a downgrade, at each time before its compaction and behind it."""
    files = [base("10"), log("10"), base("20"), log("30"), log("40"), base("50")]
    times = ["10", "20", "30", "40", "50"]
    expected = [
        ("10", base("10"), [log("10")]),
        ("20", base("20"), []),
        ("20", base("20"), [log("30")]),
        ("20", base("20"), [log("30"), log("40")]),
        ("50", base("50"), []),
    ]
    for count, found in enumerate(expected, 1):
        assert slice_of(files, seen(1, {time: time for time in times[:count]})) == found


def test_layout_1_logs_of_a_group_without_a_base_file_are_one_slice() -> None:
    """TIME-1386."""
    files = [log("10"), log("10", 2), log("20"), base("30"), log("30")]
    assert slice_of(files, seen(1, {"10": "10", "20": "20"})) == ("10", None, [log("10"), log("10", 2), log("20")])
    assert slice_of(files, seen(1, {"10": "10", "20": "20", "30": "30"})) == ("30", base("30"), [log("30")])


@pytest.mark.parametrize("layout", [1, 2])
def test_slice_that_waits_for_its_compaction_is_read_with_the_one_before(layout: int) -> None:
    """TIME-13."""
    visible = seen(layout, {"10": "11", "12": "13", "30": "31"}, pending={"20"})
    logs = [log("10"), log("20")] if layout == 1 else [log("12"), log("30")]
    assert slice_of([base("10"), *logs], visible) == ("10", base("10"), logs)


def test_layout_1_log_of_a_base_file_that_failed_is_invisible() -> None:
    assert slice_of([base("10"), base("20"), log("20")], seen(1, {"10": "10"})) == ("10", base("10"), [])


def test_logs_of_changes_are_no_part_of_a_slice() -> None:
    """TIME-14."""
    assert slice_of([base("1"), log("1", suffix=".cdc")], seen(2, {"1": "1"})) == ("1", base("1"), [])


def test_versions_of_a_log_are_ordered_as_numbers() -> None:
    """TIME-13."""
    names = [log("1", 2), log("1", 10), log("1", 1)]
    assert slice_of(names, seen(1, {"1": "1"})) == ("1", None, [log("1", 1), log("1", 2), log("1", 10)])


@each_table()
def test_latest_slices_of_every_table_are_as_recorded(entry: TableEntry) -> None:
    storage, _, timeline = opened(entry.unpacked())
    files: dict[str, list[FileInfo]] = {}
    for info in storage.list("", recursive=True):
        if not info.path.startswith(".hoodie/"):
            files.setdefault(info.path.rpartition("/")[0], []).append(info)
    latest = map(visible_slice, latest_slices(files_in(files), visibility(timeline)))
    assert sorted(latest, key=str) == sorted(visible_slices(entry.expected), key=str)
