"""Names of instant files, and the order of instants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.timeline.instants import Instant, InstantState, latest_states, parse_instant, time_order
from tests.support.conformance import TableEntry, each_table

T, C = "20240402144910683", "20240402144911999"


@pytest.mark.parametrize(
    ("file", "action", "state"),
    [
        (f"{T}.commit.requested", "commit", InstantState.REQUESTED),
        (f"{T}.inflight", "commit", InstantState.INFLIGHT),
        (f"{T}.commit.inflight", "commit", InstantState.INFLIGHT),
        (f"{T}.commit", "commit", InstantState.COMPLETED),
        (f"{T}.deltacommit.inflight", "deltacommit", InstantState.INFLIGHT),
        (f"{T}.replacecommit.requested", "replacecommit", InstantState.REQUESTED),
        (f"{T}.clustering.requested", "clustering", InstantState.REQUESTED),
        (f"{T}.compaction.inflight", "compaction", InstantState.INFLIGHT),
        (f"{T}.logcompaction.requested", "logcompaction", InstantState.REQUESTED),
        (f"{T}.clean.requested", "clean", InstantState.REQUESTED),
        (f"{T}.rollback.inflight", "rollback", InstantState.INFLIGHT),
        (f"{T}.restore", "restore", InstantState.COMPLETED),
        (f"{T}.savepoint.inflight", "savepoint", InstantState.INFLIGHT),
        (f"{T}.indexing", "indexing", InstantState.COMPLETED),
    ],
)
def test_names_without_completion_time_are_read(file: str, action: str, state: InstantState) -> None:
    """TIME-1."""
    assert parse_instant(file) == Instant(T, action, state, None, file)


def test_completed_name_of_layout_2_holds_the_completion_time() -> None:
    """TIME-1."""
    file = f"{T}_{C}.replacecommit"
    assert parse_instant(file) == Instant(T, "replacecommit", InstantState.COMPLETED, C, file)


@pytest.mark.parametrize(
    "file",
    [
        "hoodie.properties",
        "hoodie.properties.backup",
        ".DS_Store",
        f".{T}.commit.crc",
        f"{T}.commit.crc",
        f"._{T}.commit",
        f"{T}",
        f"{T}_{C}",
        f"{T}.requested",
        f"{T}.unknown",
        f"{T}_{C}.commit.inflight",
        f"{T}_{C}.inflight",
        f"{T}.commit.requested.tmp",
        f"{T}.inflight.requested",
        f"{T}.inflight.inflight",
        "٢٠٢٤.commit",
        "test.crc",
        "",
    ],
)
def test_other_names_are_no_instants(file: str) -> None:
    """TIME-1."""
    assert parse_instant(file) is None


def test_pending_action_and_what_it_completed_as_are_one_instant() -> None:
    """TIME-3."""
    files = [
        f"{T}.compaction.requested",
        f"{T}.compaction.inflight",
        f"{T}_{C}.commit",
        f"{C}.clustering.requested",
        f"{C}.clustering.inflight",
    ]
    found = latest_states(instant for file in files if (instant := parse_instant(file)))
    assert [(i.requested_time, i.action, i.state) for i in found] == [
        (T, "commit", InstantState.COMPLETED),
        (C, "clustering", InstantState.INFLIGHT),
    ]


def test_savepoint_of_a_commit_is_an_instant_of_its_own() -> None:
    """TIME-3."""
    found = latest_states(instant for file in (f"{T}.commit", f"{T}.savepoint") if (instant := parse_instant(file)))
    assert [i.action for i in found] == ["commit", "savepoint"]


def test_second_completion_of_an_action_does_not_count() -> None:
    """TIME-3."""
    files = (f"{T}_{C}.commit", f"{T}_2025.commit")
    (found,) = latest_states(instant for file in files if (instant := parse_instant(file)))
    assert found.completion_time == C


def test_14_digit_times_stand_for_the_end_of_their_second() -> None:
    """TIME-4."""
    times = ["20240402144911000", "20240402144910", "20240402144910683", "20240402144910683001"]
    assert sorted(times, key=time_order) == [
        "20240402144910683",
        "20240402144910683001",
        "20240402144910",
        "20240402144911000",
    ]


@given(st.permutations([f"{i}.{action}" for i in ("1", "2") for action in ("commit", "clean.requested", "inflight")]))
def test_order_of_listing_does_not_matter(files: list[str]) -> None:
    def states(names: list[str]) -> tuple[Instant, ...]:
        return latest_states(instant for name in names if (instant := parse_instant(name)))

    assert states(files) == states(sorted(files))


@given(st.text(max_size=40))
def test_any_string_is_an_instant_or_not(file: str) -> None:
    found = parse_instant(file)
    assert found is None or (found.file == file and found.requested_time.isdigit())


@each_table()
def test_every_instant_file_is_read_as_recorded(entry: TableEntry) -> None:
    recorded = entry.expected["timeline"]
    parsed = [parse_instant(instant["file"]) for instant in recorded]
    read = [
        instant and (instant.requested_time, instant.completion_time, instant.action, instant.state.name.lower())
        for instant in parsed
    ]
    assert read == [
        (instant["requested_time"], instant["completion_time"], instant["action"], instant["state"])
        for instant in recorded
    ]
