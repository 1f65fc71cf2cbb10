"""Clusterings that die at each call of the storage that changes something: rows stay as they are, and the plan is run again or
taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from hudi_core.cluster.operations import cancel, cluster, pending_clustering, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.errors import UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes
from tests.support.crashes import crashes, later
from tests.support.written_tables import TYPES, read, rows

OPTIONS = ClusterOptions(columns=("n",), sizes=FileSizes(2_500, 2_500))
LATER = ClusterOptions(columns=("n",), sizes=FileSizes(2_500, 2_500), clock=later)


def waiting(path: Path) -> list[str]:
    return [
        instant.requested_time
        for instant in open_table(path).timeline.pending
        if instant.action in ("clustering", "replacecommit")
    ]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("kind", "version", "indexes", "after", "step"), [("cow", 9, ["record_index"], True, 6), ("mor", 6, [], False, 3)]
)
def test_a_dead_clustering_changes_no_row(
    tmp_path: Path, kind: str, version: int, indexes: list[str], after: bool, step: int
) -> None:
    """CLUSTER-14, CLUSTER-15, CLUSTER-42."""
    made = create_table(tmp_path / "made", TYPES, "id", type=kind, version=version, indexes=indexes or None)
    write(made, rows(("a", "x", 1), ("b", "x", 4)), "append")
    write(made, rows(("c", "y", 2), ("d", "y", 9)), "append")
    write(made, rows(("a", "x", 5)))
    before = read(tmp_path / "made")
    required = MetadataMode.REQUIRE if indexes else MetadataMode.AUTO
    outcomes: set[bool] = set()
    points = crashes(tmp_path / "made", lambda table: cluster(table, OPTIONS), after=after, first=2, step=step)
    for number, (at, path) in enumerate(points):
        seen = [read(path, mode) for mode in (MetadataMode.AUTO, MetadataMode.OFF)]
        plans = waiting(path)
        for plan in plans:
            if number % 2:
                run_requested(open_table(path), plan, LATER)
            else:
                cancel(open_table(path), plan, LATER)
                with pytest.raises(UsageError):
                    pending_clustering(open_table(path), plan)
        outcomes.add(bool(plans))
        write(open_table(path), rows(("b", "x", 6), ("e", "x", 7)), options=WriteOptions(clock=later))
        healed = sorted([("a", "x", 5), ("b", "x", 6), ("c", "y", 2), ("d", "y", 9), ("e", "x", 7)])
        found = [read(path, mode) for mode in (required, MetadataMode.OFF)]
        by_key = [read(path, required, f"id = '{row[0]}'") for row in healed]
        assert (at, seen, found, by_key, waiting(path)) == (
            at,
            [before] * 2,
            [healed] * 2,
            [[row] for row in healed],
            [],
        )
    assert outcomes == {False, True}
