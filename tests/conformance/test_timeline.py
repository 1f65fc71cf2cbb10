"""The history of recorded tables, their savepoints, and what is pending, against what Apache Hudi says."""

from __future__ import annotations

from functools import cache

from hudi_core.front.opening import open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from hudi_core.timeline.instants import COMPACTION, Instant
from hudi_core.timeline.services import clean, latest_clean, list_rolled_back, pending_work, savepoint, savepoints
from tests.support.conformance import TableEntry, each_table, each_table_where


@cache
def opened(entry: TableEntry) -> Table:
    return open_table(str(entry.unpacked()), metadata=MetadataMode.OFF)


def archived(entry: TableEntry) -> set[tuple[str, str | None, str]]:
    """Requested time, completion time and action of each archived instant, as recorded."""
    extra = entry.expected.get("extra", {})
    lsm = {(item["instant"], item["completion"], item["action"]) for item in extra.get("archived_instants", ())}
    log = {
        (item["commitTime"], None, item["actionType"])
        for item in extra.get("archived_entries", ())
        if item["actionState"] == "COMPLETED"
    }
    return lsm | log


def pending_plans(entry: TableEntry) -> set[str]:
    """The files of recorded plans whose work is not completed."""
    timeline = entry.expected["timeline"]
    done = {item["requested_time"] for item in timeline if item["state"] == "completed"}
    begun = {item["requested_time"] for item in timeline} - done
    plans = entry.expected.get("extra", {}).get("plans", ())
    return {item["file"] for item in plans if item["file"].partition(".")[0] in begun}


@each_table()
def test_archived_instants_are_as_recorded(entry: TableEntry) -> None:
    timeline = opened(entry).timeline
    whole = timeline.with_archived()
    found = {(i.requested_time, i.completion_time, i.completes_as) for i in whole.instants if i.archived}
    assert found == archived(entry)
    assert len(whole.instants) == len(timeline.instants) + len(found)
    for instant in whole.commits:
        assert whole.metadata(instant).stats or whole.metadata(instant).operation


@each_table_where(lambda entry: any(item[2].endswith("commit") for item in archived(entry)), "archived writes")
def test_completion_times_of_archived_writes_are_known(entry: TableEntry) -> None:
    timeline = opened(entry).timeline
    for requested, completed, action in archived(entry):
        if action.endswith("commit"):
            assert timeline.is_archived(requested)
            assert timeline.completion_time(requested) == (completed or requested)


@each_table()
def test_records_of_services_can_be_read(entry: TableEntry) -> None:
    timeline = opened(entry).timeline.with_archived()
    for instant in timeline.completed:
        match instant.action:
            case "clean":
                assert clean(timeline, instant).earliest_retained or clean(timeline, instant).partitions
            case "savepoint":
                assert savepoint(timeline, instant).partitions
            case "rollback" | "restore":
                assert not {i.requested_time for i in timeline.commits} & set(list_rolled_back(timeline, instant))
    answer = {
        i["requested_time"]
        for i in entry.expected["timeline"]
        if (i["action"], i["state"]) == ("savepoint", "completed")
    }
    assert set(savepoints(timeline)) == answer
    assert (latest_clean(timeline) is None) == (not any(i.action == "clean" for i in timeline.completed))


@each_table_where(lambda entry: pending_plans(entry), "recorded plans that are pending")
def test_plans_that_are_pending_name_their_file_groups(entry: TableEntry) -> None:
    timeline = opened(entry).timeline
    recorded = {item["file"]: item["plan"] for item in entry.expected.get("extra", {}).get("plans", ())}
    for work in pending_work(timeline):
        plan = recorded.get(requested_file(work.instant))
        if plan is None:
            continue
        if work.instant.action == COMPACTION:
            slices = plan["operations"]
        else:
            slices = [item for group in plan["clusteringPlan"]["inputGroups"] for item in group["slices"]]
        assert set(work.file_groups) == {(item["partitionPath"], item["fileId"]) for item in slices}


def requested_file(instant: Instant) -> str:
    return f"{instant.requested_time}.{instant.action}.requested"
