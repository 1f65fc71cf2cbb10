"""The dataset as its users take it: all of pyarrow's methods, processes, queries that end early, other libraries missing."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pytest

import hudi_core
from hudi_arrow.pushdown.dataset import HudiDataset, HudiFragment, HudiScanner
from hudi_arrow.pushdown.lazy_frame import _frames
from hudi_core import UnsupportedError
from hudi_core.table.scan import Scan
from hudi_core.table.view import View
from tests.support.commands import rides
from tests.support.pushed_queries import made_table

OSLO = pc.field("city") == "oslo"


@pytest.fixture(scope="module")
def table() -> hudi_core.Table:
    return hudi_core.open(rides())


def test_filters_columns_and_limits_reach_the_planner(table: hudi_core.Table) -> None:
    """TABLE-690: of 287 slices those are read that the same predicate reads in a scan."""
    scans: list[Scan] = []
    expected = table.scan("fare > 95 AND city = 'oslo'", meta=False)
    kept = len(expected.plan.kept())
    assert (kept, len(expected.plan.slices), expected.count()) == (3, 287, 3)

    lazy = table.to_lazy(on_scan=scans.append)
    found = lazy.filter(pl.col("fare") > 95, pl.col("city") == "oslo").select("ride_id").collect()
    con = duckdb.connect()
    relation = table.to_duckdb(con, on_scan=scans.append).filter("fare > 95 AND city = 'oslo'").select("ride_id")
    dataset = table.to_dataset(on_scan=scans.append)
    rows = dataset.to_table(["ride_id"], (pc.field("fare") > Decimal("95.00")) & OSLO)
    assert len(found) == len(relation.fetchall()) == len(rows) == 3
    assert [len(scan.plan.kept()) for scan in scans] == [kept] * 3
    assert {name for scan in scans for name in scan.schema.names} == {"ride_id", "fare", "city"}

    scans.clear()
    assert lazy.head(3).collect().height == 3
    assert [scan.limit for scan in scans] == [3]
    assert con.sql("SELECT count(*) FROM rides").fetchall() == [(42_000,)]


def test_each_method_of_a_dataset_is_answered(table: hudi_core.Table, tmp_path: Path) -> None:
    """TABLE-695: what stays of pyarrow's has no rows in it, or goes through `scanner`."""
    own = {name for name in vars(HudiDataset) if not name.startswith("_")}
    through_scanner = {"to_table", "to_batches", "head", "take"}
    without_rows = {"filesystem", "format", "from_paths", "partition_expression", "partitioning"}
    public = {name for name, _ in inspect.getmembers(ds.FileSystemDataset) if not name.startswith("_")}
    assert public == own | through_scanner | without_rows
    dataset, expected = table.to_dataset(), table.to_arrow("city = 'oslo'")["ride_id"]
    assert dataset.schema == table.to_arrow("false").schema
    assert dataset.to_table(filter=OSLO)["ride_id"].equals(expected)
    assert pa.Table.from_batches(dataset.to_batches(["ride_id"], filter=OSLO))["ride_id"].equals(expected)
    assert dataset.head(5, filter=OSLO)["ride_id"].equals(expected.slice(0, 5)) and dataset.head(0).num_rows == 0
    assert dataset.take([1, 0], filter=OSLO)["ride_id"].equals(expected.take([1, 0]))
    assert dataset.count_rows() == 42_000 and dataset.count_rows(OSLO) == len(expected)
    assert dataset.to_table({"half": pc.field("passengers") * 2}, OSLO)["half"][0].as_py() % 2 == 0
    assert dataset.sort_by("ride_id").to_table().num_rows == 42_000
    assert len(dataset.files) == 287 and repr(dataset) == "HudiDataset of rides: 11 columns"
    (fragment,) = dataset.get_fragments(OSLO)
    assert isinstance(fragment, HudiFragment) and fragment.physical_schema == dataset.schema
    assert fragment.partition_expression.equals(pc.scalar(True))
    scanner = fragment.scanner(dataset.schema, columns=["fare"], filter=OSLO)
    assert isinstance(scanner, HudiScanner) and scanner.dataset_schema.names == ["city", "fare"]
    assert scanner.count_rows() == len(expected) and scanner.to_reader().schema.names == ["fare"]


@pytest.mark.parametrize(
    "use",
    [
        lambda dataset: ds.Scanner.from_dataset(dataset).to_table(),
        lambda dataset: ds.dataset([dataset]),
        lambda dataset: dataset.filter(OSLO),
        lambda dataset: dataset.replace_schema(dataset.schema),
        lambda dataset: dataset.join(dataset, "ride_id"),
        lambda dataset: dataset.join_asof(dataset, "fare", "ride_id", 0),
    ],
)
def test_what_would_pass_by_the_scanner_is_refused(table: hudi_core.Table, use: object) -> None:
    """TABLE-695: an error, never a part of the rows."""
    with pytest.raises(UnsupportedError, match="of a dataset of a Hudi table"):
        use(table.to_dataset())  # type: ignore[operator]


def test_a_dataset_goes_to_another_process(table: hudi_core.Table) -> None:
    copy = pickle.loads(pickle.dumps(table.to_dataset()))
    assert copy.count_rows(OSLO) == table.count("city = 'oslo'")


def test_a_query_that_ends_early_leaves_no_thread_that_reads_on() -> None:
    """The process ends at once and without an error."""
    code = (
        "import sys, duckdb, hudi_core; table = hudi_core.open(sys.argv[1]); "
        "print(table.to_dataset().head(3).num_rows, table.to_lazy().head(2).collect().height, "
        "len(table.to_duckdb().limit(1).fetchall()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(rides())], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3 2 1\n", "")


def test_a_table_is_offered_as_it_was_and_with_hudis_columns(tmp_path: Path) -> None:
    table = made_table(tmp_path / "t", "cow")
    first = table.timeline.commits[0].requested_time
    assert table.to_lazy(as_of=first).collect().height == table.to_dataset(as_of=first).count_rows() == 3
    names = table.to_lazy(meta=True).collect_schema().names()
    assert names[0] == "_hoodie_commit_time" and names[5:] == table.to_lazy().collect_schema().names()
    con = duckdb.connect()
    table.to_duckdb(con, "other", as_of=first)
    assert con.sql("SELECT count(*) FROM other").fetchall() == [(3,)]


def test_frames_have_hudis_columns_where_they_are_asked_for(table: hudi_core.Table) -> None:
    """TABLE-698."""
    some = "city = 'oslo' AND fare > 95"
    own = table.scan(limit=1).to_arrow().column_names
    plain = own[5:]
    for make in (table.scan(some).to_pandas, table.scan(some).to_polars):
        assert list(make().columns) == plain and list(make(meta=True).columns) == own
    named = table.scan(some, ["_hoodie_record_key", "fare"])
    assert list(named.to_pandas().columns) == list(named.to_polars().columns) == ["_hoodie_record_key", "fare"]
    assert table.to_polars(some, ["fare"]).height == table.to_pandas(some).shape[0] == 3
    assert table.to_arrow(some).column_names == plain and table.to_arrow(some, meta=True).column_names == own


@pytest.mark.parametrize(("module", "method"), [("polars", "to_lazy"), ("duckdb", "to_duckdb")])
def test_a_library_that_is_missing_is_named(
    table: hudi_core.Table, monkeypatch: pytest.MonkeyPatch, module: str, method: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnsupportedError, match=f"{method}: needs the package {module}: pip install 'hudi-core"):
        getattr(table, method)()


def test_a_duckdb_that_loses_rows_is_refused(table: hudi_core.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """TABLE-697."""
    monkeypatch.setattr(duckdb, "__version__", "1.4.4")
    with pytest.raises(UnsupportedError, match=r"to_duckdb: expected DuckDB 2\.0 or newer: .*, found 1\.4\.4"):
        table.to_duckdb()


def test_an_engine_without_views_is_named() -> None:
    with pytest.raises(UnsupportedError, match="engine 'plain': expected an engine that offers tables to others"):
        hudi_core.open(rides(), "plain").to_lazy()


def test_a_limit_beside_a_predicate_counts_rows_that_match(table: hudi_core.Table) -> None:
    """TABLE-696: Polars asks for both at once where it can; the rows are those that match, as many as there are."""
    view = View(table)
    wanted = pl.col("fare").cast(pl.Float64) * 1 > 95
    frame = pl.concat(_frames(view, pl, ["fare"], wanted, 2))
    assert frame.height == 2 and (frame["fare"] > 95).all()
