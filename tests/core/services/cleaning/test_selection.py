"""Which versions a clean deletes."""

from __future__ import annotations

from hudi_core.services.cleaning.selection import Kept, Reason, Replacement, Rule, superfluous_versions
from hudi_core.services.cleaning.versions import NEVER, GroupVersions, Version

NAMES = [f"file{row}" for row in range(9)]
NOTHING = Kept()


def group(*times: tuple[str, str]) -> GroupVersions:
    """A file group whose versions have a file each."""
    return GroupVersions("p", "f", tuple(Version(*time, (row,)) for row, time in enumerate(times)))


def gone(of: GroupVersions, rule: Rule, kept: Kept = NOTHING, replaced: Replacement | None = None) -> list[str]:
    by = {} if replaced is None else {("p", "f"): replaced}
    return [one.version.instant for one in superfluous_versions([of], rule, kept, by, NAMES)]


FOUR = group(("10", "11"), ("20", "21"), ("30", "31"), ("40", "41"))


def test_by_time_what_a_later_version_had_taken_over_goes() -> None:
    """CLEAN-388."""
    assert gone(FOUR, Rule(since="40")) == ["10", "20"]
    assert gone(FOUR, Rule(since="35")) == ["10", "20"]
    assert gone(FOUR, Rule(since="20")) == []
    assert gone(FOUR, Rule(since="99")) == ["10", "20", "30"]
    late = group(("10", "11"), ("20", "55"), ("30", "31"))
    assert gone(late, Rule(since="25")) == []
    assert gone(late, Rule(since="50")) == ["10", "20"]


def test_by_versions_the_last_stay_with_those_that_wait() -> None:
    """CLEAN-387, CLEAN-389."""
    assert gone(FOUR, Rule(versions=1)) == ["10", "20", "30"]
    assert gone(FOUR, Rule(versions=3)) == ["10"]
    assert gone(FOUR, Rule(versions=9)) == []
    waiting = group(("10", "11"), ("20", "21"), ("30", NEVER))
    assert gone(waiting, Rule(versions=1)) == ["10"]
    assert gone(waiting, Rule(since="99")) == ["10"]


def test_replaced_groups_go_once_nobody_sees_them() -> None:
    """CLEAN-390."""
    by = Replacement("50", "55")
    assert gone(FOUR, Rule(since="55"), replaced=by) == []
    assert gone(FOUR, Rule(since="56"), replaced=by) == ["10", "20", "30", "40"]
    assert gone(FOUR, Rule(versions=3), replaced=by) == ["10", "20", "30", "40"]
    archived = Replacement("25", "25", archived=True)
    assert gone(FOUR, Rule(since="60"), replaced=archived) == ["10", "20", "30"]
    assert gone(FOUR, Rule(versions=2), replaced=archived) == ["10", "20"]
    reasons = [
        one.reason for one in superfluous_versions([FOUR], Rule(since="60"), NOTHING, {("p", "f"): archived}, NAMES)
    ]
    assert reasons == [Reason.REPLACED, Reason.REPLACED, Reason.OLDER]


def test_savepoints_keep_versions() -> None:
    """CLEAN-391."""
    assert gone(FOUR, Rule(since="99"), Kept(saved={"p": frozenset({"file1"})})) == ["10", "30"]
    assert gone(FOUR, Rule(since="99"), Kept(saved={"q": frozenset({"file1"})})) == ["10", "20", "30"]
    assert gone(FOUR, Rule(versions=1), Kept(pinned=("25",))) == ["10", "30"]
    assert gone(FOUR, Rule(versions=1), Kept(pinned=("05",))) == ["10", "20", "30"]
    assert gone(FOUR, Rule(since="99"), Kept(pinned=("20",)), Replacement("50", "55")) == ["10", "30", "40"]


def test_pending_plans_keep_the_version_they_name_and_later_ones() -> None:
    """CLEAN-392."""
    assert gone(FOUR, Rule(since="99"), Kept(planned={("p", "f"): "20"})) == ["10"]
    assert gone(FOUR, Rule(versions=1), Kept(planned={("p", "f"): ""})) == []
    assert gone(FOUR, Rule(versions=1), Kept(planned={("p", "g"): ""})) == ["10", "20", "30"]
