"""What files say of themselves: read where it may change the answer, and nowhere else.

Also covers: `planning/sources/file_statistics.py`, `planning/sources/footer_fallback.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hudi_core.planning.plan import ScanPlan
from hudi_core.planning.sources import planner as asking
from hudi_core.snapshot.snapshot import MetadataMode
from tests.support.made_tables import COLUMNS, Group, Log, MadeTable


def row(key: str, **values: Any) -> dict[str, Any]:
    return {"id": key, **values}


def group(low: int, **more: Any) -> Group:
    rows = [row(f"k{low}", n=low, x=float(low), s=f"t{low}"), row(f"l{low}", n=low + 5, x=low + 0.5, s=f"t{low}z")]
    return Group("u", rows, **more)


WITHOUT_N = tuple(name for name in COLUMNS if name != "n")


def planned(made: MadeTable, where: str, mode: MetadataMode = MetadataMode.AUTO) -> ScanPlan:
    return made.open(mode).scan(where=where).plan


def footers(found: ScanPlan) -> tuple[int, int, str]:
    step = next(item for item in found.steps if item.source == "footers")
    return step.before, step.removed, step.note


def test_footers_are_read_of_files_without_statistics_of_the_column() -> None:
    """SOURCE-9."""
    made = MadeTable([group(0), group(10, reported=WITHOUT_N), group(20, reported=WITHOUT_N)])
    found = planned(made, "n between 21 and 24")
    assert footers(found) == (2, 1, "2 of 2 in doubt")
    assert len(made.footers_read) == 2
    assert {item.by for item in found.decisions()} >= {"footers: n BETWEEN 21 AND 24"}


def test_footers_are_not_read_when_they_cannot_change_the_answer() -> None:
    """SOURCE-9."""
    made = MadeTable([group(0, reported=WITHOUT_N), group(10, reported=WITHOUT_N)])
    assert footers(planned(made, "n = 100 and s = 'none'")) == (0, 0, "")
    assert footers(planned(made, "n = 100 or s = 't0'"))[2] == "1 of 2 in doubt"
    assert len(made.footers_read) == 1
    assert footers(planned(made, "lower(s) = 'x'"))[2] == "0 of 2 in doubt"
    assert footers(planned(made, "p = 'u'"))[2] == "0 of 2 in doubt"


def test_bounds_that_may_hide_nan_are_doubted() -> None:
    hidden = Group("u", [row("a", x=0.0), row("b", x=float("nan"))])
    made = MadeTable([hidden, group(10)])
    assert [item.file_id for item in planned(made, "x > 100").kept()] == [made.file_id(0)]
    zeros = MadeTable([Group("u", [row("a", x=0.0), row("b", x=0.0)]), group(10)])
    assert planned(zeros, "x > 100").kept() == []


def test_no_more_footers_are_read_than_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE-9."""
    monkeypatch.setattr(asking, "MAX_DOUBTFUL_SLICES", 1)
    made = MadeTable([group(10, reported=WITHOUT_N), group(20, reported=WITHOUT_N)])
    assert footers(planned(made, "n = 100")) == (
        2,
        0,
        "2 of 2 in doubt: more than the 1 that are read beside column_stats",
    )
    assert made.footers_read == []


def test_without_statistics_all_footers_are_read() -> None:
    """SOURCE-9."""
    made = MadeTable([group(0), group(10), group(20)])
    found = planned(made, "n = 12", MetadataMode.OFF)
    assert footers(found) == (3, 2, "")
    assert len(made.footers_read) == 3


def test_footer_that_cannot_be_read_leaves_its_slice_with_a_warning() -> None:
    made = MadeTable([group(0, reported=(), footer=False), group(10, reported=())])
    found = planned(made, "n = 100")
    assert [item.file_id for item in found.kept()] == [made.file_id(0)]
    assert len(found.warnings) == 1
    assert "its statistics are not used" in found.warnings[0]


def test_footers_are_read_once() -> None:
    made = MadeTable([group(0, reported=()), group(10, reported=())])
    table = made.open()
    for where in ("n = 100", "n = 200", "x > 1000"):
        assert table.scan(where=where).plan.kept() == []
    assert len(made.footers_read) == 2


def test_the_key_column_has_the_statistics_of_the_column_that_is_the_key() -> None:
    """SOURCE-6."""
    base = group(0, reported=())
    assert planned(MadeTable([base]), "id = 'zz'").kept() == []


def test_base_file_in_doubt_is_judged_together_with_its_log_files() -> None:
    log = Log([row("k10", n=100)])
    made = MadeTable([group(10, reported=WITHOUT_N, logs=[log])])
    assert len(planned(made, "n = 100").kept()) == 1
    assert len(planned(made, "n = 12").kept()) == 1
    assert planned(made, "n = 200").kept() == []
    untold = MadeTable([group(10, reported=WITHOUT_N, logs=[replace(log, reported=False)])])
    assert len(planned(untold, "n = 200").kept()) == 1


def test_log_of_deletes_changes_no_column() -> None:
    deletes = group(10, logs=[Log(deleted=["k10"])])
    assert planned(MadeTable([deletes]), "n = 200").kept() == []
    assert planned(MadeTable([deletes]), "n = 200", MetadataMode.OFF).kept() == []


def test_partial_update_changes_its_columns_only() -> None:
    part = group(10, logs=[Log([row("k10", n=100)], columns=("n",))])
    made = MadeTable([part])
    assert len(planned(made, "n = 100 and s = 't10'").kept()) == 1
    assert planned(made, "s = 'other'").kept() == []
    assert planned(made, "n = 200 and s = 't10'").kept() == []
    # A partial update of a row that is not there leaves its other columns null.
    assert len(planned(made, "s is null and n = 100").kept()) == 1


def test_statistics_are_unknown_where_user_code_merges() -> None:
    """SOURCE-7."""
    logged = group(10, logs=[Log([row("k10", n=100)])])
    own = {"hoodie.record.merge.mode": "CUSTOM"}
    made = MadeTable([logged, group(10)], ("column_stats", "record_index"), properties=own)
    assert [item.file_id for item in planned(made, "n = 55").kept()] == [made.file_id(0)]
    assert planned(made, "p = 'w'").kept() == []


class TestSingleFiles:
    base = row("a", n=1, s="x"), row("b", n=2, s="y")

    def kept(self, log: Log, where: str, **properties: str) -> int:
        answer = {key.replace("_", "."): text for key, text in properties.items()}
        return len(planned(MadeTable([Group("u", self.base, [log])], properties=answer), where).kept())

    def test_conditions_that_hold_in_different_files_do_not_meet(self) -> None:
        """SOURCE-8."""
        log = Log([row("c", n=9, s="q")])
        assert self.kept(log, "n = 1 and s = 'q'") == 0
        assert self.kept(log, "n = 5") == 0
        assert self.kept(log, "n = 9 and s = 'q'") == 1
        assert self.kept(log, "n = 1 and s = 'x'") == 1

    def test_partial_updates_make_them_meet(self) -> None:
        """SOURCE-8."""
        log = Log([row("a", n=9)], columns=("n",))
        assert self.kept(log, "n = 9 and s = 'x'") == 1

    def test_merging_value_by_value_makes_them_meet(self) -> None:
        """SOURCE-8."""
        log = Log([row("a", n=9, s="q")])
        assert self.kept(log, "n = 9 and s = 'x'", hoodie_table_partial_update_mode="IGNORE_DEFAULTS") == 1

    def test_headers_are_read_only_of_slices_that_would_be_skipped(self) -> None:
        """SOURCE-8."""
        made = MadeTable([Group("u", self.base, [Log([row("c", n=9, s="q")])])])
        log = f"u/{made.log_name(0, 0)}"
        planned(made, "n = 1 and s = 'x'")
        assert log not in made.memory.reads
        planned(made, "n = 1 and s = 'q'")
        assert log in made.memory.reads
