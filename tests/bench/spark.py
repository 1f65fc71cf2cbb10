"""Reading, planning and tagging through Spark, beside Apache Hudi's bundle on the same version of Spark, `local[2]`.

Each side has a JVM of its own. Ours is warm after its first call, as Apache Hudi's is in its script.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from hudi_core.index.choose import IndexKind
from hudi_core.index.tag import TagOptions
from tests.bench import apache_hudi
from tests.bench.timing import Missing, Pair

COLUMNS = ("id", "ts", "a", "b", "l", "x", "dec", "flag", "cat", "name", "day", "at")
_KINDS = {
    "tag_bloom_metadata": ("cow_tag", IndexKind.BLOOM),
    "tag_record_index": ("cow_tag_rli", IndexKind.RECORD_INDEX),
}


def pair(case: str, peer: str) -> Pair:
    """The measurement of a case."""
    if peer != "apache-hudi":
        raise Missing("no such measurement")
    match case:
        case "plan_cold_10000_files":
            root = apache_hudi.table("cow_plan")
            return Pair(_planner(root), apache_hudi.seconds("plan", "cold_point_10000_files"), _one_file, 10)
        case "plan_warm_10000_files":
            root = apache_hudi.table("cow_plan")
            return Pair(
                _planner(root, loaded=True), apache_hudi.seconds("plan", "warm_point_10000_files"), _one_file, 5
            )
        case "cow_full_noop" | "mor_snapshot_noop":
            root = apache_hudi.table("cow_read" if case.startswith("cow") else "mor_read")
            return Pair(partial(_read, root), apache_hudi.seconds("read", case), _none, 0.0)
        case _:
            return _tagging(case)


def _tagging(case: str) -> Pair:
    kind = next((kind for kind in _KINDS if case.startswith(kind)), None)
    if kind is None:
        raise Missing("no such measurement")
    name, index = _KINDS[kind]
    root = apache_hudi.table(name)
    sizes = json.loads((root.parent / "sizes.json").read_text("utf-8"))["inputs"]
    rows = _keys(str(root.parent / "cow_tag_keys"))
    options = TagOptions(index)

    def ours() -> int:
        found = _hudi_spark().open(_session(), str(root)).tag(rows, options)
        return int(found.selectExpr("count(location) as n", "count(*) as m").collect()[0]["n"])

    def check(found: object, _: object) -> None:
        assert found == sizes["tag_present"]

    return Pair(ours, apache_hudi.seconds("tag", f"{case.removeprefix('tag_')}_best"), check, 0.0)


def _planner(root: Path, *, loaded: bool = False) -> Callable[[], int]:
    """Plans a point lookup down to Spark's physical plan, which knows its files; another one each time.

    Apache Hudi's side goes on to the tasks, since it does not look for files before: it also generates their code, about 0.05 s.
    """
    table, numbers = _hudi_spark().open(_session(), str(root)) if loaded else None, count(5_000)

    def plan() -> int:
        # One value of `a` lies in one file.
        asked = f"a = {next(numbers) % 10_000 * 100 + 50}"
        scan = (table or _hudi_spark().open(_session(), str(root))).scan(where=asked)
        scan.to_spark()._jdf.queryExecution().executedPlan()
        return len(scan.scan.parts())

    return plan


def _read(root: Path) -> None:
    frame = _hudi_spark().open(_session(), str(root)).scan(columns=COLUMNS).to_spark()
    frame.write.format("noop").mode("overwrite").save()


def _one_file(ours: object, peer: object) -> None:
    if ours != 1:
        raise AssertionError(f"{ours} files are kept, not one")


def _none(ours: object, peer: object) -> None:
    """Rows go nowhere; that they are right is tested elsewhere."""


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
    session = _hudi_spark().session("local[2]", config=config)
    session.sparkContext.setLogLevel("ERROR")
    return session


def _hudi_spark() -> Any:
    try:
        importlib.import_module("pyspark")
    except ModuleNotFoundError:
        raise Missing("PySpark is not installed") from None
    return importlib.import_module("hudi_spark")
