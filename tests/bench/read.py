"""Reading rows and planning on a table as it lies in storage, from opening it on.

The tables are Apache Hudi's own (`tests.bench.apache_hudi`): gzip, its row groups, and its five columns beside those that are
read. Before anything is timed, all rows of both sides are compared.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from hudi_core.front.opening import open_table
from hudi_core.planning.plan import ScanPlan
from tests.bench import apache_hudi, small_files
from tests.bench.timing import Missing, Pair, Unbuilt

COLUMNS = ("id", "ts", "a", "b", "l", "x", "dec", "flag", "cat", "name", "day", "at")
_SELECTED = 1_000
_PLAN_FILES = 10_000
_PLANNED = 1_000
"""The number of the first value that is looked up."""

Batches = Iterable[pa.RecordBatch]


def pair(case: str, peer: str) -> Pair:
    match case, peer:
        case "cow_full_10m_rows", "pyarrow.dataset":
            root = apache_hudi.table("cow_read_10m")
            return _rows(partial(batches, root), partial(_dataset, root), 20, 2)
        case "cow_selective", "pyarrow.dataset":
            root = apache_hudi.table("cow_read")
            low, high = some_of_one_file(root)
            kept = (ds.field("ts") >= low) & (ds.field("ts") < high)
            return _rows(partial(batches, root, f"ts >= {low} AND ts < {high}"), partial(_dataset, root, kept), 5, 3)
        case "cow_unselective_filter_small_files", "pyarrow.dataset":
            return small_files.pair()
        case "cow_full_noop" | "mor_snapshot_noop", "apache-hudi":
            root = apache_hudi.table("cow_read" if case.startswith("cow") else "mor_read")
            return Pair(
                lambda: _count(batches(root)),
                apache_hudi.measurement("read", case),
                lambda _, __: _equal_hash(root, case),
                20,
            )
        case "mor_snapshot", "hudi-rs":
            root = apache_hudi.table("mor_read")
            options = _hudi_rs().HudiReadOptions(projection=list(COLUMNS))
            return _rows(partial(batches, root), lambda: _table_of_hudi_rs(root).read(options), 20, 2, ordered=False)
        case "open_and_plan_10k_files", "hudi-rs":
            root = apache_hudi.table("cow_plan")
            return Pair(planner(root), _planner_of_hudi_rs(root), _same_lookups(root), 5)
        case "open_and_plan_cold_10000_files", "apache-hudi":
            root = apache_hudi.table("cow_plan")
            peer_s = apache_hudi.measurement("plan", "cold_point_10000_files", "files_kept")
            return Pair(_counted(planner(root)), peer_s, _as_footers_say(root), 10)
        case "plan_warm_10000_files", "apache-hudi":
            root = apache_hudi.table("cow_plan")
            peer_s = apache_hudi.measurement("plan", "warm_point_10000_files", "files_kept")
            return Pair(_counted(planner(root, loaded=True)), peer_s, _as_footers_say(root))
    raise Unbuilt("no measurement of this case")


def _rows(ours: Callable[[], Batches], peer: Callable[[], Batches], *times: Any, ordered: bool = True) -> Pair:
    """Both sides read all batches and keep none."""

    def check(our_count: object, peer_count: object) -> None:
        assert our_count == peer_count, f"{our_count} rows, the peer has {peer_count}"
        assert_same_rows(ours(), peer(), ordered=ordered)

    return Pair(lambda: _count(ours()), lambda: _count(peer()), check, *times)


def _count(batches: Batches) -> int:
    return sum(batch.num_rows for batch in batches)


def batches(root: Path, where: str | None = None) -> Batches:
    """Opens the table and reads its rows."""
    rows: Batches = open_table(str(root)).scan(where=where, columns=COLUMNS).batches()
    return rows


def _dataset(root: Path, where: Any = None) -> Batches:
    files = [str(file) for file in _base_files(root)]
    rows: Batches = ds.dataset(files).scanner(columns=list(COLUMNS), filter=where).to_batches()
    return rows


def _base_files(root: Path) -> Sequence[Path]:
    return sorted(file for file in root.rglob("*.parquet") if ".hoodie" not in file.parts)


def assert_same_rows(ours: Batches, theirs: Batches, *, ordered: bool) -> None:
    """All values of all rows, in Arrow's types of ours; by key where the sides read files in an order of their own."""
    if not ordered:
        one, other = (pa.Table.from_batches(list(batches)).sort_by("id") for batches in (ours, theirs))
        assert one.equals(other.select(one.column_names).cast(one.schema)), "rows differ"
        return
    for one, other in _in_step(iter(ours), iter(theirs)):
        assert one.equals(other), "rows differ"


def _in_step(ours: Iterator[pa.RecordBatch], theirs: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, Any]]:
    """Slices of both sides with as many rows each, which is why they need not be in memory as a whole."""
    left: list[pa.Table] = [pa.table({}), pa.table({})]
    sides = (ours, theirs)
    while True:
        for number, batches in enumerate(sides):
            while left[number].num_rows == 0 and (batch := next(batches, None)) is not None:
                left[number] = pa.Table.from_batches([batch])
        rows = min(table.num_rows for table in left)
        if rows == 0:
            assert left[0].num_rows == left[1].num_rows, "one side has more rows"
            return
        one, other = (table.slice(0, rows) for table in left)
        yield one, other.select(one.column_names).cast(one.schema)
        left = [table.slice(rows) for table in left]


def _equal_hash(root: Path, case: str) -> None:
    """Apache Hudi's rows stay in its JVM: compared are their number and the xor of the hashes of all of them."""
    spark = importlib.import_module("tests.bench.spark")
    ours, theirs = spark.rows_and_hash(batches(root)), apache_hudi.rows_and_hash(case.replace("_noop", "_agg"))
    assert ours == theirs, f"{ours} rows and hash, the peer has {theirs}"


def some_of_one_file(root: Path) -> tuple[int, int]:
    """Bounds of `ts` between which a thousand rows of one file lie."""
    ts = pq.read_table(_base_files(root)[7], columns=["ts"])["ts"].to_numpy()
    low, high = np.sort(ts)[[len(ts) // 2, len(ts) // 2 + _SELECTED]]
    return int(low), int(high)


def lookups() -> Iterator[int]:
    """Values of `a` that lie in one file each, never the same twice among as many as are asked for."""
    return (number % _PLAN_FILES * 100 + 50 for number in count(_PLANNED))


def planner(root: Path, *, loaded: bool = False) -> Callable[[], Sequence[str]]:
    """Plans a point lookup, another one each time, to the names of the base files that are left; on the table opened again, or on
    one that was asked before."""
    table, values = open_table(str(root)) if loaded else None, lookups()

    def plan() -> Sequence[str]:
        scan = (table or open_table(str(root))).scan(where=f"a = {next(values)}")
        return sorted(kept.base.path for kept in scan.plan.kept() if kept.base)

    return plan


def _same_lookups(root: Path) -> Callable[[object, object], None]:
    """Both sides plan the same lookups: those that are timed are others, as one side is called more often."""

    def check(_: object, __: object) -> None:
        ours, theirs = planner(root), _planner_of_hudi_rs(root)
        for _number in range(3):
            _equal(ours(), theirs())

    return check


def _as_footers_say(root: Path) -> Callable[[object, object], None]:
    """Apache Hudi tells how many files it keeps, and not which: ours have to be those whose footers hold the value."""

    def check(ours: object, peer: object) -> None:
        _equal(ours, peer)
        table = open_table(str(root))
        assert_exact_plans(root, lambda value: table.scan(where=f"a = {value}").plan)

    return check


def assert_exact_plans(root: Path, plan: Callable[[int], ScanPlan]) -> None:
    """Of some lookups just the base files are kept whose footers have the value between their bounds of `a`."""
    bounds = {str(file.relative_to(root)): _bounds_of_a(file) for file in _base_files(root)}
    for value in islice(lookups(), 5):
        kept = sorted(item.base.path for item in plan(value).kept() if item.base)
        wanted = sorted(path for path, (low, high) in bounds.items() if low <= value <= high)
        assert kept == wanted, f"a = {value}: {kept} are kept, footers have it in {wanted}"


def _bounds_of_a(file: Path) -> tuple[int, int]:
    footer = pq.read_metadata(file)
    place = footer.schema.names.index("a")
    statistics = [footer.row_group(number).column(place).statistics for number in range(footer.num_row_groups)]
    return min(item.min for item in statistics), max(item.max for item in statistics)


def _counted(plan: Callable[[], Sequence[str]]) -> Callable[[], int]:
    return lambda: len(plan())


def _hudi_rs() -> Any:
    try:
        return importlib.import_module("hudi")
    except ModuleNotFoundError:
        raise Missing("hudi-rs (`hudi`) is not installed") from None


def _table_of_hudi_rs(root: Path) -> Any:
    """With the metadata table, which hudi-rs leaves aside unless it is told so."""
    return _hudi_rs().HudiTable(str(root), {"hoodie.metadata.enable": "true"})


def _planner_of_hudi_rs(root: Path) -> Callable[[], Sequence[str]]:
    hudi, values = _hudi_rs(), lookups()

    def plan() -> Sequence[str]:
        options = hudi.HudiReadOptions(filters=[("a", "=", str(next(values)))])
        slices = _table_of_hudi_rs(root).get_file_slices(options)
        return sorted(item.base_file_relative_path() for item in slices)

    return plan


def _equal(ours: object, peer: object) -> None:
    assert ours == peer, f"{ours}, the peer has {peer}"
