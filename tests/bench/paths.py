"""Special paths of the product, each on and off, in what a user runs: `python -m tests.bench.paths [NAME...]`.

A path is turned off by putting the plain way in its place, from outside: the product has no switches. Each measurement is a
process of its own, on and off in turn; it makes one call to warm up and some that count. The medians of wall-clock and of
processor time (user and system, all threads) are printed with their ratios, off divided by on: above 1 the path pays.
"""

from __future__ import annotations

import importlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa

from hudi_core.front.opening import create_table, open_table
from tests.bench import apache_hudi, read
from tests.support.commands import rides

ROUNDS = 3
CALLS = 3

Run = Callable[[], object]


@dataclass(frozen=True)
class SpecialPath:
    """How to turn a special path off, and what it is measured in. `off` gives values by `module:name` or `module:class.name`."""

    off: Mapping[str, Any]
    cases: Sequence[str]

    def turn_off(self) -> None:
        for place, value in self.off.items():
            module, _, name = place.partition(":")
            *holders, last = name.split(".")
            holder: Any = importlib.import_module(module)
            for item in holders:
                holder = getattr(holder, item)
            assert hasattr(holder, last), f"there is no {place}"
            setattr(holder, last, value)


PATHS: Mapping[str, SpecialPath] = {
    "gzip": SpecialPath(
        {"hudi_arrow.files.parquet:FASTER_THAN_ARROW": False}, ("cow_full", "cow_selective", "mor_snapshot")
    ),
    "pages_left_out": SpecialPath({"hudi_arrow.files.parquet:PagedFile.some": lambda *_: None}, ("cow_selective",)),
    "small_blocks": SpecialPath(
        {"hudi_core.reading.log_records:MAX_RUN_BYTES": 0}, ("mor_small_blocks", "mor_snapshot")
    ),
    "items_one_by_one": SpecialPath({"hudi_core.formats.avro.skip:SMALL_LANE_COUNT": 0}, ("open_and_plan",)),
    "ends_foreseen": SpecialPath({"hudi_core.formats.avro.foresee:_SAMPLE_COUNT": 1 << 62}, ("open_and_plan",)),
    "cells_searched": SpecialPath(
        {"hudi_core.formats.hfile.cells:_WALKED": 1 << 62}, ("load_statistics", "tag_record_index")
    ),
    "lengths_guessed": SpecialPath(
        {"hudi_core.columns.length_chain:MANY_WALKS_THRESHOLD": 1 << 62}, ("mor_large_block", "mor_snapshot")
    ),
    "processors": SpecialPath(
        {"hudi_core.parallel.ordered:PROCESSORS": 1}, ("open_and_plan", "mor_snapshot", "tag_bloom")
    ),
    "copied_chunks": SpecialPath(
        {"hudi_arrow.files.parquet_write:chunk_copies": lambda *_: None}, ("upsert_many_columns", "update_many_columns")
    ),
    "side_by_side": SpecialPath(
        {"hudi_arrow.files.parquet_write:_LEAST_BYTES": 1 << 62},
        ("append_700_000", "append_2_000_000", "append_gzip", "append_many_columns"),
    ),
    "spark_java": SpecialPath(
        {"hudi_spark.native:relations_of": lambda _: None},
        ("spark_plan_all", "spark_plan_cold", "spark_plan_warm", "spark_full"),
    ),
}


def _scan(name: str, where: str | None = None) -> Run:
    return lambda: sum(batch.num_rows for batch in read.batches(apache_hudi.table(name), where))


def _selective() -> Run:
    low, high = read.some_of_one_file(apache_hudi.table("cow_read"))
    return _scan("cow_read", f"ts >= {low} AND ts < {high}")


def _tag(kind: str) -> Run:
    tag = importlib.import_module("tests.bench.tag")
    call: Run = tag.pair(f"{kind}_1000k_keys_200_files", "apache-hudi").ours
    return call


def _load_statistics() -> Run:
    load = importlib.import_module("tests.bench.statistics")
    load.group_bytes()
    call: Run = load.ours
    return call


def _updated(rows: int, updates: int, size: int) -> Run:
    """A snapshot of a merge-on-read table of so many rows and updates of so many of them each."""
    folder = tempfile.TemporaryDirectory()
    root, random = Path(folder.name) / "t", np.random.default_rng(1)

    def some(numbers: np.ndarray, time: int) -> pa.Table:
        times, amounts = np.full(len(numbers), time), random.random(len(numbers))
        return pa.table({"id": [f"k{number:08}" for number in numbers.tolist()], "ts": times, "x": amounts})

    every = some(random.permutation(rows), 0)
    create_table(root, every.schema, "id", ordering="ts", type="mor").write(every)
    for time in range(1, updates + 1):
        open_table(root).write(some(random.permutation(rows)[:size], time))

    def run(_: object = folder) -> int:  # the folder lives as long as the function
        return sum(batch.num_rows for batch in open_table(root).scan(columns=("id", "ts", "x")).batches())

    return run


def _many_columns() -> pa.Table:
    """200,000 rows of 62 columns."""
    random, count = np.random.default_rng(3), 200_000
    numbers = {f"i{number}": random.integers(0, 1 << (8 + number), count) for number in range(20)}
    fractions = {f"x{number}": random.normal(size=count) for number in range(20)}
    texts = {f"s{n}": [f"v{part}" for part in random.integers(0, 10 ** (1 + n % 6), count)] for n in range(20)}
    keys = [f"user-{number:09}" for number in range(count)]
    return pa.table({"id": keys, "ts": np.arange(count), **numbers, **fractions, **texts})


def _changed(*, by_predicate: bool) -> Run:
    """Changes of two of 62 columns in one row of twenty, or of one column where a predicate matches, in a table of one file."""
    folder, rows = tempfile.TemporaryDirectory(), _many_columns()
    root, random, count = Path(folder.name) / "t", np.random.default_rng(4), len(rows)
    create_table(root, rows, "id", ordering="ts", indexes=("column_stats", "bloom_filters")).append(rows)
    some, times = rows.take(np.sort(random.choice(count, count // 20, replace=False))), itertools.count(count)

    def run(_: object = folder) -> object:  # the folder lives as long as the function
        time = next(times)
        if by_predicate:
            return open_table(root).update({"x3": float(time)}, where="i0 = 7")
        new = pa.array(np.full(len(some), time))
        return open_table(root).upsert(some.set_column(1, "ts", new).set_column(25, "x3", new.cast(pa.float64())))

    return run


def _appended(rows: int, **options: Any) -> Run:
    """An append of so many rows of 12 columns to a new table."""
    made: pa.Table = importlib.import_module("tests.bench.write").rows_to_append()
    return partial(_append, pa.concat_tables([made] * -(-rows // len(made))).slice(0, rows), **options)


def _append(rows: pa.Table, **options: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = create_table(Path(folder) / "t", rows, "id", ordering="ts", indexes=("column_stats", "bloom_filters"))
        table.append(rows, **options)


def _spark_plan(*, loaded: bool) -> Run:
    spark = importlib.import_module("tests.bench.spark")
    plan: Run = spark.planner(apache_hudi.table("cow_plan"), loaded=loaded)
    return lambda: [plan() for _ in range(10)]


def _spark_plan_all() -> Run:
    spark = importlib.import_module("tests.bench.spark")
    plan: Run = spark.planner_of_all(rides())
    return plan


def _spark_full() -> Run:
    spark = importlib.import_module("tests.bench.spark")
    return lambda: spark.read_all(apache_hudi.table("cow_read"))


CASES: Mapping[str, Callable[[], Run]] = {
    "cow_full": lambda: _scan("cow_read"),
    "cow_selective": _selective,
    "mor_snapshot": lambda: _scan("mor_read"),
    "open_and_plan": lambda: read.planner(apache_hudi.table("cow_plan")),
    "mor_large_block": lambda: _updated(1_000_000, 1, 1_000_000),
    "mor_small_blocks": lambda: _updated(200_000, 100, 1_000),
    "load_statistics": _load_statistics,
    "tag_bloom": lambda: _tag("bloom_metadata"),
    "tag_record_index": lambda: _tag("record_index"),
    "tag_simple": lambda: _tag("simple"),
    "upsert_many_columns": lambda: _changed(by_predicate=False),
    "update_many_columns": lambda: _changed(by_predicate=True),
    "append_700_000": lambda: _appended(700_000),
    "append_2_000_000": lambda: _appended(2_000_000),
    "append_gzip": lambda: _appended(300_000, properties={"hoodie.parquet.compression.codec": "gzip"}),
    "append_many_columns": lambda: partial(_append, _many_columns()),
    "spark_plan_all": _spark_plan_all,
    "spark_plan_cold": lambda: _spark_plan(loaded=False),
    "spark_plan_warm": lambda: _spark_plan(loaded=True),
    "spark_full": _spark_full,
}


def one_side(path: str, case: str, side: str) -> None:
    """Prints the medians of wall-clock and processor time of one side, measured in this process."""
    if side == "off":
        PATHS[path].turn_off()
    run = CASES[case]()
    run()
    wall, processor = [], []
    for _ in range(CALLS):
        begin, begin_processor = perf_counter(), process_time()
        run()
        wall.append(perf_counter() - begin)
        processor.append(process_time() - begin_processor)
    print(json.dumps([statistics.median(wall), statistics.median(processor)]))


def compared(path: str, case: str) -> dict[str, Any]:
    """A path in a case, both sides in turn, each in processes of its own."""
    sides: dict[str, list[list[float]]] = {"on": [], "off": []}
    for _ in range(ROUNDS):
        for side, times in sides.items():
            run = [sys.executable, "-m", "tests.bench.paths", "--one", path, case, side]
            ended = subprocess.run(run, capture_output=True, text=True, check=True)
            times.append(json.loads(ended.stdout.splitlines()[-1]))
    (on_wall, on_processor), (off_wall, off_processor) = (
        [statistics.median(item) for item in zip(*times, strict=True)] for times in sides.values()
    )
    return {
        "path": path,
        "case": case,
        "on_s": round(on_wall, 4),
        "off_s": round(off_wall, 4),
        "ratio": round(off_wall / on_wall, 2),
        "on_processor_s": round(on_processor, 4),
        "off_processor_s": round(off_processor, 4),
        "processor_ratio": round(off_processor / on_processor, 2),
    }


def main(*names: str) -> None:
    for path in names or PATHS:
        for case in PATHS[path].cases:
            print(json.dumps(compared(path, case)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one_side(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
