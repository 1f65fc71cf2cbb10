"""All versions of file groups."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.engine import FileInfo
from hudi_core.services.cleaning.versions import NEVER, group_versions
from hudi_core.timeline.files import FileList, files_in
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import StandIn, lsm_files
from tests.support.memory import Memory


def timeline(*names: str, layout: int = 2) -> Timeline:
    return timeline_in(Memory({f"t/{name}": b"" for name in names}), "t", layout)


def files(*names: str) -> FileList:
    return files_in({"p": [FileInfo(f"p/{name}", 1) for name in names]})


def versions(listed: FileList, whole: Timeline) -> list[tuple[str, str, list[str]]]:
    (group,) = group_versions(listed, whole)
    return [(one.instant, one.completed, [listed.name(row) for row in one.rows]) for one in group.versions]


def test_a_log_file_belongs_to_the_last_slice_that_began_before_it_completed() -> None:
    """CLEAN-386."""
    names = ("f_0-1-2_10.parquet", ".f_20.log.1_0-1-2", "f_0-1-2_25.parquet", ".f_30.log.1_0-1-2", ".f_40.log.1_0-1-2")
    whole = timeline(
        "10_11.commit", "20_29.deltacommit", "25_26.commit", "30_31.deltacommit", "40.deltacommit.inflight"
    )
    assert versions(files(*names), whole) == [
        ("10", "11", [names[0]]),
        ("25", "26", [names[2], names[1], names[3]]),
    ]
    early = timeline("10_11.commit", "20_24.deltacommit", "25_26.commit", "30_31.deltacommit")
    assert versions(files(*names), early)[0] == ("10", "11", [names[0], names[1]])


def test_logs_before_the_first_base_file_are_a_version_of_their_own() -> None:
    """CLEAN-386."""
    names = (".f_10.log.1_0-1-2", ".f_20.log.1_0-1-2", "f_0-1-2_30.parquet")
    whole = timeline("10_11.deltacommit", "20_21.deltacommit", "30_31.commit")
    assert versions(files(*names), whole) == [("10", "11", [names[0], names[1]]), ("30", "31", [names[2]])]


def test_logs_of_changes_belong_to_a_version_and_make_none() -> None:
    """CLEAN-386."""
    names = ("f_0-1-2_10.parquet", ".f_10.log.1_0-1-2.cdc", ".f_05.log.1_0-1-2.cdc")
    for whole in (timeline("10_11.commit", "05_06.commit"), timeline("10.commit", "05.commit", layout=1)):
        assert [one[2] for one in versions(files(*names), whole)] == [[names[0], names[1]]]


def test_in_layout_1_a_log_names_its_slice_which_may_wait() -> None:
    """CLEAN-387."""
    names = ("f_0-1-2_10.parquet", ".f_10.log.1_0-1-2", ".f_20.log.1_0-1-2", ".f_15.log.1_0-1-2")
    whole = timeline("10.commit", "20.compaction.requested", layout=1)
    assert versions(files(*names), whole) == [("10", "10", [names[0], names[1]]), ("20", NEVER, [names[2]])]


def test_in_layout_1_a_log_that_was_named_in_layout_2_belongs_to_the_version_before() -> None:
    """CLEAN-387, TIME-1386: a clean that kept the second log file alone would take the rows of the state that it retains."""
    names = ("f_0-1-2_10.parquet", ".f_20.log.1_0-1-2", ".f_30.log.1_0-1-2", "f_0-1-2_40.parquet")
    whole = timeline("10.commit", "20.deltacommit", "30.deltacommit", "40.commit", layout=1)
    assert versions(files(*names), whole) == [("10", "10", [*names[:3]]), ("40", "40", [names[3]])]
    assert versions(files(*names[1:]), whole) == [("20", "20", [*names[1:3]]), ("40", "40", [names[3]])]


def test_other_partitions_and_files_are_left_out() -> None:
    listed = files_in({"p": [FileInfo("p/f_0-1-2_10.parquet", 1)], "q": [FileInfo("q/x.txt", 1)]})
    whole = timeline("10_11.commit")
    assert [group.partition for group in group_versions(listed, whole)] == ["p"]
    assert list(group_versions(listed, whole, {"q"})) == []
    assert list(group_versions(listed, timeline("10.inflight"))) == []


def test_an_archived_write_completed_when_the_history_says() -> None:
    """CLEAN-386."""
    storage = Memory({"t/40_41.commit": b""})
    rows = [
        {"instantTime": time, "completionTime": completed, "action": action, "metadata": None}
        for time, completed, action in (("10", "11", "commit"), ("20", "29", "deltacommit"), ("25", "26", "commit"))
    ]
    storage.files |= lsm_files("h", 1, {"10_25_0.parquet": rows})
    stand_in = StandIn()
    whole = replace(timeline_in(storage, "t", 2), history=LsmHistory(storage, "h", stand_in, stand_in))  # type: ignore[arg-type]
    names = ("f_0-1-2_10.parquet", ".f_20.log.1_0-1-2", "f_0-1-2_25.parquet")
    assert versions(files(*names), whole) == [("10", "11", [names[0]]), ("25", "26", [names[2], names[1]])]
    assert len(stand_in.reads) == 1
