"""Reading rows and planning on a table as it lies in storage, from opening it on.

The tables are Apache Hudi's own (`tests.bench.apache_hudi`), gzip as it writes; that of 10 million rows is written here once.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from hudi_core.table.open import open_table
from tests.bench import apache_hudi
from tests.bench.timing import Missing, Pair

COLUMNS = ("id", "ts", "a", "b", "l", "x", "dec", "flag", "cat", "name", "day", "at")
ROWS, FILES = 10_000_000, 20
_MADE = Path(__file__).parents[2] / ".bench" / "tables" / "made_10m"
_FIRST, _STEP = 1_750_000_000_000, 60_000
_SELECTED = 1_000


def pair(case: str, peer: str) -> Pair:
    match case, peer:
        case "cow_full_10m_rows", "pyarrow.dataset":
            root = _made()
            return Pair(partial(_scanned, root), partial(_dataset, root), _same, 20, 2)
        case "cow_selective", "pyarrow.dataset":
            root = apache_hudi.table("cow_read")
            low, high = _some_of_one_file(root)
            chosen = (ds.field("ts") >= low) & (ds.field("ts") < high)
            ours = partial(_scanned, root, f"ts >= {low} AND ts < {high}")
            return Pair(ours, partial(_dataset, root, chosen), _same, 5)
        case "cow_full_noop", "apache-hudi":
            root = apache_hudi.table("cow_read")
            return Pair(partial(_scanned, root), apache_hudi.seconds("read", case), _same, 20)
        case "mor_snapshot_noop", "apache-hudi":
            root = apache_hudi.table("mor_read")
            return Pair(partial(_scanned, root), apache_hudi.seconds("read", case), _same, 20)
        case "mor_snapshot", "hudi-rs":
            root = apache_hudi.table("mor_read")
            return Pair(partial(_scanned, root), _hudi_rs(root, ()), _same, 20, 2)
        case "open_and_plan_10k_files", "hudi-rs":
            root = apache_hudi.table("cow_plan")
            return Pair(_planner(root), _hudi_rs(root, [("a", "=", "500050")], files=True), _one_file, 5)
        case "open_and_plan_cold_10000_files", "apache-hudi":
            root = apache_hudi.table("cow_plan")
            return Pair(_planner(root), apache_hudi.seconds("plan", "cold_point_10000_files"), _one_file, 10)
        case "plan_warm_10000_files", "apache-hudi":
            root = apache_hudi.table("cow_plan")
            return Pair(_planner(root, loaded=True), apache_hudi.seconds("plan", "warm_point_10000_files"), _one_file)
    raise Missing("no measurement of this case yet")


def _scanned(root: Path, where: str | None = None) -> int:
    """Opens the table and takes all batches, keeping none; gives the number of rows."""
    batches = open_table(str(root)).scan(where=where, columns=COLUMNS).batches()
    return sum(batch.num_rows for batch in batches)


def _dataset(root: Path, chosen: Any = None) -> int:
    found = ds.dataset([str(file) for file in _base_files(root)]).scanner(columns=list(COLUMNS), filter=chosen)
    return sum(batch.num_rows for batch in found.to_batches())


def _base_files(root: Path) -> Sequence[Path]:
    return sorted(file for file in root.rglob("*.parquet") if ".hoodie" not in file.parts)


def _some_of_one_file(root: Path) -> tuple[int, int]:
    """Bounds of `ts` between which the rows of one file lie, a few hundred of them."""
    ts = pq.read_table(_base_files(root)[7], columns=["ts"])["ts"].to_numpy()
    low, high = np.sort(ts)[[len(ts) // 2, len(ts) // 2 + _SELECTED]]
    return int(low), int(high)


def _planner(root: Path, *, loaded: bool = False) -> Callable[[], int]:
    """Plans a point lookup, another one each time; on the table opened anew, or on one that was asked before."""
    table, numbers = open_table(str(root)) if loaded else None, count(5_000)

    def plan() -> int:
        # One value of `a` lies in one file.
        scan = (table or open_table(str(root))).scan(where=f"a = {next(numbers) % 10_000 * 100 + 50}")
        return scan.plan.count(0) + scan.plan.count(1)

    return plan


def _hudi_rs(root: Path, filters: Sequence[tuple[str, str, str]], *, files: bool = False) -> Callable[[], int]:
    try:
        hudi: Any = importlib.import_module("hudi")
    except ModuleNotFoundError:
        raise Missing("hudi-rs (`hudi`) is not installed") from None

    def read() -> int:
        table, options = hudi.HudiTable(str(root)), hudi.HudiReadOptions(filters=list(filters))
        if files:
            return len(table.get_file_slices(options))
        return sum(batch.num_rows for batch in table.read(options))

    return read


def _same(ours: object, peer: object) -> None:
    if peer is not None and ours != peer:
        raise AssertionError(f"{ours} rows, the peer has {peer}")


def _one_file(ours: object, peer: object) -> None:
    if ours != 1:
        raise AssertionError(f"{ours} files are kept, not one")


@cache
def _made() -> Path:
    """A table of 10 million rows in 20 files, with the columns of Apache Hudi's."""
    if (_MADE / ".hoodie" / "hoodie.properties").is_file():
        return _MADE
    (_MADE / ".hoodie").mkdir(parents=True, exist_ok=True)
    stats = []
    for number in range(FILES):
        name = f"{number:08d}-0000-0000-0000-000000000000-0_{number}-0-0_20250601000000000.parquet"
        rows = _rows(number)
        # As Apache Hudi does: gzip, and a dictionary where values repeat.
        pq.write_table(
            rows,
            _MADE / name,
            compression="gzip",
            compression_level=6,
            use_dictionary=["cat", "day"],
            store_schema=False,
        )
        stats.append({"fileId": name.split("_")[0], "path": name, "numWrites": rows.num_rows})
    avro = {"type": "record", "name": "row", "fields": [{"name": name, "type": kind} for name, kind in _AVRO.items()]}
    commit = {
        "partitionToWriteStats": {"": stats},
        "extraMetadata": {"schema": json.dumps(avro)},
        "operationType": "BULK_INSERT",
    }
    (_MADE / ".hoodie" / "20250601000000000.commit").write_text(json.dumps(commit), "utf-8")
    said = {"name": "made", "type": "COPY_ON_WRITE", "version": 6, "timeline.layout.version": 1}
    text = "".join(
        f"hoodie.table.{name}={value}\n" for name, value in said.items() if name != "timeline.layout.version"
    )
    text += "hoodie.timeline.layout.version=1\nhoodie.populate.meta.fields=false\n"
    (_MADE / ".hoodie" / "hoodie.properties").write_text(text, "utf-8")
    return _MADE


_AVRO: dict[str, object] = {
    "id": "string", "ts": "long", "a": ["null", "int"], "b": ["null", "int"], "l": "long", "x": ["null", "double"],
    "dec": ["null", {"type": "fixed", "name": "d", "size": 6, "logicalType": "decimal", "precision": 12, "scale": 2}],
    "flag": ["null", "boolean"], "cat": ["null", "string"], "name": "string",
    "day": ["null", {"type": "int", "logicalType": "date"}],
    "at": ["null", {"type": "long", "logicalType": "timestamp-micros"}],
}  # fmt: skip


def _rows(number: int) -> pa.Table:
    draw, size = np.random.default_rng(number), ROWS // FILES
    ts = _FIRST + number * _STEP + draw.integers(0, _STEP, size)
    letters = np.frombuffer(b"0123456789abcdef", np.uint8)

    def words(length: int) -> pa.Array:
        offsets = np.arange(size + 1, dtype=np.int32) * length
        data = letters[draw.integers(0, 16, size * length)]
        return pa.Array.from_buffers(pa.string(), size, [None, pa.py_buffer(offsets), pa.py_buffer(data)])

    cents = pa.array(draw.integers(0, 10**9, size)).cast(pa.decimal128(19, 0))
    return pa.table(
        {
            "id": words(36),
            "ts": ts,
            "a": pa.array(draw.integers(0, 10**6, size, np.int32)),
            "b": pa.array(draw.integers(0, 10**6, size, np.int32)),
            "l": draw.integers(-(2**62), 2**62, size),
            "x": np.round(draw.random(size) * 1e6, 3),
            "dec": pa.Array.from_buffers(pa.decimal128(12, 2), size, cents.buffers()),
            "flag": draw.random(size) < 0.5,
            "cat": pa.array([f"category {n}" for n in range(50)]).take(pa.array(draw.integers(0, 50, size))),
            "name": words(20),
            "day": pa.array(draw.integers(18_000, 20_000, size, np.int32)).cast(pa.date32()),
            "at": pa.array(ts * 1000, pa.timestamp("us", "UTC")),
        }
    )
