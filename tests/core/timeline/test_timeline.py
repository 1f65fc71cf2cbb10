"""The active timeline: what counts, as of when, and what is read of it."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hudi_core.errors import CorruptFileError, StorageError, UsageError
from hudi_core.formats.random_access import RandomAccess
from hudi_core.timeline.instants import WRITES, InstantState
from hudi_core.timeline.timeline import Timeline, timeline_in
from hudi_plain.storage import PlainStorage
from tests.core.timeline.test_services import avro
from tests.support.conformance import ROOT, TableEntry, each_table
from tests.support.memory import Memory
from tests.support.tables import opened, written


def commit(**document: object) -> bytes:
    return json.dumps(document).encode()


def timeline(layout: int = 2, **files: bytes) -> tuple[Timeline, Memory]:
    """A timeline of files named by keyword: `i10_11__commit` is `10_11.commit`."""
    names = {name[1:].replace("__", "."): content for name, content in files.items()}
    storage = Memory({f"t/{name}": content for name, content in names.items()})
    return timeline_in(storage, "t", layout), storage


def times(found: Timeline) -> list[str]:
    return [instant.requested_time for instant in found.commits]


def test_loading_reads_no_file() -> None:
    found, storage = timeline(i10_11__commit=b"", i12_13__commit=b"")
    assert (times(found), storage.reads) == (["10", "12"], [])


def test_content_is_read_once_also_through_views_of_other_times() -> None:
    found, storage = timeline(i10_11__commit=commit(operationType="INSERT"))
    for view in (found, found.as_of("10"), found):
        assert view.metadata(view.commits[0]).operation == "INSERT"
    assert storage.reads == ["t/10_11.commit"]


def later(earlier: Timeline, storage: Memory, *gone: str, **files: bytes) -> Timeline:
    for name in gone:
        del storage.files[f"t/{name}"]
    storage.files |= {f"t/{name[1:].replace('__', '.')}": content for name, content in files.items()}
    return timeline_in(storage, "t", 2).with_contents_of(earlier)


def test_later_timelines_of_one_table_read_each_commit_once() -> None:
    """As those of a program do that writes again and again to the table that it opened first."""
    first, storage = timeline(i10_11__commit=commit(operationType="INSERT"))
    for number in range(12, 20, 2):
        found = later(first, storage, **{f"i{number}_{number + 1}__commit": commit(extraMetadata={"schema": "{}"})})
        assert [len(extra) for extra in found.extras()] == [0, *[1] * ((number - 10) // 2)]
    assert sorted(storage.reads) == [f"t/{number}_{number + 1}.commit" for number in range(10, 20, 2)]


def test_contents_of_what_was_archived_meanwhile_are_not_kept() -> None:
    first, storage = timeline(i10_11__commit=b"{}")
    second = later(first, storage, i12_13__commit=b"{}")
    second.extras()
    third = later(first, storage, "12_13.commit", i14_15__commit=b"{}")
    third.extras()
    storage.reads.clear()
    assert (len(first.extras()), len(third.extras()), storage.reads) == (1, 2, [])
    storage.files["t/12_13.commit"] = b"{}"
    assert (len(second.extras()), storage.reads) == (2, ["t/12_13.commit"])


def test_contents_of_pending_writes_are_not_shared() -> None:
    first, storage = timeline(i10__inflight=commit(operationType="INSERT"))
    (pending,) = first.pending
    assert first.metadata(pending).operation == "INSERT"
    second = later(first, storage, i10__inflight=commit(operationType="UPSERT"))
    assert (second.metadata(pending).operation, first.metadata(pending).operation) == ("UPSERT", "INSERT")


def test_size_of_a_listing_holds_for_files_of_completed_instants_alone() -> None:
    """A pending one is written while others read; of a completed one the size need not be asked for."""

    class Sized(Memory):
        def open(self, path: str, size: int | None = None) -> RandomAccess:
            sizes.append((path, size))
            return super().open(path, size)

    sizes: list[tuple[str, int | None]] = []
    storage = Sized({"t/10_11.clean": avro({"x": 1}, x="int"), "t/12.clean.inflight": b""})
    found = timeline_in(storage, "t", 2)
    length, storage.files["t/12.clean.inflight"] = len(storage.files["t/10_11.clean"]), avro({"x": 2}, x="int")
    assert [dict(found.record(instant)) for instant in found.instants] == [{"x": 1}, {"x": 2}]
    assert sizes == [("t/10_11.clean", length)]
    assert storage.reads == ["t/10_11.clean", "t/12.clean.inflight"]


def test_newest_first_reads_no_further_than_requested() -> None:
    found, storage = timeline(i10_11__commit=b"", i12_13__commit=b"", i14_15__deltacommit=b"")
    instant, _ = next(found.newest_first())
    assert (instant.requested_time, storage.reads) == ("14", ["t/14_15.deltacommit"])


def test_uncompleted_actions_are_pending() -> None:
    found, _ = timeline(
        i10_11__commit=b"", i12__inflight=b"", i13__compaction__requested=b"", i14__rollback__inflight=b""
    )
    assert times(found) == ["10"]
    assert [(i.requested_time, i.action, i.state) for i in found.pending] == [
        ("12", "commit", InstantState.INFLIGHT),
        ("13", "compaction", InstantState.REQUESTED),
        ("14", "rollback", InstantState.INFLIGHT),
    ]
    assert found.pending_compactions == {"13"}
    assert not found.is_committed("12")


def test_as_of_cuts_by_requested_time() -> None:
    """TABLE-4."""
    found, _ = timeline(i10_40__commit=b"", i20_30__commit=b"", i25__compaction__requested=b"")
    assert times(found.as_of("15")) == ["10"]
    assert times(found.as_of("20")) == ["10", "20"]
    assert found.as_of("15").pending_compactions == frozenset()
    assert times(found.as_of("15").as_of(None)) == ["10", "20"]
    with pytest.raises(UsageError):
        found.as_of("yesterday")


def test_excluded_writes_are_not_visible_also_where_they_are_archived() -> None:
    found, _ = timeline(i10_11__commit=b"", i12_13__deltacommit=b"", i14_15__commit=b"", i16__compaction__requested=b"")
    cut = replace(found, excluded_times=frozenset({"05", "12", "16"}))
    assert times(cut) == ["10", "14"]
    assert [cut.is_committed(time) for time in ("04", "05", "10", "12", "14")] == [True, False, True, False, True]
    assert found.pending_compactions == {"16"} and cut.pending_compactions == frozenset()


def test_instants_before_the_start_are_archived_and_count() -> None:
    """TIME-7."""
    found, _ = timeline(i20_21__commit=b"", i22__inflight=b"", i05_06__clean=b"")
    assert found.start == "20"
    assert found.is_committed("10")
    assert found.is_archived("10")
    assert not found.is_archived("20")
    assert not found.is_committed("21")
    assert not found.is_committed("22")
    assert not found.as_of("09").is_committed("10")


def test_failed_write_before_all_others_does_not_count_as_archived() -> None:
    """TIME-7."""
    found, _ = timeline(i10__inflight=b"", i20_21__commit=b"")
    assert not found.is_committed("10")
    assert found.is_committed("09")


def test_a_pending_rollback_before_all_writes_is_not_archived() -> None:
    found, _ = timeline(i10__rollback__inflight=b"", i20_21__commit=b"")
    assert found.start == "20"
    assert not found.is_committed("10")
    assert found.is_committed("11")


def test_savepointed_commit_left_alone_by_archiving_does_not_move_the_start() -> None:
    """TIME-7."""
    found, _ = timeline(i10_11__commit=b"", i10_12__savepoint=b"", i30_31__commit=b"")
    assert found.start == "30"
    assert found.is_committed("20")
    assert times(found) == ["10", "30"]


@pytest.mark.parametrize("late", ["i00000000000000000_40", "i00000000000000000"])
def test_the_first_commit_of_a_partition_that_is_added_late_does_not_move_the_start(late: str) -> None:
    """TIME-1476."""
    name = f"{late}__deltacommit" + ("" if late.endswith("_40") else "__inflight")
    archived, _ = timeline(**{name: b"", "i20_21__deltacommit": b"", "i30_31__deltacommit": b""})
    assert archived.start == "20"
    assert archived.is_committed("10") and archived.is_committed("00000000000000001")
    assert archived.is_committed("00000000000000000") == late.endswith("_40")


def test_first_commits_that_came_first_are_the_start() -> None:
    """TIME-1476."""
    firsts = {"i00000000000000000_11__deltacommit": b"", "i00000000000000001_12__deltacommit": b""}
    whole, _ = timeline(**firsts, i00000000000000002_40__deltacommit=b"", i20_21__deltacommit=b"")
    assert whole.start == "00000000000000000"
    assert not whole.is_committed("10") and not whole.is_committed("00000000000000003")
    assert timeline(**firsts)[0].start == "00000000000000000"


@pytest.mark.parametrize("service", ["compaction", "logcompaction", "clustering"])
@pytest.mark.parametrize("state", ["requested", "inflight"])
def test_a_service_that_is_pending_holds_the_start_back(service: str, state: str) -> None:
    """Nothing that was requested after it is archived: what is not there of that time did not complete."""
    found, _ = timeline(**{f"i10__{service}__{state}": b"", "i20_21__commit": b""})
    assert found.start == "10"
    assert not found.is_committed("15")
    assert found.is_committed("09") and not found.is_committed("10")


@pytest.mark.parametrize("action", ["clean", "rollback", "savepoint", "indexing", "restore"])
def test_actions_without_rows_do_not_move_the_start(action: str) -> None:
    found, _ = timeline(**{f"i10_11__{action}": b"", "i20_21__commit": b""})
    assert found.start == "20"
    assert found.is_committed("15")


def test_as_completed_cuts_by_completion_time() -> None:
    found, _ = timeline(i10_40__commit=b"", i20_30__commit=b"", i25__compaction__requested=b"")
    assert times(found.as_completed("30")) == ["20"]
    assert times(found.as_completed("40")) == ["10", "20"]
    assert times(found.as_completed("29")) == []
    assert found.as_completed("24").pending_compactions == frozenset()
    assert found.as_completed("25").pending_compactions == {"25"}


def test_empty_timeline_knows_nothing() -> None:
    found, _ = timeline()
    assert (found.start, found.commits, found.is_committed("10")) == (None, (), False)


def test_completion_time_is_the_requested_time_where_none_is_recorded() -> None:
    """TIME-8."""
    assert timeline(i10_40__commit=b"")[0].completion_time("10") == "40"
    assert timeline(1, i10__commit=b"")[0].completion_time("10") == "10"


def test_replaced_groups_are_those_of_completed_replace_commits() -> None:
    """TIME-9."""
    content = commit(partitionToReplaceFileIds={"p": ["f-0", "g-0"], "": ["h-0"]})
    found, storage = timeline(
        i10_11__commit=b"", i20_21__replacecommit=content, i30__replacecommit__inflight=content, i40__inflight=content
    )
    assert found.replaced == {("p", "f-0"): "20", ("p", "g-0"): "20", ("", "h-0"): "20"}
    assert storage.reads == ["t/20_21.replacecommit"]
    assert found.as_of("10").replaced == {}


def test_a_group_is_replaced_from_the_replacing_commit_on() -> None:
    content = commit(partitionToReplaceFileIds={"p": ["f-0"]})
    found, _ = timeline(i10_11__commit=b"", i20_35__replacecommit=content, i30_31__commit=b"")
    assert found.as_of("19").replaced == {}
    assert found.as_of("20").replaced == found.as_of("30").replaced == {("p", "f-0"): "20"}
    assert found.as_completed("31").replaced == {}
    assert found.as_completed("35").replaced == {("p", "f-0"): "20"}


def test_the_operation_comes_from_the_content_or_is_unknown() -> None:
    found, _ = timeline(
        i10_11__commit=commit(operationType="INSERT"),
        i12__inflight=commit(operationType="UPSERT"),
        i14__commit__requested=b"",
        i15_16__clean=b"damaged",
        i17__clustering__requested=b"",
    )
    assert [found.operation(instant) for instant in found.instants] == ["INSERT", "UPSERT", None, None, None]


def test_a_requested_clustering_states_its_operation_and_an_inflight_one_is_not_read() -> None:
    plan = avro({"operationType": "CLUSTER"}, operationType="string")
    found, storage = timeline(i10__clustering__requested=plan, i12__clustering__inflight=b"damaged")
    assert [found.operation(instant) for instant in found.instants] == ["CLUSTER", None]
    assert storage.reads == ["t/10.clustering.requested"]


def test_damaged_commit_names_its_file() -> None:
    found, _ = timeline(i10_11__replacecommit=b"{")
    with pytest.raises(CorruptFileError, match=r"^memory/t/10_11\.replacecommit: expected commit metadata"):
        _ = found.replaced


def test_commit_that_vanished_is_a_storage_error(tmp_path: Path) -> None:
    storage = written(tmp_path, {"t/10_11.commit": b"{}"})
    found = timeline_in(storage, "t", 2)
    (tmp_path / "t/10_11.commit").unlink()
    with pytest.raises(StorageError, match=r"10_11\.commit"):
        found.metadata(found.commits[0])


@each_table()
def test_every_timeline_has_each_action_once_in_its_latest_state(entry: TableEntry) -> None:
    _, _, found = opened(entry.unpacked())
    as_written = {"compaction": "commit", "logcompaction": "deltacommit", "clustering": "replacecommit"}
    latest: dict[tuple[str, str], dict[str, str]] = {}
    for expected in entry.expected["timeline"]:
        key = expected["requested_time"], as_written.get(expected["action"], expected["action"])
        states = ["requested", "inflight", "completed"]
        if key not in latest or states.index(expected["state"]) > states.index(latest[key]["state"]):
            latest[key] = expected
    assert [(i.requested_time, i.completes_as, i.action, i.state.name.lower()) for i in found.instants] == [
        (*key, latest[key]["action"], latest[key]["state"]) for key in sorted(latest)
    ]
    for instant in found.instants:
        expected = latest[instant.requested_time, instant.completes_as]
        if instant.action in WRITES and instant.state is not InstantState.REQUESTED:
            assert found.operation(instant) == expected.get("operation_type")
    assert found.layout == entry.expected["table"]["timeline_layout_version"]


def corpus_timelines() -> list[dict[str, Any]]:
    listed = ROOT / "corpus" / "timelines" / "expected.json"
    found: list[dict[str, Any]] = json.loads(listed.read_text("utf-8")) if listed.is_file() else []
    return found


def is_commit(content: bytes) -> bool:
    """Whether a file is as commits are: empty, an Avro file or a JSON object."""
    if not content.strip() or content.startswith(b"Obj\x01"):
        return True
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


@pytest.mark.skipif(not corpus_timelines(), reason="corpus folder not present")
@pytest.mark.parametrize("case", corpus_timelines(), ids=lambda case: str(case["name"]))
def test_timelines_without_properties_or_with_empty_files_are_read(case: dict[str, Any], tmp_path: Path) -> None:
    with zipfile.ZipFile(ROOT / "corpus" / case["file"]) as archive:
        archive.extractall(tmp_path)
    found = timeline_in(PlainStorage(str(tmp_path / case["name"])), ".hoodie", 1)
    completed = [instant for instant in case["timeline"] if instant["state"] == "completed"]
    assert [instant.file for instant in found.instants] == [instant["file"] for instant in completed]
    for instant, expected in zip(found.commits, completed, strict=True):
        (path,) = (tmp_path / case["name"]).rglob(instant.file)
        if not is_commit(path.read_bytes()):
            with pytest.raises(CorruptFileError, match=re.escape(instant.file)):
                found.metadata(instant)
            continue
        metadata = found.metadata(instant)
        assert metadata.schema_text == expected.get("extra_metadata_schema")
        assert sorted(metadata.stats) == expected.get("partitions_written", [])


def test_digits_that_no_instant_has_are_no_time() -> None:
    """TIME-1459."""
    found, _ = timeline(i20240402144910683_20240402144911000__commit=b"")
    for digits in ("3", "17", "2024040", "2" * 13 + "9" * 9):
        for cut in (found.as_of, found.as_completed):
            with pytest.raises(UsageError, match=rf"expected an instant .*found '{digits}'$"):
                cut(digits)
    assert times(found.as_of("2025")) == ["20240402144910683"]
    assert times(found.as_of("000")) == []
    assert times(timeline(i10_11__commit=b"")[0].as_of("12")) == ["10"]
