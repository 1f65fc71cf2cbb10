"""The first write that a clean retains, and the partitions it looks at."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from hudi_core.services.cleaning.options import CleanPolicy, CleanSettings
from hudi_core.services.cleaning.retention import EarlierCleans, earlier_cleans, first_retained, partitions_to_look_at
from hudi_core.timeline.services import CleanMetadata
from hudi_core.timeline.timeline import Timeline, timeline_in
from tests.support.archives import clean_file
from tests.support.memory import Memory

COMMITS = {f"{time}_{time}5.commit": b"" for time in ("10", "20", "30", "40")}
NONE_YET = EarlierCleans(None, None, None)
BY_TWO = CleanSettings(CleanPolicy.COMMITS, 2)


def timeline(files: dict[str, bytes], layout: int = 2) -> Timeline:
    return timeline_in(Memory({f"t/{name}": content for name, content in files.items()}), "t", layout)


def noon() -> datetime:
    return datetime(2024, 1, 2, 12, tzinfo=UTC)


def retained(whole: Timeline, settings: CleanSettings = BY_TWO, earlier: EarlierCleans = NONE_YET) -> str | None:
    instant = first_retained(whole, settings, earlier, noon)
    return None if instant is None else instant.requested_time


def test_by_commits_it_is_the_nth_last() -> None:
    """CLEAN-382."""
    assert retained(timeline(COMMITS)) == "30"
    assert retained(timeline(COMMITS), CleanSettings(CleanPolicy.COMMITS, 3)) == "20"
    assert retained(timeline(COMMITS), CleanSettings(CleanPolicy.COMMITS, 4)) is None
    assert retained(timeline({})) is None
    assert retained(timeline(COMMITS), CleanSettings(CleanPolicy.VERSIONS, 1)) is None


def test_by_hours_it_is_the_first_of_the_last_hours() -> None:
    """CLEAN-383."""
    times = ("20240101110000000", "20240101130000000", "20240102110000000")
    whole = timeline({f"{time}.commit": b"" for time in times}, 1)
    whole = Timeline(whole.storage, whole.folder, 1, whole.instants, zone=UTC)
    assert retained(whole, CleanSettings(CleanPolicy.HOURS, 24)) == times[1]
    assert retained(whole, CleanSettings(CleanPolicy.HOURS, 2)) == times[2]
    assert retained(whole, CleanSettings(CleanPolicy.HOURS, 1)) == times[2]
    late = CleanSettings(CleanPolicy.HOURS, 1)
    assert first_retained(whole, late, NONE_YET, lambda: datetime(2024, 2, 1, tzinfo=UTC)) is None


def test_what_is_pending_holds_it_back() -> None:
    """CLEAN-384."""
    for pending in ("25.inflight", "25.deltacommit.requested", "25.compaction.requested", "25.clustering.inflight"):
        assert retained(timeline({**COMMITS, pending: b""})) == "20"
    for harmless in ("25.logcompaction.requested", "25.clean.requested", "25.rollback.inflight", "35.inflight"):
        assert retained(timeline({**COMMITS, harmless: b""})) == "30"
    assert retained(timeline({**COMMITS, "05.inflight": b""})) is None
    assert retained(timeline({**COMMITS, "20.savepoint.inflight": b""})) == "20"
    assert retained(timeline({**COMMITS, "20_25.savepoint": b""})) == "30"


def test_it_never_moves_back_and_not_too_far_on() -> None:
    """CLEAN-384."""
    whole = timeline({**COMMITS, "41_415.clean": clean_file("40"), "42_425.clean": clean_file(None)})
    earlier = earlier_cleans(whole)
    assert (earlier.retained, earlier.last_time) == ("40", "42")
    assert retained(whole, earlier=earlier) is None
    step = CleanSettings(CleanPolicy.COMMITS, 1, max_commits=1)
    assert retained(timeline(COMMITS), step, EarlierCleans(None, None, "10")) == "20"
    assert retained(timeline(COMMITS), step, EarlierCleans(None, None, "30")) == "40"


def test_an_empty_clean_is_none() -> None:
    """CLEAN-408."""
    assert earlier_cleans(timeline({**COMMITS, "42_425.clean": b""})) == NONE_YET


def commit(*partitions: str, replaced: str | None = None) -> bytes:
    stats = {partition: [{"fileId": "f", "path": f"{partition}/f"}] for partition in partitions}
    gone = {} if replaced is None else {replaced: ["f"]}
    return json.dumps({"partitionToWriteStats": stats, "partitionToReplaceFileIds": gone}).encode()


WRITTEN = timeline(
    {
        "10_105.commit": commit("a"),
        "20_405.commit": commit("late"),
        "30_305.replacecommit": commit("b", replaced="c"),
        "40_406.commit": commit("d"),
    }
)


def looked_at(
    last: CleanMetadata | None, whole: Timeline = WRITTEN, *, incremental: bool = True
) -> frozenset[str] | None:
    settings = CleanSettings(CleanPolicy.COMMITS, 1, incremental=incremental)
    earlier = EarlierCleans(last, None, None if last is None else last.earliest_retained)
    return partitions_to_look_at(whole, settings, earlier, whole.commits[-1])


def test_partitions_are_those_of_writes_that_completed_between_two_cleans() -> None:
    """CLEAN-385."""
    assert looked_at(CleanMetadata(earliestCommitToRetain="30")) == {"b", "c"}
    assert looked_at(CleanMetadata(earliestCommitToRetain="10")) == {"a", "b", "c"}


def test_all_partitions_are_looked_at_where_the_last_clean_does_not_say_enough() -> None:
    """CLEAN-385."""
    assert looked_at(None) is None
    assert looked_at(CleanMetadata(earliestCommitToRetain="30"), incremental=False) is None
    assert looked_at(CleanMetadata(earliestCommitToRetain="")) is None
    assert looked_at(CleanMetadata(earliestCommitToRetain="05")) is None
    gone = CleanMetadata(earliestCommitToRetain="30", extraMetadata={"savepointed_timestamps": "10,20"})
    assert looked_at(gone) is None
    there = timeline(
        {"10_105.commit": commit("a"), "40_406.commit": commit("d"), "10_11.savepoint": b"", "20_21.savepoint": b""}
    )
    assert looked_at(gone.model_copy(update={"earliest_retained": "40"}), there) == frozenset()
