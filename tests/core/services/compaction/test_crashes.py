"""Compactions that die at each call of the storage that changes something: rows stay as they are, and the plan is run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.commit.compaction_plans import read_plan
from hudi_core.front.opening import create_table, open_table
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.support.crashes import crashes, later
from tests.support.written_tables import TYPES, read, rows

INTO_LOGS = WriteOptions(sizes=FileSizes(small=0), clock=later)


def waiting(path: Path) -> list[str]:
    return [one.requested_time for one in open_table(path).timeline.pending if one.action == "compaction"]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("version", "indexed", "after", "step"), [(9, True, True, 4), (6, False, False, 3)])
def test_a_dead_compaction_changes_no_row(tmp_path: Path, version: int, indexed: bool, after: bool, step: int) -> None:
    """COMPACT-368."""
    indexes = ("column_stats", "record_index") if indexed else ()
    made = create_table(tmp_path / "made", TYPES, "id", partition_by="p", type="mor", version=version, indexes=indexes)  # type: ignore[arg-type]
    write(made, rows(("a", "x", 1), ("b", "x", 4), ("c", "y", 2), ("d", "y", 9)))
    write(made, rows(("a", "x", 5), ("c", "y", 3)), options=WriteOptions(sizes=FileSizes(small=0)))
    before = read(tmp_path / "made")
    required = MetadataMode.REQUIRE if indexed else MetadataMode.AUTO
    outcomes: set[bool] = set()
    for at, path in crashes(tmp_path / "made", compact, after=after, first=2, step=step):
        seen = [read(path, mode) for mode in (MetadataMode.AUTO, MetadataMode.OFF)]
        plans = waiting(path)
        outcomes.add(bool(plans))
        if plans:
            pending = open_table(path).timeline.pending
            (plan,) = [read_plan(open_table(path).timeline, one) for one in pending if one.action == "compaction"]
            assert len(plan.operations) == 2
        result = compact(open_table(path), CompactionOptions(clock=later))
        assert result.instant in (*plans, None) or not plans
        write(open_table(path), rows(("b", "x", 6), ("e", "x", 7)), options=INTO_LOGS)
        healed = sorted([("a", "x", 5), ("b", "x", 6), ("c", "y", 3), ("d", "y", 9), ("e", "x", 7)])
        found = [read(path, mode) for mode in (required, MetadataMode.OFF)]
        by_key = [read(path, required, f"id = '{row[0]}'") for row in healed]
        assert (at, seen, found, by_key, waiting(path)) == (
            at,
            [before] * 2,
            [healed] * 2,
            [[row] for row in healed],
            [],
        )
        findings = [finding for finding in open_table(path).validate() if finding.check != "leftovers"]
        assert findings == [], at  # one that died behind its commit leaves markers and a heartbeat
    assert outcomes == {False, True}
