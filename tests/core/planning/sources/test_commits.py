"""What names of files tell of the commits of rows."""

from __future__ import annotations

import numpy as np
import pytest

from hudi_core.engine import FileInfo
from hudi_core.expr.bind import bind
from hudi_core.expr.parse import parse_predicate
from hudi_core.planning.sources.commits import CommitTimes
from hudi_core.schema.meta import COMMIT_TIME
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types.nodes import Field, Int, Record, String

SCHEMA = Schema(Record((Field(0, COMMIT_TIME, String()), Field(1, "a", Int()))))
ASKED = CommitTimes("committed after 15", frozenset({"30", "40"}), "15", "20")


def slice_of(base: str | None, *logs: str) -> FileSlice:
    files = tuple(FileInfo(f".f_{log}.log.1_0-1-2", 1) for log in logs)
    return FileSlice("", "f", base or logs[0], FileInfo(f"f_0-1-2_{base}.parquet", 1) if base else None, files)


SLICES = [slice_of("10"), slice_of("18"), slice_of("20"), slice_of("30"), slice_of("20", "25"), slice_of("20", "40")]


@pytest.mark.parametrize(
    ("layout", "kept"), [(2, [False, True, False, True, False, True]), (1, [False, True, False, True, True, True])]
)
def test_slices_without_a_file_of_the_commits_hold_no_row_of_them(layout: int, kept: list[bool]) -> None:
    """QUERY-11."""
    source = ASKED.source(SLICES, layout, SCHEMA)
    assert source.open is not None
    condition = ASKED.condition(SCHEMA).predicate
    known = source.open(np.arange(len(SLICES), dtype=np.int64), condition)
    assert known.possible(condition).tolist() == kept
    assert not known.certain(condition).any()
    assert known.possible(bind(parse_predicate("a = 1"), SCHEMA)).all()


def test_only_the_requested_slices_are_answered_for() -> None:
    source = ASKED.source(SLICES, 2, SCHEMA)
    assert source.open is not None
    condition = ASKED.condition(SCHEMA).predicate
    assert source.open(np.array([0, 3]), condition).possible(condition).tolist() == [False, True]


def test_the_condition_is_shown_in_words() -> None:
    condition = ASKED.condition(SCHEMA)
    assert condition.text == "committed after 15"
    assert CommitTimes("x", frozenset(), "15", None).condition(SCHEMA).text == "x"
    assert CommitTimes("x", frozenset(), "15", "20").condition(SCHEMA).text == "x"
