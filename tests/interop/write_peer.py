"""A writer of Apache Hudi that goes on for long: run in its environment, with its scripts on the path.

    python write_peer.py

Each line of the standard input is a JSON object: `table`; `op`, of Apache Hudi or `read`; `rows`, lists of values in the order of
`columns`, Spark's types by name; `options`; and `waits_for`: the rows are given only when there is a file of that path, and
`PATH.reached` says that they are wanted. By then the write has begun. Each line of the answer has `state`: written, refused
(another writer was first), or failed; `message`; and the `rows` that were read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import oracle
from pyspark.sql import functions

LOCKS = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider",
    "hoodie.write.lock.client.num_retries": "60",
    "hoodie.write.lock.client.wait_time_ms_between_retry": "500",
    "hoodie.clean.failed.writes.policy": "LAZY",
}
_REFUSALS = (
    "HoodieWriteConflictException", "ConcurrentModificationException", "HoodieLockException",
    "Could not read commit details",  # a plan of another was taken back between a listing and a look at it
    "should be part of inflight metadata partitions",  # others compacted and cleaned the metadata table since it was listed
    '"this.writeConfig" is null',  # its archive merges files of the history before it has written one
)  # fmt: skip
_LINES = 8
"""Lines of an error and of each cause that are reported."""
_BY_INDEX = {
    "column_stats": "hoodie.metadata.index.column.stats.enable",
    "partition_stats": "hoodie.metadata.index.partition.stats.enable",
    "bloom_filters": "hoodie.metadata.index.bloom.filter.enable",
    "record_index": "hoodie.metadata.global.record.level.index.enable",
}


def options_of(path: str) -> dict[str, str]:
    """Options under which Apache Hudi writes the table as it is, beside other writers, without services."""
    stated = oracle.properties(path)
    indexes = stated.get("hoodie.table.metadata.partitions", "").split(",")
    return {
        "hoodie.table.name": stated["hoodie.table.name"],
        "hoodie.write.table.version": stated["hoodie.table.version"],
        "hoodie.write.auto.upgrade": "false",
        "hoodie.datasource.write.table.type": stated["hoodie.table.type"],
        "hoodie.datasource.write.recordkey.field": stated["hoodie.table.recordkey.fields"],
        "hoodie.datasource.write.partitionpath.field": stated.get("hoodie.table.partition.fields", ""),
        "hoodie.write.markers.type": "DIRECT",
        "hoodie.clean.automatic": "false",
        "hoodie.archive.automatic": "false",
        "hoodie.compact.inline": "false",
        "hoodie.metadata.enable": str(bool(indexes[0])).lower(),
        **{option: str(name in indexes).lower() for name, option in _BY_INDEX.items()},
        **({"hoodie.index.type": "RECORD_INDEX"} if "record_index" in indexes else {}),
        **{f"hoodie.{name}.shuffle.parallelism": "1" for name in ("insert", "upsert", "delete", "bulkinsert")},
        **LOCKS,
    }


def waiting(frame: Any, path: str) -> Any:
    """The rows, which come when there is a file."""

    def wait(value: Any) -> Any:
        Path(f"{path}.reached").touch()
        while not Path(path).exists():
            time.sleep(0.05)
        return value

    name, kind = frame.columns[0], frame.schema[0].dataType
    return frame.withColumn(name, functions.udf(wait, kind).asNondeterministic()(functions.col(name)))


def read(spark: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """All rows, as Apache Hudi reads them."""
    names = [column.split()[0] for column in ask["columns"].split(",")]
    rows = spark.read.format("hudi").load(ask["table"]).select(*names).collect()
    return {"state": "read", "message": "", "rows": [list(row) for row in rows]}


def shorten(text: str) -> str:
    """The first lines of a message of Java, and of each of its causes."""
    lines = text.splitlines()
    begins = [number for number, line in enumerate(lines) if number == 0 or line.startswith("Caused by")]
    return "\n".join(line for begin in begins for line in lines[begin : begin + _LINES])


def write(spark: Any, ask: dict[str, Any]) -> dict[str, Any]:
    path = ask["table"]
    frame = spark.createDataFrame([tuple(row) for row in ask["rows"]], ask["columns"]).coalesce(1)
    if ask.get("waits_for"):
        frame = waiting(frame, ask["waits_for"])
    options = {**options_of(path), **ask.get("options", {}), "hoodie.datasource.write.operation": ask["op"]}
    try:
        frame.write.format("hudi").options(**options).mode("append").save(path)
    except Exception as problem:  # noqa: BLE001 - the other side judges it
        text = str(problem)
        state = "refused" if any(name in text for name in _REFUSALS) else "failed"
        return {"state": state, "message": shorten(text)}
    return {"state": "written", "message": ""}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the JVM prints what it likes
    spark = oracle.session("writer", **{"spark.driver.memory": "1g"})
    # Before anything else: where the first work on the metadata table is a compaction, each write of this release fails else.
    loader = spark._jvm.Thread.currentThread().getContextClassLoader()
    spark._jvm.java.lang.Class.forName("org.apache.hudi.metadata.HoodieMetadataPayload", True, loader)
    print(json.dumps({"state": "ready", "message": ""}), file=answers, flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        answer = read(spark, ask) if ask["op"] == "read" else write(spark, ask)
        print(json.dumps({"rows": [], **answer}), file=answers, flush=True)


if __name__ == "__main__":
    main()
