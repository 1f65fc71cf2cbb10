"""Tasks that are slow at first, on a cluster of two hosts that runs them once more: `python speculation.py TABLE MARKS` prints
as JSON what was found, and which attempts looked into files.

A process of its own, since speculation takes a cluster, and a process has one session. Spark does not run a task twice on one
host; the two are addresses of this machine. Master and workers run in the driver's JVM, each executor in one of its own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext, TaskContext, cloudpickle
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from hudi_arrow.stores.storage import ArrowStorage
from hudi_core.engine import FileInfo
from hudi_core.front.opening import open_table
from hudi_core.tagging.choose import IndexType
from hudi_core.tagging.tag import TagOptions
from hudi_spark import native
from hudi_spark.front.table import SparkTable

ROOT = Path(__file__).parents[3]
HOSTS = ("127.0.0.2", "127.0.0.3")
PATIENCE = 30.0
"""Seconds after which an attempt no longer waits for the other."""
NAMES = ("record_key", "partition_path", "file_name")
WHERE = "city = 'oslo'"
FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of JVMs that live for seconds."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.driver.extraJavaOptions": FAST_START,
    "spark.executor.extraJavaOptions": FAST_START,
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.sql.shuffle.partitions": "2",
    "spark.speculation": "true",
    "spark.speculation.interval": "20ms",
    "spark.speculation.minTaskRuntime": "0ms",
    "spark.speculation.multiplier": "1.001",
    "spark.speculation.quantile": "0.1",
}


class Slow(ArrowStorage):
    """A storage on which the two attempts of a task wait for each other at their first files, so that both run at once."""

    def __init__(self, uri: str, marks: Path) -> None:
        super().__init__(uri)
        self._marks = marks

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_marks": self._marks}

    @contextmanager
    def base_file(self, file: FileInfo) -> Iterator[Any]:
        self._wait_for_other()
        with super().base_file(file) as opened:
            yield opened

    def open(self, path: str, size: int | None = None) -> Any:
        self._wait_for_other()
        return super().open(path, size)

    def _wait_for_other(self) -> None:
        task = TaskContext.get()
        if task is None or task.partitionId() != 0:
            return
        attempt = task.attemptNumber()
        mine, other = (self._marks / f"{task.stageId()}-{number}" for number in (attempt, 1 - attempt))
        mine.touch()
        end = time.monotonic() + PATIENCE
        while not other.exists() and time.monotonic() < end:
            time.sleep(0.005)


def cluster(folder: Path, others: Mapping[str, str] | None = None) -> SparkSession:
    """A session on a cluster of two hosts with a core each, which keep their files in a folder."""
    settings = {**SETTINGS, **(others or {}), "spark.executorEnv.PYTHONPATH": str(ROOT)}
    conf = SparkConf()
    for key, value in settings.items():
        conf.set(key, value)
    gateway = launch_gateway(conf)
    conf = SparkConf(_jvm=gateway.jvm)
    for key, value in settings.items():
        conf.set(key, value)
    none, deploy = gateway.jvm.scala.Option.empty(), gateway.jvm.org.apache.spark.deploy
    master = deploy.master.Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf._jconf)
    url = master._1().address().toSparkURL()
    urls = gateway.new_array(gateway.jvm.java.lang.String, 1)
    urls[0] = url
    for number, host in enumerate(HOSTS):
        named = gateway.jvm.scala.Option.apply(number)
        deploy.worker.Worker.startRpcEnvAndEndpoint(host, 0, 0, 1, 1024, urls, str(folder), named, conf._jconf, none)
    context = SparkContext(master=url, appName="speculation", conf=conf, gateway=gateway)
    return SparkSession(context)


def found(table: SparkTable) -> dict[str, Any]:
    """Rows as the Arrow reader gives them, and where some of their keys are."""
    rows = table.scan(columns=[f"_hoodie_{name}" for name in NAMES], where=WHERE).to_spark().collect()
    reported = sorted(map(list, rows))
    keys = [(key, path) for key, path, _ in reported[::100]]
    frame = table.spark.createDataFrame(keys, "record_key string, partition_path string")
    located = table.tag(frame, TagOptions(IndexType.SIMPLE), tasks=2).collect()
    return {"rows": reported, "located": sorted([row["record_key"], row["location"]["file_id"]] for row in located)}


def main(path: str, folder: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    spark = cluster(Path(folder) / "work")
    spark.sparkContext.setLogLevel("OFF")
    marks, opened = Path(folder) / "marks", open_table(path)
    marks.mkdir()
    native._is_able = lambda _: False  # no file is read by Spark itself
    slow = SparkTable(spark, replace(opened, storage=Slow(opened.storage.uri, marks)))
    reported = {**found(slow), "attempts": sorted(item.name for item in marks.iterdir())}
    print(json.dumps(reported))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
