"""Five million rows of 12 columns in 20 files, clustered along a Z-order curve by two columns into some 25, in one session.

Both sides work on copies of the table that Apache Hudi wrote, whose data files are links; the copy is part of both times. Ours
runs on the session's executors, the peer by its procedure `run_clustering`; both keep column statistics. Compared are the number
of all rows then, and the xor of their hashes.
"""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from hudi_core.writing.plan import FileSizes
from tests.bench import apache_hudi
from tests.bench.spark import hudi_spark
from tests.bench.spark_write import copy_table, folder_of_tables, session
from tests.bench.timing import Pair, Unbuilt

COLUMNS: Final = ("id", "ts", "a", "b", "l", "x", "dec", "flag", "cat", "name", "day", "at")
_ORDER: Final = ("a", "b")
_FILES: Final = 25
_PEER: Final = {
    "hoodie.clustering.plan.strategy.small.file.limit": 1 << 40,
    "hoodie.clustering.plan.strategy.max.bytes.per.group": 1 << 40,
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.partition.stats.enable": "false",
    "hoodie.datasource.write.row.writer.enable": "true",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
}


def pair(case: str, peer: str) -> Pair:
    """The measurement of the case. Raises `Unbuilt` for another, `Missing` for what the machine lacks."""
    if peer != "apache-hudi" or case != "cluster_zorder_5m_12_columns":
        raise Unbuilt("no measurement of this case")
    session()
    apache_hudi.table("cow_read")
    return Pair(partial(_cluster, "ours"), partial(_cluster, "peer"), _assert_same, 1.0, 1, burst=1)


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bench-spark-write-", dir=folder_of_tables())


def _cluster(side: str) -> Path:
    """A copy of the table after its clustering."""
    source, copies = apache_hudi.table("cow_read"), Path(_scratch().name)
    path = copies / f"{side}-{len(list(copies.iterdir()))}"
    copy_table(source, path)
    size = sum(file.stat().st_size for file in source.rglob("*.parquet") if ".hoodie" not in file.parts)
    if side == "ours":
        table = hudi_spark().open(session(), str(path))
        sizes = FileSizes(-(-size // _FILES), size)
        result = table.cluster(columns=_ORDER, strategy="zorder", sizes=sizes)
        assert result.state == "completed"
    else:
        target = int(size / _FILES * 1.02)
        options = {
            **_PEER,
            "hoodie.clustering.plan.strategy.target.file.max.bytes": target,
            "hoodie.parquet.max.file.size": target,
        }
        text = ",".join(f"{name}={value}" for name, value in options.items())
        spark = session()
        # A value with commas cannot stand in the procedure's text.
        spark.conf.set("hoodie.metadata.index.column.stats.column.list", ",".join(COLUMNS))
        spark.sql(
            f"call run_clustering(path => '{path}', op => 'scheduleAndExecute', order => '{','.join(_ORDER)}', "
            f"order_strategy => 'zorder', options => '{text}')"
        ).collect()
    return path


def _assert_same(ours: Path, theirs: Path) -> None:
    answers = [_rows_and_hash(path) for path in (ours, theirs)]
    assert answers[0] == answers[1], answers
    kept = [len(hudi_spark().open(session(), str(path)).table.slices()) for path in (ours, theirs)]
    assert min(kept) > 1, kept


def _rows_and_hash(path: Path) -> tuple[int, int]:
    frame: Any = hudi_spark().open(session(), str(path)).scan(columns=list(COLUMNS)).to_spark()
    row = frame.selectExpr("count(*) as n", f"bit_xor(xxhash64({', '.join(COLUMNS)})) as h").collect()[0]
    return int(row["n"]), int(row["h"])
