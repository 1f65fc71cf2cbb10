"""Opening, planning and reading in an object store that answers each request 50 ms after it came.

The store is a server of this machine (`tests.support.s3_server`) in a process of its own. The table is that of `hudi-core demo`,
hundreds of small files; hudi-rs reads the same, Delta Lake and Iceberg have its rows in as many files, with statistics of the
same columns, their logs as short as their own maintenance makes them. All times are from opening on, by the clock on the
wall, and each call opens again.
"""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from hudi_core.front.opening import open_table
from hudi_core.schema.meta import FILE_NAME
from hudi_core.table.table import Table
from tests.bench.timing import Missing, Pair, Unbuilt
from tests.support.commands import rides
from tests.support.many_files import ROWS, table_of_many_files
from tests.support.measured_store import MeasuredStore, measured_store

Batches = Iterable[pa.RecordBatch]

_DELAY = 0.05
_CITY, _FARE = "vienna", "60.00"
_WHERE = f"city = '{_CITY}' AND fare > {_FARE}"
_COLUMNS = ("ride_id", "city", "fare", "passengers")
_FILES = 10_000
_APPENDS = 48
"""Writes of one file for each of the six cities: as many files as the table of Hudi has."""
_TABLES = Path(os.environ.get("HUDI_BENCH_TABLES") or Path(__file__).parents[2] / ".bench" / "tables") / "remote"


def pair(case: str, peer: str) -> Pair:
    plans: dict[str, Callable[[], Callable[[], int]]] = {
        "hudi-rs": _plan_of_hudi_rs,
        "deltalake": _plan_of_delta,
        "pyiceberg": _plan_of_iceberg,
    }
    match case:
        case "open_and_first_plan" if peer in plans:
            return Pair(_plan, _delayed(plans[peer]()), _keeps_what_matches, 3, 3, burst=2, waits=True)
        case "read_12_small_files" if peer == "hudi-rs":
            return _read_pair(_rows_of_hudi_rs())
        case "read_12_small_files" if peer == "duckdb":
            return _read_pair(_rows_of_duckdb())
        case "open_and_plan_10000_files" if peer == "local":
            return Pair(_plan_of_many, _plan_of_many_here, _equal, 3, 3, burst=2, waits=True)
    raise Unbuilt("no measurement of this case")


WITHOUT_GOAL = (("read_12_small_files", "duckdb"), ("open_and_plan_10000_files", "local"))


def _plan_of_many() -> list[str]:
    """The files that a lookup among 10,000 leaves."""
    _many_files()
    _store().behave(delay=_DELAY)
    table = open_table("s3://lake/many", storage_options=_store().options)
    return _names_of(table)


def _plan_of_many_here() -> list[str]:
    """The same from the local folder that the store serves."""
    return _names_of(open_table(_many_files()))


def _names_of(table: Table) -> list[str]:
    kept = table.scan(where=f"n = {_FILES * ROWS // 2}").plan.kept()
    return sorted(item.base.name for item in kept if item.base)


def _many_files() -> Path:
    """A table of 10,000 files with `column_stats`, of which there is the metadata alone."""
    folder = _store().root / "lake" / "many"
    if not folder.exists():
        part = folder.with_name("many.part")
        shutil.rmtree(part, ignore_errors=True)
        table_of_many_files(part, _FILES)
        part.rename(folder)
    return folder


def _plan() -> int:
    """The number of files that a first plan leaves."""
    _store().behave(delay=_DELAY)
    return len(open_table("s3://lake/rides", storage_options=_store().options).scan(where=_WHERE).plan.kept())


def _read_pair(theirs: Callable[[], Batches]) -> Pair:
    """Both sides read all batches and keep none; before that all rows are compared."""

    def check(our_count: object, peer_count: object) -> None:
        _equal(our_count, peer_count)
        one, other = (_decode(pa.Table.from_batches(list(rows())).select(_COLUMNS)) for rows in (_rows, theirs))
        order = [(name, "ascending") for name in _COLUMNS]
        assert one.sort_by(order).equals(other.cast(one.schema).sort_by(order)), "rows differ"

    return Pair(lambda: _count(_rows()), _delayed(lambda: _count(theirs())), check, 3, 3, burst=2, waits=True)


def _decode(table: pa.Table) -> pa.Table:
    """The rows without dictionaries, which pyarrow does not sort by."""
    fields = (
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    )
    return table.cast(pa.schema(fields))


def _count(batches: Batches) -> int:
    return sum(batch.num_rows for batch in batches)


def _rows() -> Batches:
    _store().behave(delay=_DELAY)
    table = open_table("s3://lake/rides", storage_options=_store().options)
    rows: Batches = table.scan(where=f"city = '{_CITY}'", columns=_COLUMNS).batches()
    return rows


def _delayed(call: Callable[[], int]) -> Callable[[], int]:
    def run() -> int:
        _store().behave(delay=_DELAY)
        return call()

    return run


def _plan_of_hudi_rs() -> Callable[[], int]:
    hudi = _imported("hudi", "hudi-rs")
    options = hudi.HudiReadOptions(filters=[("city", "=", _CITY), ("fare", ">", _FARE)])
    return lambda: len(_table_of_hudi_rs(hudi).get_file_slices(options))


def _rows_of_hudi_rs() -> Callable[[], Batches]:
    hudi = _imported("hudi", "hudi-rs")
    options = hudi.HudiReadOptions(filters=[("city", "=", _CITY)], projection=list(_COLUMNS))
    return lambda: _table_of_hudi_rs(hudi).read(options)  # type: ignore[no-any-return]


def _rows_of_duckdb() -> Callable[[], Batches]:
    """DuckDB is given the files that our plan leaves: it knows no table of Hudi. It reads through obstore: its own extension for
    stores is not among the packages of an index."""
    duckdb = _imported("duckdb", "DuckDB")
    stores = _imported("obstore.fsspec", "obstore")
    connection = duckdb.connect()
    # obstore takes options of the connection apart from those of the store.
    config = {name: value for name, value in _object_store_options().items() if name != "aws_allow_http"}
    connection.register_filesystem(stores.FsspecStore("s3", config=config, client_options={"allow_http": True}))
    plan = open_table(str(rides())).scan(where=f"city = '{_CITY}'").plan
    files = [f"s3://lake/rides/{base.path}" for kept in plan.kept() if (base := kept.base) is not None]
    wanted = f"SELECT {', '.join(_COLUMNS)} FROM read_parquet($1, union_by_name = true, hive_partitioning = false)"
    return lambda: connection.sql(wanted, params=[files]).to_arrow_reader()  # type: ignore[no-any-return]


def _table_of_hudi_rs(hudi: Any) -> Any:
    return hudi.HudiTable("s3://lake/rides", {"hoodie.metadata.enable": "true", **_object_store_options()})


def _plan_of_delta() -> Callable[[], int]:
    delta = _imported("deltalake", "deltalake")
    folder = _store().root / "lake" / "delta"
    if not (folder / "_delta_log" / "_last_checkpoint").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for part in _parts():
            delta.write_deltalake(str(folder), part, mode="append", partition_by=["city"])
        delta.DeltaTable(str(folder)).create_checkpoint()
    wanted = (ds.field("city") == _CITY) & (ds.field("fare") > Decimal(_FARE))

    def plan() -> int:
        table = delta.DeltaTable("s3://lake/delta", storage_options=_object_store_options())
        return len(list(table.to_pyarrow_dataset().get_fragments(wanted)))

    return plan


def _plan_of_iceberg() -> Callable[[], int]:
    _imported("pyiceberg", "pyiceberg")
    options = {
        "s3.endpoint": f"http://127.0.0.1:{_store().port}",
        "s3.access-key-id": "someone",
        "s3.secret-access-key": "secret",
        "s3.region": "us-east-1",
    }
    noted = _store().root / "iceberg-metadata"
    if not noted.exists():
        shutil.rmtree(_store().root / "lake" / "iceberg", ignore_errors=True)
        noted.write_text(_write_iceberg(options))
    tables = importlib.import_module("pyiceberg.table")
    conditions = importlib.import_module("pyiceberg.expressions")
    wanted = conditions.And(conditions.EqualTo("city", _CITY), conditions.GreaterThan("fare", Decimal(_FARE)))
    metadata = noted.read_text()

    def plan() -> int:
        table = tables.StaticTable.from_metadata(metadata, options)
        return len(list(table.scan(row_filter=wanted).plan_files()))

    return plan


def _write_iceberg(options: dict[str, str]) -> str:
    """Writes the table; gives the place of its metadata."""
    sql = importlib.import_module("pyiceberg.catalog.sql")
    transforms = importlib.import_module("pyiceberg.transforms")
    catalog = sql.SqlCatalog("bench", uri="sqlite:///:memory:", warehouse="s3://lake/iceberg", **options)
    catalog.create_namespace("bench")
    merging = {"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "4"}
    parts = list(_parts())
    table = catalog.create_table("bench.rides", parts[0].schema, properties=merging)
    with table.update_spec() as spec:
        spec.add_field("city", transforms.IdentityTransform(), "city")
    for part in parts:
        table.append(part)
    return str(table.metadata_location)


def _parts() -> Iterator[pa.Table]:
    """The rows of the table in parts that have some of each city."""
    rows = open_table(str(rides())).scan(columns=_COLUMNS).to_arrow()
    rows = rows.cast(pa.schema([pa.field(field.name, field.type) for field in rows.schema]))
    by_city = [rows.filter(pc.equal(rows["city"], city)) for city in sorted(pc.unique(rows["city"]).to_pylist())]
    for number in range(_APPENDS):
        slices = [
            of.slice(start := of.num_rows * number // _APPENDS, of.num_rows * (number + 1) // _APPENDS - start)
            for of in by_city
        ]
        yield pa.concat_tables(slices)


def _object_store_options() -> dict[str, str]:
    """Options as `object_store` names them, which hudi-rs and deltalake hand on."""
    return {
        "aws_endpoint": f"http://127.0.0.1:{_store().port}",
        "aws_access_key_id": "someone",
        "aws_secret_access_key": "secret",
        "aws_region": "us-east-1",
        "aws_allow_http": "true",
    }


def _imported(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise Missing(f"{name} (`{module}`) is not installed") from None


@cache
def _store() -> MeasuredStore:
    """The server, which ends with this process."""
    if not (_TABLES / "lake" / "rides").exists():
        (_TABLES / "lake").mkdir(parents=True, exist_ok=True)
        shutil.copytree(rides(), _TABLES / "lake" / "rides")
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(measured_store(_TABLES))


def _keeps_what_matches(ours: object, peer: object) -> None:
    """Rows are divided among the files of Delta Lake and Iceberg in their own way: about as few files, and all that have a row
    that matches."""
    assert isinstance(ours, int) and isinstance(peer, int) and 0 < ours <= 1.2 * peer, (
        f"{ours} files, the peer has {peer}"
    )
    table = open_table(str(rides()))
    kept = {item.base.name for item in table.scan(where=_WHERE).plan.kept() if item.base}
    rows = table.scan(columns=[FILE_NAME, "city", "fare"]).to_arrow()
    matching = pc.and_(pc.equal(rows["city"], _CITY), pc.greater(rows["fare"].cast(pa.float64()), float(_FARE)))
    holding = set(rows.filter(matching)[FILE_NAME].to_pylist())
    assert holding <= kept, f"not kept: {sorted(holding - kept)}"


def _equal(ours: object, peer: object) -> None:
    assert ours == peer, f"{ours}, the peer has {peer}"
