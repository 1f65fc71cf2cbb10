"""Plans of clusterings that Apache Hudi requested and did not run: we run them."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

from hudi_core.cluster.operations import pending_clustering, run_requested
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.plan import read_plan
from hudi_core.front.opening import open_table
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.table import Table
from tests.support.conformance import TableEntry, each_table_where

_REQUESTED = re.compile(r"[^/]+/\.hoodie/(?:timeline/)?([0-9]+)\.(?:clustering|replacecommit)\.requested")


def waiting(entry: TableEntry) -> list[str]:
    """The times of replace commits and clusterings that were requested and not completed."""
    names = [path.rpartition("/")[2] for path in entry.files]
    times = [match[1] for path in entry.files if (match := _REQUESTED.fullmatch(path))]
    return [
        time for time in times if not any(re.fullmatch(rf"{time}(_[0-9]+)?\.replacecommit", name) for name in names)
    ]


def rows(table: Table) -> list[str]:
    """Rows with their meta columns, but for the file that they are in."""
    return sorted(str({**row, "_hoodie_file_name": None}) for row in table.scan().to_json_rows())


@each_table_where(waiting, "a clustering that waits")
def test_plans_of_apache_hudi_are_run(entry: TableEntry, tmp_path: Path) -> None:
    """CLUSTER-10, CLUSTER-20, CLUSTER-21."""
    path = tmp_path / entry.name
    copytree(entry.unpacked(), path)
    table = open_table(path)
    before = rows(table)
    for time in waiting(entry):
        plan = read_plan(table.timeline, pending_clustering(table, time))
        result = run_requested(table, time, ClusterOptions())
        assert (result.groups, result.files_in) == (len(plan.groups), len(plan.file_groups))
    for mode in (MetadataMode.REQUIRE, MetadataMode.OFF):
        after = open_table(path, metadata=mode)
        assert rows(after) == before
        assert list(after.timeline.pending) == []
