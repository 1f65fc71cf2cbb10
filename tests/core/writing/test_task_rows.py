"""The rows of tasks, and the counts that plan them.

Also covers: `writing/announce.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column, string_list, take_strings
from hudi_core.commit.markers import MarkerKind
from hudi_core.creating.create import create_table
from hudi_core.planning.sources.sources import Sources
from hudi_core.table.open import open_table, refreshed
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import NOWHERE
from hudi_core.tagging.key_reader import key_columns
from hudi_core.writing.announce import marker_steps
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes, Planner
from hudi_core.writing.task_rows import Places, RowOrder, group_by_partition, rows_of_tasks
from hudi_core.writing.tasks import AppendLog, NewFile, RewriteFile, Task, of_attempt, row_count
from tests.support.drawing import cases

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
ROWS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("xy"), st.integers(-2, 1)), max_size=30)
TIME = "20260101000000000"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """Tables with a slice in each of two partitions."""
    made = {}
    for kind in ("cow", "mor"):
        folder = tmp_path_factory.mktemp(kind)
        table = create_table(folder / "t", TYPES, "id", partition_by="p", type=kind)
        write(table, pa.table({"id": ["a", "b"], "p": ["x", "y"], "n": [1, 2]}, schema=TYPES))
        made[kind] = open_table(folder / "t")
    return made


@given(ROWS, st.sampled_from(["cow", "mor"]), st.sampled_from([0, 1 << 20]), st.sampled_from([3, 1000]), st.booleans())
@settings(max_examples=cases(100), deadline=None)
def test_every_row_has_one_task_by_counts_alone(
    tables: dict[str, Table], rows: list[tuple[str, str, int]], kind: str, small: int, target: int, merges: bool
) -> None:
    """WRITE-420, WRITE-19: the plan is made of counts; its tasks get all rows, those of a slice and those of a key together."""
    keys = key_columns(string_column([key for key, _, _ in rows]), string_column([path for _, path, _ in rows]))
    # A key is in one slice in all its rows, or in none, or left out.
    chosen = {key: number for key, _, number in rows}
    slices = np.array([chosen[key] if merges else NOWHERE for key, _, _ in rows], np.int64)
    planner = Planner(Sources(tables[kind].snapshot()), TIME, 1.0, FileSizes(target + small, small))
    places = Places(slices)
    inserts = {path: len(of_path) for path, of_path in group_by_partition(keys, places.new_rows)}
    if merges:
        routes = planner.upsert(places.updates, set(), inserts, logs=kind == "mor")
    else:
        routes = planner.insert(inserts, fill=bool(small))
    tasks = rows_of_tasks(routes, keys, places, RowOrder.GLOBAL)
    taken = [_numbers(task) for task in tasks]
    assert sorted(row for numbers in taken for row in numbers) == np.flatnonzero(slices >= NOWHERE).tolist()
    assert sum(row_count(task) for task in routes.tasks) == sum(map(row_count, tasks))
    for task, numbers in zip(tasks, taken, strict=True):
        names = string_list(take_strings(keys.records, np.array(numbers, np.int64)))
        if merges:
            others = {
                rows[row][0:2] for other in taken if other is not numbers for row in other if slices[row] == NOWHERE
            }
            assert others.isdisjoint({rows[row][0:2] for row in numbers if slices[row] == NOWHERE})
        if isinstance(task, NewFile):
            assert names == sorted(names)
            assert task.distinct is (merges and len(set(names)) == len(names))


def _numbers(task: Task) -> list[int]:
    assert not isinstance(task.rows, int)
    return task.rows.tolist()


def _tasks(table: Table, version_time: str) -> dict[type, Any]:
    """A task of each kind."""
    made = {}
    for logs in (True, False):
        planner = Planner(Sources(table.snapshot()), version_time, 1.0, FileSizes(9, 0))
        for task in planner.upsert({0: 1}, set(), {"x": 1}, logs=logs).tasks:
            made[type(task)] = task
    return made


@pytest.mark.parametrize("version", [6, 8, 9])
def test_attempts_of_a_task_name_files_of_their_own(tmp_path: Path, version: int) -> None:
    """WRITE-421: but for a log file whose name does not belong to its write alone, as before table version 8."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor", version=version)
    write(table, pa.table({"id": ["a"], "p": ["x"], "n": [1]}, schema=TYPES))
    for kind, task in _tasks(refreshed(table), TIME).items():
        paths = {of_attempt(task, attempt).target.path for attempt in ("1-2", "1-3")}
        assert len(paths) == (1 if kind is AppendLog and version == 6 else 2)
        assert {path.count("-1-2") for path in paths} == ({0} if len(paths) == 1 else {0, 1})


def test_markers_name_what_is_done_to_a_file(tmp_path: Path) -> None:
    """WRITE-53: a change log has a marker, too."""
    options = {"hoodie.table.cdc.enabled": "true"}
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", type="mor", version=6, options=options)
    write(table, pa.table({"id": ["a"], "p": ["x"], "n": [1]}, schema=TYPES))
    latest = refreshed(table)
    kinds = {
        kind: [step.path.rpartition(".")[2] for step in marker_steps(task, TIME, latest.config)]
        for kind, task in _tasks(latest, TIME).items()
    }
    assert kinds == {
        NewFile: [MarkerKind.CREATE],
        AppendLog: [MarkerKind.APPEND],
        RewriteFile: [MarkerKind.MERGE, MarkerKind.APPEND],
    }
