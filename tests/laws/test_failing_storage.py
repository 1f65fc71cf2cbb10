"""Changes that storage does not take, one write after the other: the table is as before or as after, and others go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.timeline.instants import CLEAN, COMMIT, COMPACTION, DELTA_COMMIT, INDEXING, RESTORE, ROLLBACK
from hudi_core.validation.findings import Severity
from tests.support.drawing import SOAK
from tests.support.failing import failures

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("n", pa.int64())])
ACTIONS: dict[str, Callable[[Table], object]] = {
    "upsert": lambda table: table.upsert(rows("a3", "q3")),
    "clean": lambda table: table.clean(keep_commits=1),
    "savepoint": lambda table: table.savepoint(),
    "rollback": lambda table: table.rollback(table.timeline.commits[-1].requested_time),
    "restore": lambda table: table.restore(table.savepoints()[0].instant),
    "compact": lambda table: table.compact(),
    "cluster": lambda table: table.cluster(columns=["n"]),
    "index": lambda table: table.index("bloom_filters"),
    "rebuild": lambda table: table.index("column_stats", rebuild=True),
}
UNFINISHED = {
    "clean": {CLEAN}, "rollback": {ROLLBACK, COMMIT, DELTA_COMMIT}, "restore": {RESTORE, INDEXING}, "compact": {COMPACTION},
    "index": {INDEXING}, "rebuild": {INDEXING},
}  # fmt: skip
"""What is left pending where files are gone already, properties cannot be put back, or a rollback keeps a plan: the next run goes
on with it."""


def rows(*values: str) -> pa.Table:
    return pa.Table.from_pylist([{"id": value[0], "p": value[0], "n": int(value[1])} for value in values], TYPES)


def made(path: Path, kind: str) -> None:
    table = create_table(path, TYPES, "id", partition_by="p", type=kind, version=9, indexes=["column_stats"])  # type: ignore[arg-type]
    table.insert(rows("a1", "b1"))
    table.refresh().upsert(rows("a2"))
    table.refresh().savepoint()
    table.refresh().append(rows("b5"))
    table.refresh().upsert(rows("a3"))


def read(path: Path, mode: MetadataMode = MetadataMode.AUTO) -> list[tuple[str, int]]:
    return sorted((row["id"], row["n"]) for row in open_table(path, metadata=mode).scan().to_json_rows())


@pytest.mark.each_value
@pytest.mark.filterwarnings("ignore:the table is as wanted", "ignore:.*is complete, but left something")
@pytest.mark.parametrize("is_full", [True, False], ids=["a full disk", "one change denied"])
@pytest.mark.parametrize("name", list(ACTIONS))
def test_a_change_that_storage_refuses_leaves_the_table_before_or_after_it(
    tmp_path: Path, name: str, is_full: bool
) -> None:
    """COMMIT-1410, ROLLBACK-1403, CLEAN-1405, RESTORE-1406, RESTORE-1407."""
    kind = "mor" if name in ("compact", "rollback") else "cow"
    made(tmp_path / "made", kind)
    made(tmp_path / "after", kind)
    action = ACTIONS[name]
    action(open_table(tmp_path / "after"))
    before, after = read(tmp_path / "made"), read(tmp_path / "after")
    for path, failed in failures(tmp_path / "made", action, is_full=is_full, step=1 if SOAK else 9):
        found, table = read(path), open_table(path)
        assert found == read(path, MetadataMode.OFF), failed
        pending = {instant.action for instant in table.timeline.pending}
        assert found in (before, after) or RESTORE in pending, failed
        if found == before and name in ("upsert", "savepoint", "rollback", "cluster", "restore"):
            assert pending == set(), failed
        assert not pending or pending & UNFINISHED.get(name, set()), failed
        assert [one for one in table.validate() if one.severity is Severity.ERROR] == [], failed
        if RESTORE in pending:
            action(table)  # until it is finished no write begins
        table.refresh().upsert(rows("z9"))
        assert read(path) == sorted([*(after if RESTORE in pending else found), ("z", 9)]), failed
        assert open_table(path).clean(keep_commits=9).state in ("completed", "nothing to clean"), failed
        if name == "compact":
            action(open_table(path))
        assert {one.action for one in open_table(path).timeline.pending} <= {INDEXING}, failed
