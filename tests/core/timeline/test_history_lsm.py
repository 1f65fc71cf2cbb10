"""History of layout 2: manifests, and the files asked for."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError
from hudi_core.formats.leaf_statistics import LeafStatistics
from hudi_core.timeline.files import files_in
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.slice_building import latest_slices, visibility
from hudi_core.timeline.timeline import Timeline, timeline_in
from hudi_core.types.nodes import String
from tests.support.archives import StandIn, clean_file, lsm_files
from tests.support.memory import Memory


def row(time: str, completed: str, action: str = "commit", answer: dict[str, Any] | None = None) -> dict[str, Any]:
    content = None if answer is None else {"base64": base64.b64encode(json.dumps(answer).encode()).decode()}
    return {"instantTime": time, "completionTime": completed, "action": action, "metadata": content}


OLD, NEW = "01_04_1.parquet", "05_08_0.parquet"
FILES = {OLD: [row("01", "02", answer={"operationType": "INSERT"}), row("04", "20")], NEW: [row("05", "06", "clean")]}


def history(files: dict[str, bytes] | None = None) -> tuple[LsmHistory, StandIn]:
    reader = StandIn()
    return LsmHistory(Memory(lsm_files("h", 3, FILES) if files is None else files), "h", reader, reader), reader


def timeline(found: LsmHistory, *active: str, **contents: bytes) -> Timeline:
    storage = found.storage
    assert isinstance(storage, Memory)
    storage.files |= {f"t/{name}": contents.get(name, b"") for name in active}
    known = timeline_in(storage, "t", 2)
    return Timeline(storage, "t", 2, known.instants, history=found)


def test_instants_come_in_order_without_their_contents() -> None:
    found, reader = history()
    assert [(item.requested_time, item.completion_time, item.action) for item in found.instants()] == [
        ("01", "02", "commit"),
        ("04", "20", "commit"),
        ("05", "06", "clean"),
    ]
    assert {columns for _, columns in reader.reads} == {("instantTime", "completionTime", "action")}


def test_a_completion_time_is_searched_for_in_the_file_of_its_time() -> None:
    """TIME-8, TIME-21."""
    found, reader = history()
    assert found.completion_time("04") == "20"
    assert found.completion_time("03") is None
    assert found.completion_time("09") is None
    assert [name for name, _ in reader.reads] == [OLD]


def test_writes_completed_after_a_time_are_searched_by_footers() -> None:
    found, reader = history()
    assert [item.requested_time for item in found.list_completed_after("06")] == ["04"]
    late = {OLD: "20240101000020000", NEW: "20240101000006"}
    found, reader = history()
    reader.statistics = {
        name: {("completionTime",): LeafStatistics(String(), upper=time)} for name, time in late.items()
    }
    assert found.list_completed_after("20240101000020001") == ()
    assert [name for name, _ in reader.reads] == [OLD]


def test_contents_are_read_of_the_file_that_has_them_only() -> None:
    """TIME-21."""
    found, reader = history()
    first = found.instants()[0]
    assert json.loads(found.content(first)) == {"operationType": "INSERT"}  # type: ignore[arg-type]
    assert [name for name, columns in reader.reads if "metadata" in columns] == [OLD]


def test_an_instant_without_content_has_no_metadata() -> None:
    found, _ = history()
    assert found.content(found.instants()[1]) == b""


def test_the_manifest_names_the_files_that_count() -> None:
    """TIME-22."""
    files = lsm_files("h", 3, FILES)
    files |= lsm_files("h", 2, {"09_09_0.parquet": [row("09", "10")]})
    files["h/_version_"] = b"3"
    assert [item.requested_time for item in history(files)[0].instants()] == ["01", "04", "05"]


@pytest.mark.parametrize("answer", [None, b"", b"x"])
def test_without_a_version_the_newest_manifest_counts(answer: bytes | None) -> None:
    """TIME-22."""
    files = lsm_files("h", 10, FILES) | {"h/manifest_9": b"{}"}
    if answer is None:
        del files["h/_version_"]
    else:
        files["h/_version_"] = answer
    assert len(history(files)[0].instants()) == 3


def test_only_names_with_digits_are_manifests() -> None:
    """TIME-711."""
    files = lsm_files("h", 10, FILES) | {"h/manifest_11.tmp": b"{}", "h/manifest_12_a": b"{}", "h/manifest_x": b"{}"}
    del files["h/_version_"]
    assert len(history(files)[0].instants()) == 3


def test_a_row_without_a_completion_time_counts_by_its_requested_time() -> None:
    """TIME-711."""
    files = {OLD: [{**row("01", ""), "completionTime": None}, row("04", "20")], NEW: [row("05", "06", "clean")]}
    found, _ = history(lsm_files("h", 3, files))
    assert [instant.completion_time for instant in found.instants()] == [None, "20", "06"]
    assert timeline(found, "07_08.commit").completion_time("01") == "01"
    assert [instant.requested_time for instant in found.list_completed_after("05")] == ["04", "05"]


def test_no_history_has_no_instants() -> None:
    assert history({})[0].instants() == ()


@pytest.mark.parametrize("content", [b"", b"[]", b'{"files": [{}]}', b'{"files": [{"fileName": "../x"}]}', b"\xff"])
def test_a_damaged_manifest_names_itself(content: bytes) -> None:
    files = lsm_files("h", 3, FILES) | {"h/manifest_3": content}
    with pytest.raises(CorruptFileError, match="h/manifest_3"):
        history(files)[0].instants()


def test_a_file_of_the_manifest_that_is_not_there_is_an_error() -> None:
    """TIME-22."""
    files = lsm_files("h", 3, FILES)
    del files[f"h/{NEW}"]
    with pytest.raises(CorruptFileError, match=NEW):
        history(files)[0].instants()


def test_a_row_without_a_time_is_an_error() -> None:
    with pytest.raises(CorruptFileError, match="a time and an action"):
        history(lsm_files("h", 3, {OLD: [{"action": "commit"}]}))[0].instants()


def test_archived_instants_join_the_timeline_for_times_before_its_start() -> None:
    """TIME-20."""
    found, reader = history()
    whole = timeline(found, "30_31.commit")
    assert whole.as_of("30").commits == whole.commits
    assert reader.reads == []
    assert [item.requested_time for item in whole.as_of("04").commits] == ["01", "04"]
    assert [item.requested_time for item in whole.as_completed("06").commits] == ["01"]
    assert whole.as_completed("06").is_committed("01")
    assert not whole.as_completed("06").is_committed("04")


def test_a_log_file_of_an_archived_write_belongs_to_the_slice_of_its_completion_time() -> None:
    found, reader = history()
    whole = timeline(found, "30_31.commit", "32_33.clean", **{"32_33.clean": clean_file("30")})
    names = ["f-0_0-1-2_01.parquet", "f-0_0-1-2_10.parquet", ".f-0_04.log.1_0-1-2"]
    (only,) = latest_slices(files_in({"p": [FileInfo(f"p/{name}", 1) for name in names]}), visibility(whole))
    assert (only.instant, len(only.logs)) == ("10", 1)
    assert [name for name, _ in reader.reads] == [OLD]


def test_the_history_is_not_read_where_completion_cannot_matter() -> None:
    found, reader = history()
    whole = timeline(found, "30_31.commit", "32_33.clean", **{"32_33.clean": clean_file("30")})
    names = ["f-0_0-1-2_01.parquet", ".f-0_04.log.1_0-1-2"]
    (only,) = latest_slices(files_in({"p": [FileInfo(f"p/{name}", 1) for name in names]}), visibility(whole))
    assert (only.instant, len(only.logs), reader.reads) == ("01", 1, [])
