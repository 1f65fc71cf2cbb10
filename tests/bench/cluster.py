"""Five million rows of 12 columns in 20 files, clustered by two columns into some 25: plan, run and commit, all indexes kept.

Each run works on a copy of the table, made of hard links. The peer is Apache Hudi's `run_clustering` by the same columns,
measured on the same machine; what its files are worth for skipping stands in its own lines.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from hudi_core.cluster.layout import Strategy
from hudi_core.cluster.operations import cluster
from hudi_core.cluster.options import ClusterOptions
from hudi_core.cluster.result import ClusterResult
from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from hudi_core.writing.plan import FileSizes
from tests.bench import apache_hudi, replace_metadata
from tests.bench.read import assert_same_rows, batches
from tests.bench.timing import Pair, Unbuilt

_CASES = {"linear_5m_12_columns": Strategy.LINEAR, "zorder_5m_12_columns": Strategy.ZORDER}
WITHOUT_GOAL = [(case, "fastavro") for case in replace_metadata.CASES]
_COLUMNS = ("a", "b")
_FILES = 25
_KEPT = {Strategy.LINEAR: (1.1, _FILES * 2), Strategy.ZORDER: (10.0, 10.0)}
"""Of about 25 files those that a predicate on one value may keep, on the first column and on the second: on average."""
_POINTS = range(50_000, 1_000_000, 100_000)


@dataclass(frozen=True)
class Clustered:
    """A copy of the table after its clustering."""

    result: ClusterResult
    table: Table
    rows_before: int


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case; of metadata of replace commits that of `replace_metadata`."""
    if case.startswith("replace_metadata"):
        return replace_metadata.pair(case, peer)
    if peer != "apache-hudi" or case not in _CASES:
        raise Unbuilt("no measurement of this case")
    strategy = _CASES[case]
    source = apache_hudi.table("cow_read")
    scratch = tempfile.TemporaryDirectory(prefix="hudi-core-bench-")
    made: list[Path] = []

    def ours() -> Clustered:
        path = Path(scratch.name) / str(len(made))
        made.append(path)
        copytree(source, path, copy_function=os.link)
        table = open_table(str(path))
        size = sum(file.size for file_slice in table.slices() for file in file_slice.files)
        options = ClusterOptions(strategy, _COLUMNS, FileSizes(-(-size // _FILES), size))
        return Clustered(cluster(table, options), open_table(str(path)), table.scan().count())

    def check(clustered: Clustered, _: object) -> None:
        assert clustered.result.rows == clustered.rows_before == clustered.table.scan().count()
        assert_same_rows(batches(source), batches(made[-1]), ordered=False)
        for column, most in zip(_COLUMNS, _KEPT[strategy], strict=True):
            kept = [len(clustered.table.scan(f"{column} = {value}").plan.kept()) for value in _POINTS]
            assert sum(kept) / len(kept) <= most, f"{column}: {kept}"

    return Pair(ours, apache_hudi.measurement("cluster", f"{strategy}_2_columns"), check, 0.0, burst=1)
