"""Whatever a merge-on-read table went through, a compaction changes no row, no answer of an earlier time, and leaves indexes that
state what the files hold, also where the schema changes between its plan and its run: COMPACT-364, COMPACT-367, COMPACT-370,
COMPACT-374, COMPACT-375, COMPACT-1485, COMMIT-1545, WRITE-1484.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.services.compaction.operations import compact, plan_only, run_requested
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.writing.by_predicate import update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.laws.test_writes_keep_indexes import add, delete, drop, widen
from tests.support.drawing import SOAK, each_pair, seed
from tests.support.drawn_tables import DrawnTable

KINDS = each_pair(version=[6, 8, 9], meta=[True, False], buckets=[0, 2])
"""Tables of buckets have new keys in log files."""
INTO_LOGS = WriteOptions(sizes=FileSizes(small=0))
SEQUENCES = 12 if SOAK else 1
STEPS = 4


def change_rows(drawn: DrawnTable) -> None:
    write(drawn.open(), drawn.batch(drawn.rows()), options=INTO_LOGS)


def change_columns(drawn: DrawnTable) -> None:
    """A partial update, where readers merge it."""
    options = WriteOptions(sizes=FileSizes(small=0), partial_updates=True)
    update(drawn.open(), {"v": drawn.row()["v"]}, f"ts <= {drawn.random.randrange(4)}", options)


CHANGES: tuple[Callable[[DrawnTable], object], ...] = (
    change_rows,
    change_rows,
    change_columns,
    delete,
    widen,
    add,
    drop,
)


def change_beside(change: Callable[[DrawnTable], object], drawn: DrawnTable) -> None:
    """A change while a compaction is pending. It is refused where a row would bring a deleted one back, and nothing changes: rule
    WRITE-1462."""
    before = Seen.of(drawn.path)
    try:
        change(drawn)
    except UnsupportedError as error:
        assert "bring back a deleted one" in str(error)
        assert Seen.of(drawn.path) == before


@dataclass(frozen=True)
class Seen:
    """The rows of a table, as text, without the name of the file that they are in."""

    rows: list[str]
    listed: list[str]

    @staticmethod
    def of(path: Path, as_of: str | None = None) -> Seen:
        found = []
        for mode in (MetadataMode.AUTO, MetadataMode.OFF):
            batch = open_table(path, metadata=mode).scan(as_of=as_of).to_arrow().to_pylist()
            found.append(sorted(str({**row, "_hoodie_file_name": None}) for row in batch))
        return Seen(*found)


def compacted(drawn: DrawnTable) -> None:
    """Log files are merged into one first, or not; then that is the state to keep."""
    done = ("completed", "nothing to compact")
    if drawn.random.random() < 0.6:
        assert compact(drawn.open(), CompactionOptions(of_logs=True, min_log_blocks=2)).state in done
        if drawn.random.random() < 0.5:
            return
    assert compact(drawn.open()).state in done


@pytest.mark.each_value
@KINDS
def test_a_compaction_changes_no_row(tmp_path: Path, version: int, meta: bool, buckets: int) -> None:
    for number in range(SEQUENCES):
        random = Random(seed(11 * number + version))
        drawn = DrawnTable.create(
            random, tmp_path / f"t{number}", kind="mor", version=version, meta=meta, buckets=buckets
        )
        for _ in range(2):
            steps = [random.choice(CHANGES) for _ in range(STEPS)]
            for step in steps:
                step(drawn)
            history = (drawn.settings, [step.__name__ for step in steps])
            before, last = Seen.of(drawn.path), drawn.open().timeline.commits[-1].requested_time
            assert before.rows == before.listed, history
            compacted(drawn)
            assert Seen.of(drawn.path) == before, history
            assert Seen.of(drawn.path, last) == before, history
            assert findings(drawn.path) == [], history


@pytest.mark.one_of(3)
@KINDS
def test_what_writers_do_meanwhile_stays(tmp_path: Path, version: int, meta: bool, buckets: int) -> None:
    for number in range(SEQUENCES):
        random = Random(seed(13 * number + version))
        drawn = DrawnTable.create(
            random, tmp_path / f"t{number}", kind="mor", version=version, meta=meta, buckets=buckets
        )
        of_logs = CompactionOptions(of_logs=random.random() < 0.3, min_log_blocks=2)
        while (waiting := plan_only(drawn.open(), of_logs)).instant is None:
            change_rows(drawn)
        steps = [random.choice(CHANGES) for _ in range(2)]
        for step in steps:
            change_beside(step, drawn)
        settings = (drawn.settings, [step.__name__ for step in steps])
        times = [waiting.instant, *(one.requested_time for one in drawn.open().timeline.commits[-2:])]
        then, schema = [Seen.of(drawn.path, time) for time in times], drawn.open().schema
        between: list[Seen] = []

        def write_beside(_done: int, _of: int, drawn: DrawnTable = drawn, between: list[Seen] = between) -> None:
            if not between:
                change_beside(change_rows, drawn)
                between.append(Seen.of(drawn.path))

        run_requested(drawn.open(), waiting.instant, CompactionOptions(progress=write_beside))
        assert [Seen.of(drawn.path)] == between, settings
        assert [Seen.of(drawn.path, time) for time in times] == then, settings
        assert drawn.open().schema == schema, settings
        assert findings(drawn.path) == [], settings
        change_rows(drawn)
        before = Seen.of(drawn.path)
        compacted(drawn)
        assert Seen.of(drawn.path) == before, settings
        assert findings(drawn.path) == [], settings


def findings(path: Path) -> list[str]:
    return [str(finding) for finding in open_table(path).validate()]
