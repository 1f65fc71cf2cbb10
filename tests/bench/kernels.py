"""Kernels of SQL functions in engines, with and without, in scans: `python -m tests.bench.kernels [arrow|spark] [NAME...]`.

A kernel repeats what a function's record computes with the core alone. Without it the engine falls back on the record. Each
case reads a table of a million rows with a predicate that calls the function, both ways by turns in one process; on Spark
one case for each kernel. The least
processor time of each side is printed with their ratio, without divided by with: a kernel stays where it is 1.3 or more.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table

ROWS = 1_000_000
ROUNDS = 2

CASES: Mapping[str, tuple[str, ...]] = {
    "cast": (
        "CAST(n AS string) LIKE '%77'",
        "CAST(x AS string) = '7.5'",
        "CAST(amount AS string) LIKE '%.50'",
        "CAST(digits AS bigint) = 77",
        "CAST(x AS bigint) % 7 = 3",
        "CAST(n AS double) > x * 5",
        "CAST(n AS int) = 77",
        "CAST(amount AS double) > x",
        "CAST(amount AS decimal(14, 4)) > n",
        "CAST(n AS decimal(20, 2)) = 77",
        "CAST(n AS boolean)",
        "CAST(at AS date) = day",
        "CAST(at AS bigint) % 86400 = 77",
        "CAST(day AS timestamp) > at",
        "CAST(id AS binary) = X'6B'",
    ),
    "+": ("n + i > 2000000", "x + i > 2000000", "amount + amount > 20000"),
    "-": ("n - i > 999990", "x - i > 999990", "amount - amount > 1"),
    "*": ("n * i > 999990000", "x * i > 999990000", "amount * amount > 99999000"),
    "/": ("x / i > 999990", "amount / i > 9999"),
    "%": ("n % 1000 = 7", "x % 1000 = 7", "amount % 7 = 3"),
    "div": ("n div i = 7",),
    "negative": ("-n + i > 900", "-x + i > 900"),
    "abs": ("abs(n) = i", "abs(x) = i", "abs(amount) = i"),
    "ceil": ("ceil(x) % 7 = 3", "ceil(amount) = n"),
    "floor": ("floor(x) % 7 = 3", "floor(amount) = n"),
    "lower": ("lower(id) = 'k77'", "lower(city) = 'city 7'"),
    "upper": ("upper(id) = 'K77'", "upper(city) = 'CITY 7'"),
    "replace": (
        "replace(id, 'k', '') = '77'",
        "replace(city, 'City ', '') = '7'",
        "replace(city, ' ', '_') = 'City_7'",
    ),
    "round": ("round(x / 7, 2) % 7 = 3", "round(x / 7, 1) = n", "round(amount, 1) = x"),
    "pmod": ("pmod(n, 1000) = 7", "pmod(n, i) = 7"),
    "length": ("length(id) = 2", "length(city) = 6"),
    "substring": (
        "substring(CAST(id AS binary), 2, 2) = X'3737'",
        "substring(id, 2, 2) = '77'",
        "substring(city, 6, 1) = '7'",
        "substring(id, i, 2) = '77'",
    ),
    "concat": ("concat(id, city) = 'k7'", "concat(city, '!') = 'city 7!'"),
    "trim": ("trim(padded) = 'k77'", "trim(city) = 'City 7'"),
    "ltrim": ("ltrim(padded) = 'k77'",),
    "rtrim": ("rtrim(padded) = 'k77'",),
    "date_format": ("date_format(at, 'MM-dd') = '03-01'", "date_format(at, 'HH:mm') = '07:30'"),
    "hour": ("hour(at) = 7",),
    "minute": ("minute(at) = 7",),
    "second": ("second(at) = 7",),
    "date_add": ("date_add(day, i) = DATE '2024-03-01'",),
    "date_sub": ("date_sub(day, i) = DATE '2024-03-01'",),
    "datediff": ("datediff(day, CAST(at AS date)) = i",),
    "unix_timestamp": ("unix_timestamp(at) = n",),
    "tinyint": ("tinyint(n) = 7",),
    "smallint": ("smallint(n) = 7",),
    "size": ("size(tags) = 3", "size(attrs) = 3"),
    "[]": ("tags[1] = 'a7'", "attrs['k1'] = 'v7'"),
    "element_at": ("element_at(tags, 2) = 'a7'", "element_at(attrs, 'k1') = 'v7'"),
    "array_contains": ("array_contains(tags, 'a7')",),
    "named_struct": ("named_struct('a', n).a = 7",),
    "exists": ("exists(tags, x -> x = 'a7')", "exists(items, x -> x.price > 9)"),
    "forall": ("forall(tags, x -> x = 'a7')",),
    "filter": ("size(filter(tags, x -> x > 'a5')) = 1",),
    "->": ("exists(tags, x -> x = city)",),
    "->*": ("size(filter(tags, (x, p) -> p > i % 2)) = 1",),
    "#": ("size(filter(tags, (x, p) -> p > 0)) = 1",),
    "(,)": ("exists(zip_with(tags, tags, (x, y) -> x = y), z -> NOT z)",),
    "map_entries": ("size(map_entries(attrs)) = 3",),
    "map_keys": ("map_keys(attrs)[1] = 'k7'",),
    "map_values": ("map_values(attrs)[1] = 'v7'",),
    "map_contains_key": ("map_contains_key(attrs, 'k7')",),
    "arrays_overlap": ("arrays_overlap(tags, array('a7', id))",),
    "array_distinct": ("size(array_distinct(tags)) = 1",),
    "array_union": ("size(array_union(tags, array('a7', id))) = 3",),
    "array_intersect": ("size(array_intersect(tags, array('a7', id))) = 1",),
    "array_except": ("size(array_except(tags, array('a7', id))) = 1",),
    "map_filter": ("size(map_filter(attrs, (k, v) -> v = 'v7')) = 1",),
    "transform_keys": ("size(transform_keys(attrs, (k, v) -> concat(k, v))) = 3",),
    "transform_values": ("size(transform_values(attrs, (k, v) -> concat(k, v))) = 3",),
}
"""Predicates by the function whose kernel they need. Those of `[]` and below are of nested columns, with few distinct items."""

Scan = Callable[[Table, str], object]


def rows() -> pa.Table:
    """A million rows; `city` has a thousand values, `id`, `n`, `x` and `at` have as many as there are rows."""
    order = np.random.default_rng(7).permutation(ROWS)
    names = pa.array([f"k{number}" for number in order.tolist()])
    lists = pa.ListArray.from_arrays(np.arange(ROWS + 1) * 2, pa.array([f"a{n % 10}" for n in range(2 * ROWS)]))
    prices = pa.array(np.arange(2 * ROWS) % 11)
    structs = pa.StructArray.from_arrays([prices, pa.array(np.arange(2 * ROWS) % 7)], ["price", "count"])
    keys = pa.array(["k1", "k2"] * ROWS)
    values = pa.array([f"v{n % 10}" for n in range(2 * ROWS)])
    offsets = pa.array(np.arange(ROWS + 1, dtype=np.int32) * 2)
    return pa.table(
        {
            "id": names,
            "city": [f"City {number % 1000}" for number in range(ROWS)],
            "padded": [f" k{number} " for number in range(ROWS)],
            "digits": [str(number) for number in range(ROWS)],
            "n": order,
            "i": pa.array(np.arange(ROWS) % 1000 + 1, pa.int32()),
            "x": order / 4,
            "amount": pa.array(order).cast(pa.decimal128(19, 0)).cast(pa.decimal128(12, 2)),
            "at": pa.array(1_700_000_000_000_000 + order * 61_000_000).cast(pa.timestamp("us", "UTC")),
            "day": pa.array(np.arange(ROWS, dtype=np.int32) % 20_000).cast(pa.date32()),
            "tags": lists,
            "items": pa.ListArray.from_arrays(np.arange(ROWS + 1) * 2, structs),
            "attrs": pa.MapArray.from_arrays(offsets, keys, values),
        }
    )


@contextmanager
def without(engine: str, name: str) -> Iterator[None]:
    """The engine has no kernel of a function."""
    kernels: dict[str, Any] = importlib.import_module(f"hudi_{engine}.functions").KERNELS
    with patch.dict(kernels):
        kernels.pop(name)
        yield


def _scan_arrow(table: Table, where: str) -> int:
    return sum(batch.num_rows for batch in table.scan(where, columns=["n"]).batches())


def _spark_scan() -> Scan:
    """Scans of Spark, in which Python workers compute what has no kernel."""
    spark = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[1]").getOrCreate()
    front = importlib.import_module("hudi_spark")
    return lambda table, where: front.open(spark, table.uri).scan(where=where, columns=["n"]).to_spark().count()


def measured(scan: Scan, engine: str, table: Table, name: str, where: str) -> dict[str, Any]:
    """One predicate with and without the kernel: the least time of each. The JVM's time counts as wall-clock time."""
    clock = process_time if engine == "arrow" else perf_counter
    times: dict[bool, list[float]] = {True: [], False: []}
    answers = set()
    for _ in range(ROUNDS):
        for has_kernel, spent in times.items():
            if has_kernel:
                begin = clock()
                answers.add(scan(table, where))
                spent.append(clock() - begin)
            else:
                with without(engine, name):
                    begin = clock()
                    answers.add(scan(table, where))
                    spent.append(clock() - begin)
    assert len(answers) == 1, f"{where}: {answers}"
    best = {has_kernel: min(spent) for has_kernel, spent in times.items()}
    return {
        "kernel": name,
        "where": where,
        "rows": answers.pop(),
        "with_s": round(best[True], 3),
        "without_s": round(best[False], 3),
        "ratio": round(best[False] / best[True], 2),
    }


def main(engine: str = "arrow", *names: str) -> None:
    """One line for each predicate."""
    kernels = importlib.import_module(f"hudi_{engine}.functions").KERNELS
    with tempfile.TemporaryDirectory() as folder:
        made = rows()
        create_table(Path(folder) / "t", made.schema, "id", ordering="n").insert(made)
        scan = _scan_arrow if engine == "arrow" else _spark_scan()
        for name, predicates in CASES.items():
            if name not in kernels or (names and name not in names):
                continue
            for where in predicates if engine == "arrow" else predicates[:1]:
                line = measured(scan, engine, open_table(Path(folder) / "t"), name, where)
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
