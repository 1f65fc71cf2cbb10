"""Services on a cluster whose tasks come to grief: `python -m tests.engines.spark.service_faults FOLDER CASE...` prints a line of
JSON for each case, as `slow-cluster`, with what was wrong then.

A process of its own, as in `speculation.py`. A copy of the table is served without Spark: rows, statistics and indexes are equal
after the fault, and after a write that comes next. With the fault `driver` the process dies while a task writes.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from hudi_core.front.table import Table
from hudi_core.services.cleaning import run as cleaning
from hudi_core.writing.operations import write
from hudi_spark.runner import SparkRunner
from tests.engines.spark.speculation import cluster
from tests.support.served_tables import ALL, assert_same_rows, assert_served_alike, filled, rows, twin
from tests.support.task_faults import COMMITTED, FaultyStorage, first_has_ended, print_outcomes

SERVICES: dict[str, tuple[str, str, int, tuple[str, ...], dict[str, Any]]] = {
    "compact": ("compact", "mor", 9, (), {}),
    "compact6": ("compact", "mor", 6, (), {}),
    "logs": ("compact", "mor", 9, (), {"of_logs": True, "min_log_blocks": 1}),
    "cluster": ("cluster", "cow", 9, (), {"columns": ["n", "x"], "strategy": "zorder"}),
    "index": ("index", "cow", 9, ("record_index", "column_stats", "bloom_filters"), {}),
    "clean": ("clean", "cow", 9, (), {"keep_versions": 1}),
}
"""By name the method, the kind and version of the table, its arguments and options."""
_PATIENCE = 60.0


def made(service: str, path: Path) -> Table:
    """The table that a service is to be run on."""
    _, kind, version, _, _ = SERVICES[service]
    return filled(path, kind, version, () if service == "index" else ALL)


def serve(table: Table, service: str, runner: Any = None) -> None:
    """Runs a service."""
    method, _, _, arguments, options = SERVICES[service]
    getattr(table, method)(*arguments, **options, runner=runner)


def struck(spark: Any, fault: str, service: str, folder: Path) -> None:
    """One service with one fault. Raises AssertionError for what is wrong then."""
    table, marks = made(service, folder / "there"), folder / "marks"
    other = twin(table, folder / "here")
    marks.mkdir()
    serve(other, service)
    serve(replace(table, storage=FaultyStorage(table.storage.uri, fault, marks)), service, SparkRunner(spark))
    (marks / COMMITTED).touch()
    end = time.monotonic() + _PATIENCE
    while not first_has_ended(marks):
        assert time.monotonic() < end, "the worker does not end"
        time.sleep(0.05)
    assert_served_alike(table, other, same_files=service != "cluster")
    for one in (table, other):
        write(one, rows(310, 60))
    assert_same_rows(table, other)


def main(folder: str, *cases: str) -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Tasks are slow on a busy machine too: only one that waits is to be run a second time.
    spark = cluster(Path(folder) / "work", {"spark.speculation.minTaskRuntime": "10s"})
    spark.sparkContext.setLogLevel("OFF")
    cleaning._TOGETHER = 2  # several tasks: Spark runs the only one of a stage once

    def play(case: str) -> None:
        fault, service = case.split("-")
        place = Path(folder) / case
        place.mkdir()
        struck(spark, fault, service, place)

    print_outcomes(cases, play)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
