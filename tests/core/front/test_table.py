"""Methods of a table: options by name, and their results.

Also covers: `by_need.py`, `front/keywords.py`, `front/opening.py`, `schema/names.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import ClusterOptions, UnsupportedError, UsageError
from hudi_core.by_need import ModuleByNeed
from hudi_core.schema.names import name_list

TYPES = pa.schema([("id", pa.int64()), ("n", pa.int64())])


def rows_from(first: int) -> pa.Table:
    """Twenty rows whose `n` runs against their keys."""
    return pa.table({"id": range(first, first + 20), "n": range(20, 0, -1)}, schema=TYPES)


@pytest.fixture
def table(tmp_path: Path) -> hudi_core.Table:
    created = hudi_core.create(tmp_path / "t", TYPES, "id")
    for first in (0, 20, 40):
        created.append(rows_from(first))
    return hudi_core.refreshed(created)


def test_options_of_writes_are_given_by_name(table: hudi_core.Table) -> None:
    assert table.upsert(rows_from(0), dry_run=True).instant is None
    assert table.delete(where="id < 5", dry_run=True).deleted == 5
    assert table.update({"n": 1}, where="id = 7", dry_run=True).updated == 1
    assert len(hudi_core.refreshed(table).timeline.commits) == 3


def test_a_table_is_its_rows_to_other_libraries(table: hudi_core.Table, tmp_path: Path) -> None:
    """TABLE-1560: and to another table."""
    taken = pa.table(table)
    assert taken.schema.names == ["id", "n"] and taken.num_rows == table.count()
    other = hudi_core.create(tmp_path / "other", table, "id")
    assert other.upsert(table).inserted == 60
    assert other.refresh().to_arrow().sort_by("id") == taken.sort_by("id")


def test_a_clustering_and_an_index_take_names_of_columns(table: hudi_core.Table) -> None:
    result = table.cluster(columns=["n"], strategy="hilbert")
    assert (result.strategy, result.columns, result.rows) == ("hilbert", ("n",), 60)
    indexed = hudi_core.refreshed(table).index("column_stats", columns="n")
    (statistics,) = [index for index in indexed.indexes() if index.name == "column_stats"]
    assert statistics.columns[-1] == "n"


def test_fields_by_name_take_the_place_of_those_of_an_object(table: hudi_core.Table) -> None:
    options = ClusterOptions(columns=("id",))
    assert table.cluster(options, columns="n,id").columns == ("n", "id")


def test_names_that_are_no_options_are_refused(table: hudi_core.Table) -> None:
    with pytest.raises(UsageError, match=r"WriteOptions: expected some of dry_run, found dryrun"):
        table.upsert(rows_from(0), dryrun=True)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"WriteOptions: expected some of index, sizes, .*, found zzz"):
        table.upsert(rows_from(0), zzz=True)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"strategy: expected one of linear, zorder, hilbert, found 'curve'"):
        table.cluster(columns="n", strategy="curve")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"partitions: expected partitions of the table \(none\), found nowhere"):
        table.cluster(columns="n", partitions=["nowhere"])


def test_a_table_shows_what_it_showed_until_it_is_refreshed(table: hudi_core.Table) -> None:
    table.append(rows_from(60))
    assert (table.scan().count(), table.refresh().scan().count()) == (60, 80)
    assert (table.name, table.uri, type(table.refresh())) == ("t", table.storage.uri, hudi_core.Table)


def test_a_schema_is_changed_in_one_commit(table: hudi_core.Table) -> None:
    changed = table.evolve("ADD COLUMN m double")
    assert "m" in changed.schema and "m" not in table.schema
    assert len(changed.timeline.commits) == len(table.timeline.commits) + 1
    with pytest.raises(UsageError, match="changes: expected a change of the schema, found none"):
        changed.evolve([])


def test_a_package_with_the_name_of_a_function_is_both(table: hudi_core.Table) -> None:
    import hudi_core.cluster as package  # noqa: PLC0415 - what a user types
    import hudi_core.evolve as other  # noqa: PLC0415

    assert (package.__name__, other.__name__) == ("hudi_core.cluster", "hudi_core.evolve")
    assert hudi_core.cluster(table, ClusterOptions(columns=("n",))).rows == 60
    assert hudi_core.evolve(table.schema, "ADD COLUMN m double").names[-1] == "m"


def test_a_module_is_loaded_when_a_name_is_taken_from_it() -> None:
    module = ModuleByNeed("hudi_core.schema.names")
    assert repr(module) == "<hudi_core.schema.names, loaded when it is used>"
    assert module.name_list is name_list
    with pytest.raises(AttributeError, match="name_lists"):
        module.name_lists  # noqa: B018


def test_the_last_write_is_undone(table: hudi_core.Table) -> None:
    last = table.timeline.commits[-1].requested_time
    (undone,) = table.rollback(last)
    assert undone.as_dict() == {"instant": last, "action": "commit", "files_deleted": 1, "rebuilt": []}
    assert hudi_core.refreshed(table).scan().count() == 40
    assert table.rollback(failed=True) == []
    with pytest.raises(UsageError, match="rollback: expected either an instant or `failed`"):
        table.rollback()


@pytest.mark.parametrize(("given", "names"), [("a, b,", ("a", "b")), (["a", "b,c"], ("a", "b,c")), ("", ()), ([], ())])
def test_lists_of_names(given: str | list[str], names: tuple[str, ...]) -> None:
    assert name_list(given) == names


def test_what_a_notebook_shows_is_short(table: hudi_core.Table) -> None:
    shown = repr(table).splitlines()
    assert shown[0] == "Table t" and len(shown) <= 6
    assert "copy on write, version 9" in repr(table) and "commits: 3" in repr(table)
    assert repr(table.schema).splitlines()[0].startswith("Schema of 7 columns")
    assert repr(table.schema).splitlines()[-1] == "  and 3 more"
    scan = table.scan(where="n > 3", columns=["id"], limit=2)
    assert repr(scan) == "Scan of t: where n > 3; columns id; limit 2"
    assert repr(scan.plan) == "ScanPlan: 3 of 3 file slices to read"
    assert "<td>n</td>" in table.schema._repr_html_() and "copy on write" in table._repr_html_()
    scan = table.scan("n > 3")
    assert "<caption>Scan of t: where n &gt; 3; 7 columns</caption>" in scan._repr_html_()
    assert "<th>removed</th>" in scan.plan._repr_html_() and "file slices to read</caption>" in scan.plan._repr_html_()
    assert "<td>inserted</td><td>0</td>" in table.upsert(rows_from(0), dry_run=True)._repr_html_()
    assert repr(table.changes()) == "Changes of t: 3 commits; columns op, ts_ms, before, after"


WITHOUT_PANDAS = """
import sys
class Absent:
    def find_spec(self, name, *_):
        if name == "pandas":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import hudi_core
hudi_core.open(sys.argv[1])."""


def without_pandas(call: str, uri: str) -> str:
    """What a call of a table says where pandas is not installed."""
    command = [sys.executable, "-c", WITHOUT_PANDAS + call, uri]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_what_pandas_cannot_have_is_an_error_of_its_column(tmp_path: Path) -> None:
    """TABLE-1494."""
    rows = pa.table({"id": ["a"], "day": pa.array([3_000_000], pa.date32())})
    table = hudi_core.create(tmp_path / "t", rows, "id")
    table.insert(rows)
    with pytest.raises(UnsupportedError, match=r"^to_pandas: day: expected values that pandas can have"):
        table.refresh().to_pandas()
    assert table.refresh().to_polars()["day"].dt.year().to_list() == [10183]
    assert "to_pandas: needs the package pandas: pip install" in without_pandas("to_pandas()", table.uri)
