"""A stream into a table whose driver is killed at random: `python -m tests.engines.spark.killed_stream FOLDER KIND VERSION OP
HOW`.

`HOW` is `batches` (`foreachBatch` with `stream_writer`) or `format` (`writeStream.format("hudi_core")`, of Spark 4.1).
Prints a line of JSON for each life of the driver. It may be begun again in the same folder, and goes on then.
`driver` runs one life.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

import hudi_spark
from hudi_core.commit.staged_rows import PATIENCE, delete_abandoned_rows
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.table import Table
from hudi_core.transactions.stream_batches import read_committed_batches
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from tests.support.crashes import later

ROOT = Path(__file__).parents[3]
BATCHES, KILLS = (int(os.environ.get(name) or count) for name, count in (("BATCHES", "200"), ("KILLS", "20")))
ROWS = 20
"""Rows of a batch."""
_NAME = "killed"
_SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64())])
_SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.minBatchesToRetain": "2",
}
_LIFE = 180.0
"""Seconds after which a driver that comes to nothing is an error."""


def last_batch(table: str) -> int:
    """The last batch that is committed, -1 before the first."""
    return read_committed_batches(open_table(table)).get(_NAME, -1)


def drive(folder: str, op: str, how: str) -> None:
    """One life of a driver, until all batches are written."""
    spark = hudi_spark.session("local[2]", config=_SETTINGS)
    spark.sparkContext.setLogLevel("ERROR")
    table, checkpoint = f"{folder}/t", f"{folder}/checkpoint"
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).option("numPartitions", 2).load()
    rows = rate.selectExpr("concat('s', value) as id", "concat('p', value % 3) as p", "value as ts")
    stream: Any = rows.writeStream.option("checkpointLocation", checkpoint)
    if how == "batches":
        writer = hudi_spark.stream_writer(hudi_spark.open(spark, table), op, stream=_NAME)
        query = stream.foreachBatch(writer).start()
    else:
        hudi_spark.register(spark)
        query = stream.format("hudi_core").option("stream", _NAME).option("op", op).start(table)
    while last_batch(table) < BATCHES - 1:
        if query.awaitTermination(0.2):
            raise SystemExit("the query has ended")
    query.stop()


def kill_at_random(folder: str, op: str, how: str, chance: random.Random) -> dict[str, Any]:
    """A life that ends some batches later, or with the last batch."""
    table = f"{folder}/t"
    first = last_batch(table)
    goal = first + chance.randrange(1, 2 * BATCHES // (KILLS + 1) + 1)
    command = [sys.executable, "-m", "tests.engines.spark.killed_stream", "driver", folder, op, how]
    begun = time.monotonic()
    with Path(folder, "driver.log").open("ab") as log:
        driver = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
    try:
        while driver.poll() is None and last_batch(table) < goal:
            assert time.monotonic() - begun < _LIFE, "the driver comes to nothing"
            time.sleep(0.05)
        time.sleep(chance.random() * 2)
        ended = driver.poll()
    finally:
        if driver.poll() is None:
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
    assert ended in (None, 0), f"the driver ended with {ended}"
    return {
        "first": first,
        "last": last_batch(table),
        "killed": ended is None,
        "seconds": round(time.monotonic() - begun),
    }


def faults(table: Table) -> list[str]:
    """What is wrong with a table into which the stream went: rows that are missing or doubled, batches that came twice."""
    count = read_committed_batches(table).get(_NAME, -1) + 1
    values = sorted(int(row["ts"]) for row in table.scan(columns=["ts"]).to_json_rows())
    wrong = [] if values == list(range(count * ROWS)) else [f"{len(values)} rows after {count} batches"]
    commits = len(table.timeline.commits)
    wrong += [] if commits == count else [f"{commits} commits of {count} batches"]
    return wrong + [
        f"{finding.where}: {finding.message}" for finding in table.validate() if finding.severity == "error"
    ]


def main(folder: str, kind: str, version: str, op: str, how: str) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    table = f"{folder}/t"
    Path(folder).mkdir(exist_ok=True)
    if not Path(table).exists():
        create_table(table, _SCHEMA, "id", partition_by="p", type=kind, version=int(version), indexes="column_stats")
    notes = Path(folder, "lives.jsonl")
    lives = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    while last_batch(table) < BATCHES - 1:
        kills = sum(life["killed"] for life in lives)
        chance = random.Random(f"{folder}{len(lives)}")
        if kills >= KILLS:
            drive_to_end = [sys.executable, "-m", "tests.engines.spark.killed_stream", "driver", folder, op, how]
            subprocess.run(drive_to_end, cwd=ROOT, check=True, capture_output=True)
            break
        lives.append(kill_at_random(folder, op, how, chance))
        with notes.open("a") as file:
            print(json.dumps(lives[-1]), file=file)
        print(json.dumps(lives[-1]), flush=True)
        assert (wrong := faults(open_table(table))) == [], wrong
    write(open_table(table), pa.Table.from_pylist([], _SCHEMA), "append", WriteOptions(allow_empty=True, clock=later))
    final = open_table(table)
    # Rows that killed drivers have staged wait for hours: for as long tasks of one write may all be waiting.
    delete_abandoned_rows(final.storage, lambda: later() + PATIENCE)
    left = [info.path for info in final.storage.list(".hoodie/.temp", recursive=True)]
    left += [info.path for info in final.storage.list(".hoodie/.aux/hudi_core_staged", recursive=True)]
    end = {"batches": last_batch(table) + 1, "kills": sum(life["killed"] for life in lives), "left": left}
    print(json.dumps({**end, "pending": len(final.timeline.pending)}))


if __name__ == "__main__":
    if sys.argv[1] == "driver":
        drive(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
