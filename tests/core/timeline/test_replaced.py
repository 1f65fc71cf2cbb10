"""TIME-25: what archived replace commits took away, in both layouts."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import pytest

from hudi_core.changes.incremental import between
from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError
from hudi_core.options import TableConfig, table_config
from hudi_core.timeline.files import files_in
from hudi_core.timeline.history_log import LogHistory
from hudi_core.timeline.history_lsm import LsmHistory
from hudi_core.timeline.instants import ArchivedTimeline
from hudi_core.timeline.slice_building import latest_slices, visibility
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import StandIn, archive_log, clean_file, lsm_files
from tests.support.memory import Memory

REPLACED = {"p": ["a-0"]}
FILES = ["a-0_0-1-2_01.parquet", "b-0_0-1-2_02.parquet", "c-0_0-1-2_03.parquet"]
BY = {"a-0": "01", "b-0": "02", "c-0": "03"}


def history(layout: int, storage: Memory) -> ArchivedTimeline:
    """Commits at 01 and 02, and at 03 a replace commit that put the file group c-0 in the place of a-0."""
    answer = {"operationType": "CLUSTER", "partitionToReplaceFileIds": REPLACED}
    if layout == 1:
        entries = [("01", "commit", "COMPLETED", "INSERT"), ("02", "commit", "COMPLETED", "INSERT")]
        replaced = ("03", "replacecommit", "COMPLETED", "CLUSTER")
        storage.files["h/.commits_.archive.1_1-0-1"] = archive_log(*entries, replaced, replaced=REPLACED)
        return LogHistory(storage, "h")
    content = {"base64": base64.b64encode(json.dumps(answer).encode()).decode()}
    rows = [
        {"instantTime": "01", "completionTime": "01", "action": "commit", "metadata": None},
        {"instantTime": "02", "completionTime": "02", "action": "commit", "metadata": None},
        {"instantTime": "03", "completionTime": "05", "action": "replacecommit", "metadata": content},
    ]
    storage.files |= lsm_files("h", 1, {"01_03_0.parquet": rows})
    reader = StandIn()
    return LsmHistory(storage, "h", reader, reader)


def timeline(layout: int, **contents: bytes) -> Timeline:
    """An active timeline that starts at 10, with that history."""
    storage = Memory({})
    named = {"10_11.commit": b"", "20_21.commit": b""} | contents
    names = {name if layout == 2 else name[:2] + name[5:]: content for name, content in named.items()}
    storage.files |= {f"t/{name}": content for name, content in names.items()}
    found = timeline_in(storage, "t", layout)
    return Timeline(storage, "t", layout, found.instants, history=history(layout, storage))


def seen(cut: Timeline, names: Sequence[str] = FILES) -> list[str]:
    listing = files_in({"p": [FileInfo(f"p/{name}", 1) for name in names]})
    return [item.file_id for item in latest_slices(listing, visibility(cut))]


def read_from_history(cut: Timeline) -> list[str]:
    assert isinstance(cut.storage, Memory)
    return [path for path in cut.storage.reads if path.startswith("h/")]


layouts = pytest.mark.parametrize("layout", [1, 2])


@layouts
def test_an_archived_replace_commit_hides_what_it_replaced(layout: int) -> None:
    assert seen(timeline(layout)) == ["b-0", "c-0"]


@layouts
def test_a_query_before_a_replace_commit_sees_the_replaced_files(layout: int) -> None:
    assert seen(timeline(layout).as_of("02")) == ["a-0", "b-0"]
    assert seen(timeline(layout).as_of("03")) == ["b-0", "c-0"]
    assert seen(timeline(layout).as_of("15")) == ["b-0", "c-0"]


@layouts
def test_incremental_rows_after_a_replace_commit_leave_out_replaced_files(layout: int) -> None:
    """QUERY-8."""
    config: TableConfig = table_config(
        {"hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE", "hoodie.table.version": "9"}
    )
    found = between(timeline(layout), config, "01", None)
    assert [item.requested_time for item in found.instants] == ["02", "03", "10", "20"]
    assert seen(found.timeline) == ["b-0", "c-0"]
    early = between(timeline(layout), config, None, "02")
    assert seen(early.timeline) == ["a-0", "b-0"]


@layouts
def test_files_written_after_it_count_again(layout: int) -> None:
    assert seen(timeline(layout), [*FILES, "a-0_0-1-2_10.parquet"]) == ["a-0", "b-0", "c-0"]


@layouts
def test_the_history_is_not_read_where_no_file_is_as_old(layout: int) -> None:
    cut = timeline(layout)
    assert seen(cut, ["a-0_0-1-2_10.parquet"]) == ["a-0"]
    assert read_from_history(cut) == []


@layouts
def test_the_history_is_not_read_where_a_clean_removed_all_before_the_start(layout: int) -> None:
    cut = timeline(layout, **{"22_23.clean": clean_file("10")})
    assert seen(cut) == ["a-0", "b-0", "c-0"]
    assert read_from_history(cut) == []


@layouts
def test_a_savepoint_keeps_replaced_files_through_cleans(layout: int) -> None:
    cut = timeline(layout, **{"10_12.savepoint": b"", "22_23.clean": clean_file("20")})
    assert cut.start == "20"
    assert seen(cut) == ["b-0", "c-0"]
    at_work = timeline(layout, **{"10.savepoint.inflight": b"", "22_23.clean": clean_file("20")})
    assert seen(at_work) == ["a-0", "b-0", "c-0"]
    assert read_from_history(at_work) == []


@layouts
def test_a_clean_that_counts_file_versions_states_no_time(layout: int) -> None:
    cut = timeline(layout, **{"22_23.clean": clean_file(None)})
    assert seen(cut) == ["b-0", "c-0"]


@layouts
@pytest.mark.parametrize("more", [{}, {"10_12.savepoint": b""}])
def test_the_history_is_read_where_files_were_kept(layout: int, more: dict[str, bytes]) -> None:
    """By a clean that retained older ones, or for a savepoint."""
    cut = timeline(layout, **{"22_23.clean": clean_file("10" if more else "02")}, **more)
    assert seen(cut) == ["b-0", "c-0"]


@layouts
@pytest.mark.parametrize("content", [b"", b"\n", b"{}", b'{"partitionToWriteStats": {}, "extraMetadata": {}}'])
def test_a_replace_commit_that_does_not_say_what_it_replaced_is_damage(layout: int, content: bytes) -> None:
    """TIME-1487."""
    found = "metadata without it" if b"{" in content else "an empty file"
    cut = timeline(layout, **{"22_23.replacecommit": content})
    with pytest.raises(CorruptFileError, match=rf"replacecommit: expected commit metadata, .*, found {found}"):
        seen(cut)
    nothing = timeline(layout, **{"22_23.replacecommit": b'{"partitionToReplaceFileIds": {}}'})
    assert seen(nothing) == ["b-0", "c-0"]
    at_work = timeline(layout, **{"22.replacecommit.requested": b"", "22.replacecommit.inflight": b""})
    assert seen(at_work) == ["b-0", "c-0"]
