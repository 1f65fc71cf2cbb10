"""Archive logs of layout 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError, HudiError
from hudi_core.timeline.history_log import LogHistory
from hudi_core.timeline.instants import Instant
from hudi_core.timeline.timeline import timeline_in
from tests.support.archives import archive_log
from tests.support.memory import Memory

FIRST, SECOND = ".commits_.archive.9_1-0-1", ".commits_.archive.10_1-0-1"


def history(files: dict[str, bytes]) -> tuple[LogHistory, Memory]:
    storage = Memory({f"h/{name}": content for name, content in files.items()})
    return LogHistory(storage, "h"), storage


def named(instants: object) -> list[tuple[str, str]]:
    assert isinstance(instants, tuple)
    return [(item.requested_time, item.action) for item in instants]


def test_completed_instants_of_all_logs_come_in_order() -> None:
    """TIME-23."""
    found, _ = history(
        {
            SECOND: archive_log(("5", "clean", "COMPLETED", None), ("4", "commit", "COMPLETED", "UPSERT")),
            FIRST: archive_log(("1", "commit", "REQUESTED", None), ("1", "commit", "COMPLETED", "INSERT")),
            ".other.log": b"none of ours",
        }
    )
    assert named(found.instants()) == [("1", "commit"), ("4", "commit"), ("5", "clean")]
    assert all(item.archived and item.completed for item in found.instants())


def test_an_instant_that_never_completed_is_left_out() -> None:
    failed = archive_log(
        ("1", "commit", "REQUESTED", None), ("1", "commit", "INFLIGHT", None), ("2", "commit", "COMPLETED", None)
    )
    assert named(history({FIRST: failed})[0].instants()) == [("2", "commit")]


def test_an_instant_archived_twice_is_one() -> None:
    entry = ("1", "commit", "COMPLETED", "INSERT")
    assert named(history({FIRST: archive_log(entry, entry), SECOND: archive_log(entry)})[0].instants()) == [
        ("1", "commit")
    ]


def test_nothing_is_read_before_it_is_needed() -> None:
    """TIME-23."""
    found, storage = history({FIRST: archive_log(("1", "commit", "COMPLETED", "INSERT"))})
    assert storage.reads == []
    found.instants()
    found.instants()
    assert storage.reads == [f"h/{FIRST}"]


def test_commits_of_the_history_have_their_metadata() -> None:
    storage = Memory({"t/7.commit": b"", f"h/{FIRST}": archive_log(("1", "commit", "COMPLETED", "INSERT"))})
    active = timeline_in(storage, "t", 1)
    whole = type(active)(storage, "t", 1, active.instants, history=LogHistory(storage, "h")).with_archived()
    assert [whole.metadata(item).operation for item in whole.commits] == ["INSERT", None]
    assert whole.start == "1"


def test_an_instant_without_metadata_is_empty() -> None:
    found, _ = history({FIRST: archive_log(("1", "commit", "COMPLETED", None))})
    (only,) = found.instants()
    assert isinstance(only, Instant)
    assert found.content(only) == b""


@given(st.data())
def test_damaged_bytes_are_an_error_or_instants(data: st.DataObject) -> None:
    sound = bytearray(archive_log(("1", "commit", "COMPLETED", "INSERT"), ("2", "clean", "COMPLETED", None)))
    at = data.draw(st.integers(0, len(sound) - 1))
    sound[at] ^= data.draw(st.integers(1, 255))
    found, _ = history({FIRST: bytes(sound)})
    try:
        instants = found.instants()
        for instant in instants:
            found.content(instant)
    except HudiError as error:
        assert FIRST in str(error)
    else:
        assert len(instants) <= 2


def test_a_log_cut_short_names_itself() -> None:
    found, _ = history({FIRST: archive_log(("1", "commit", "COMPLETED", "INSERT"))[:-9]})
    with pytest.raises(CorruptFileError, match=f"h/{FIRST}"):
        found.instants()
