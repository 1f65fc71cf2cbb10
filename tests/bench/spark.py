"""Reading, planning and tagging through Spark, beside Apache Hudi's bundle on the same version of Spark, `local[2]`.

Each side has a JVM of its own. Ours is warm after its first call, as Apache Hudi's is in its script. A plan ends where Spark
knows its tasks on both sides: file splits are made and code is generated (`toRdd().getNumPartitions()`).
"""

from __future__ import annotations

import importlib
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions
from tests.bench import apache_hudi
from tests.bench.read import COLUMNS, assert_exact_plans, lookups
from tests.bench.tag import COMPARED, INDEXES, place
from tests.bench.timing import Missing, Pair, Unbuilt

_KINDS = {
    "tag_bloom_metadata": ("cow_tag", IndexType.BLOOM),
    "tag_record_index": ("cow_tag_rli", IndexType.RECORD_INDEX),
}


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "apache-hudi":
        raise Unbuilt("no measurement of this case")
    match case:
        case "plan_cold_10000_files":
            root = apache_hudi.table("cow_plan")
            peer_s = apache_hudi.measurement("plan", "cold_point_10000_files", "tasks")
            return Pair(planner(root), peer_s, _exact_plans(root), 10)
        case "plan_warm_10000_files":
            root = apache_hudi.table("cow_plan")
            peer_s = apache_hudi.measurement("plan", "warm_point_10000_files", "tasks")
            return Pair(planner(root, loaded=True), peer_s, _exact_plans(root), 5)
        case "cow_full_noop" | "mor_snapshot_noop":
            root = apache_hudi.table("cow_read" if case.startswith("cow") else "mor_read")
            return Pair(
                partial(read_all, root),
                apache_hudi.measurement("read", case),
                lambda _, __: _equal_hash(root, case),
                0.0,
            )
        case _:
            return _tagging(case)


def _tagging(case: str) -> Pair:
    kind = next((kind for kind in _KINDS if case.startswith(kind)), None)
    if kind is None:
        raise Unbuilt("no measurement of this case")
    name, index = _KINDS[kind]
    root = apache_hudi.table(name)
    sizes = json.loads((root.parent / "sizes.json").read_text("utf-8"))["inputs"]
    rows = _keys(str(root.parent / "cow_tag_keys"))
    options = TagOptions(index)

    def ours() -> int:
        located = hudi_spark().open(_session(), str(root)).tag(rows, options)
        return int(located.selectExpr("count(location) as n", "count(*) as m").collect()[0]["n"])

    def check(located: object, _: object) -> None:
        assert located == sizes["tag_present"], f"{located} keys are located, the table has {sizes['tag_present']}"
        tagged = hudi_spark().open(_session(), str(root)).tag(rows, options)
        assert not _misplaced(root, tagged)
        every = sizes["tag_batch"] // COMPARED
        sampled = tagged.where(f"pmod(xxhash64(record_key), {every}) = 0").limit(COMPARED).collect()
        places = {(row.record_key, row.partition_path): place(row.location) for row in sampled}
        apache_hudi.assert_same_locations(root, INDEXES[index], places)

    return Pair(ours, apache_hudi.measurement("tag", f"{case.removeprefix('tag_')}_best"), check, 0.0)


def _misplaced(root: Path, located: Any) -> int:
    """How many keys have another location than a join with the keys in all base files gives them."""
    stored = _session().read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*_*.parquet")
    files = [str(file) for file in sorted(root.rglob("*.parquet")) if ".hoodie" not in file.parts]
    keys = stored.parquet(*files).selectExpr(
        "_hoodie_record_key as record_key",
        "_hoodie_partition_path as partition_path",
        "substring_index(_hoodie_file_name, '_', 1) as file_id",
    )
    joined = located.join(keys, ["record_key", "partition_path"], "left")
    return int(joined.where("not (location.file_id <=> file_id)").count())


def planner(root: Path, *, loaded: bool = False) -> Callable[[], int]:
    """Plans a point lookup, another one each time, as far as to the number of its tasks."""
    table, values = hudi_spark().open(_session(), str(root)) if loaded else None, lookups()

    def plan() -> int:
        scan = (table or hudi_spark().open(_session(), str(root))).scan(where=f"a = {next(values)}")
        return int(scan.to_spark()._jdf.queryExecution().toRdd().getNumPartitions())

    return plan


def planner_of_all(root: Path) -> Callable[[], object]:
    """Plans a scan that leaves all files."""
    scan = hudi_spark().open(_session(), str(root)).scan(read_optimized=True)
    return lambda: scan.to_spark()._jdf.queryExecution().executedPlan()


def _exact_plans(root: Path) -> Callable[[object, object], None]:
    """As many tasks as Apache Hudi has, which does not tell of which files; and ours are those that footers name."""

    def check(ours: object, peer: object) -> None:
        _equal(ours, peer)
        table = hudi_spark().open(_session(), str(root))
        assert_exact_plans(root, lambda value: table.scan(where=f"a = {value}").plan)

    return check


def _rows(root: Path) -> Any:
    return hudi_spark().open(_session(), str(root)).scan(columns=COLUMNS).to_spark()


def read_all(root: Path) -> None:
    _rows(root).write.format("noop").mode("overwrite").save()


def _equal(ours: object, peer: object) -> None:
    assert ours == peer, f"{ours}, the peer has {peer}"


def _equal_hash(root: Path, case: str) -> None:
    """Rows go nowhere: compared are their number and the xor of the hashes of all of them."""
    ours, theirs = _hash(_rows(root)), apache_hudi.rows_and_hash(case.replace("_noop", "_agg"))
    assert ours == theirs, f"{ours} rows and hash, the peer has {theirs}"


def rows_and_hash(batches: Iterable[pa.RecordBatch]) -> tuple[int, int]:
    """The number of rows in Arrow batches, and the xor of Spark's `xxhash64` of each row."""
    with tempfile.TemporaryDirectory(prefix="bench-rows-") as folder:
        writer = None
        for batch in batches:
            writer = writer or pq.ParquetWriter(f"{folder}/rows.parquet", batch.schema)
            writer.write_batch(batch)
        if writer is None:
            return 0, 0
        writer.close()
        return _hash(_session().read.parquet(folder))


def _hash(frame: Any) -> tuple[int, int]:
    row = frame.selectExpr("count(*) as n", f"bit_xor(xxhash64({', '.join(COLUMNS)})) as h").collect()[0]
    return int(row["n"]), int(row["h"])


@cache
def _keys(path: str) -> Any:
    """The keys to be tagged, held by Spark as Apache Hudi's are."""
    rows = _session().read.parquet(path).selectExpr("id as record_key", "part as partition_path").cache()
    rows.count()
    return rows


@cache
def _session() -> Any:
    config = {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
    }
    return started(config)


def started(config: Mapping[str, str]) -> Any:
    """A session of two cores, which warns of nothing."""
    session = hudi_spark().session("local[2]", config=config)
    session.sparkContext.setLogLevel("ERROR")
    return session


def hudi_spark() -> Any:
    """The engine. Raises `Missing` without PySpark."""
    try:
        importlib.import_module("pyspark")
    except ModuleNotFoundError:
        raise Missing("PySpark is not installed") from None
    return importlib.import_module("hudi_spark")
