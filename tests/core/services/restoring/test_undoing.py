"""One completed write undone, wherever it stands. ROLLBACK-571 to ROLLBACK-574.

Also covers: `services/restoring/rebuilding.py`, `transactions/dependents.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest

import hudi_core
from hudi_core import UsageError
from hudi_core.services.cleaning.operations import schedule
from hudi_core.services.cleaning.options import CleanOptions
from hudi_core.services.restoring.savepoints import savepoint
from hudi_core.transactions.stream_batches import StreamBatch
from hudi_core.writing.operation import WriteOptions
from tests.core.services.restoring.test_run import KINDS, all_of, content, files, made, rows
from tests.support.drawing import SOAK

Write = Callable[[hudi_core.Table], Any]
EACH = pytest.mark.parametrize(("kind", "version"), KINDS if SOAK else [("cow", 9), ("mor", 6)])


def in_city(city: str, *names: str, n: int = 9) -> pa.Table:
    return pa.table({"id": list(names), "n": pa.array([n] * len(names), pa.int64()), "city": [city] * len(names)})


def last(table: hudi_core.Table) -> str:
    return table.refresh().timeline.commits[-1].requested_time


def refused(table: hudi_core.Table, folder: Path, instant: str, message: str) -> None:
    before = files(folder), sorted(path.name for path in (folder / ".hoodie").rglob("*") if path.is_file())
    with pytest.raises(UsageError, match=message):
        table.refresh().rollback(instant)
    assert (files(folder), sorted(path.name for path in (folder / ".hoodie").rglob("*") if path.is_file())) == before


@pytest.mark.one_of(2)
@EACH
def test_a_dry_run_shows_what_a_rollback_deletes(tmp_path: Path, kind: str, version: int) -> None:
    """ROLLBACK-1360."""
    table = made(tmp_path / "t", kind, version, all_of(version))
    table.append(in_city("oslo", "x1", "x2"))
    undone = last(table)
    table.refresh().append(in_city("rome", "y1"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    foreseen = table.refresh().rollback(undone, dry_run=True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert table.refresh().rollback(failed=True, dry_run=True) == []
    with pytest.raises(UsageError, match="a completed write of the timeline"):
        table.refresh().rollback("20200101000000000", dry_run=True)
    there = files(tmp_path / "t")
    assert table.refresh().rollback(undone) == foreseen
    assert there - files(tmp_path / "t") == set(foreseen[0].files) != set()


@pytest.mark.one_of(2)
@EACH
def test_a_write_is_undone_from_under_later_ones(tmp_path: Path, kind: str, version: int) -> None:
    """ROLLBACK-571: rows, files and indexes are as if it had never been."""
    table = made(tmp_path / "t", kind, version, all_of(version))
    before = content(table)
    table.append(in_city("oslo", "x1", "x2"))
    undone = last(table)
    there = files(tmp_path / "t")
    table.refresh().append(in_city("rome", "y1"))
    table.refresh().upsert(in_city("bonn", "z1"))
    (plan,) = table.refresh().rollback(undone)
    assert plan.as_dict()["files_deleted"] == 1
    assert content(table) == sorted(
        [*before, *in_city("rome", "y1").to_pylist(), *in_city("bonn", "z1").to_pylist()], key=lambda row: row["id"]
    )
    assert len(there - files(tmp_path / "t")) == 1
    assert undone not in [one.requested_time for one in table.refresh().timeline.instants]
    assert [str(one) for one in table.refresh().validate()] == []
    table.refresh().upsert(in_city("oslo", "x1", n=10))
    assert [str(one) for one in table.refresh().validate()] == []


def _overwrites(table: hudi_core.Table) -> None:
    table.overwrite_partitions(in_city("oslo", "w1"))


def _deletes(table: hudi_core.Table) -> None:
    table.delete(where="id = 'k002'")


BUILT_UPON: dict[str, tuple[Write, Write, str]] = {
    "an update of its rows": (
        lambda table: table.append(in_city("oslo", "x1", "x2")),
        lambda table: table.upsert(in_city("oslo", "x1", n=3)),
        "file group",
    ),
    "a clustering of its file groups": (
        lambda table: table.append(in_city("oslo", "x1", "x2")),
        lambda table: table.cluster(columns=["n"]),
        "file group",
    ),
    "an overwrite of its partition": (
        lambda table: table.append(in_city("oslo", "x1", "x2")),
        _overwrites,
        "file group",
    ),
    "the key of a row that it deleted": (
        _deletes,
        lambda table: table.append(in_city("oslo", "k002")),
        "keys that it took away",
    ),
    "rows of a partition that it overwrote": (
        _overwrites,
        lambda table: table.append(in_city("oslo", "k002")),
        "keys that it took away",
    ),
}


@pytest.mark.each_value
@EACH
@pytest.mark.parametrize("name", BUILT_UPON)
def test_a_write_that_later_ones_build_on_is_refused(tmp_path: Path, kind: str, version: int, name: str) -> None:
    """ROLLBACK-572: the error names what does, and once that is undone the write is too."""
    first, second, message = BUILT_UPON[name]
    table = made(tmp_path / "t", kind, version)
    before = content(table)
    first(table)
    undone = last(table)
    second(table.refresh())
    later = last(table)
    refused(table, tmp_path / "t", undone, f"{undone}, on which {later} builds: .*{message}")
    table.refresh().rollback(later)
    table.refresh().rollback(undone)
    assert content(table) == before


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("cow", 6), ("mor", 9)])
def test_what_a_clean_took_away_does_not_come_back(tmp_path: Path, kind: str, version: int) -> None:
    """ROLLBACK-573: not even of the last write."""
    table = made(tmp_path / "t", kind, version)
    if kind == "mor":
        table.upsert(rows(5, 8, 3))
        table.refresh().compact()
    undone = last(table)
    table.refresh().clean(keep_versions=1)
    before = content(table)
    refused(table, tmp_path / "t", undone, "a clean deleted it")
    assert content(table) == before


def test_what_a_pending_clean_will_take_away_does_not_come_back(tmp_path: Path) -> None:
    """ROLLBACK-573."""
    table = made(tmp_path / "t", "cow", 9)
    undone = last(table)
    assert schedule(table.refresh(), CleanOptions(keep_versions=1)) is not None
    refused(table, tmp_path / "t", undone, "plans to delete files")


def test_replaced_file_groups_that_a_clean_took_away_do_not_come_back(tmp_path: Path) -> None:
    """ROLLBACK-573."""
    table = made(tmp_path / "t", "cow", 9)
    _overwrites(table)
    undone = last(table)
    table.refresh().clean(keep_versions=1)
    refused(table, tmp_path / "t", undone, "a clean deleted it")


def test_a_later_savepoint_keeps_the_write(tmp_path: Path) -> None:
    """ROLLBACK-572."""
    table = made(tmp_path / "t", "cow", 9)
    undone = last(table)
    table.append(in_city("bonn", "z1"))
    savepoint(table.refresh())
    refused(table, tmp_path / "t", undone, "without a savepoint of it or of a later one")


def test_a_batch_of_a_stream_stays_where_later_commits_count_on_it(tmp_path: Path) -> None:
    """ROLLBACK-572: else it would be lost, for it counts as written."""
    table = made(tmp_path / "t", "cow", 9)
    table.append(in_city("oslo", "x1"), options=WriteOptions(batch=StreamBatch(1)))
    undone = last(table)
    table.refresh().append(in_city("rome", "y1"))
    refused(table, tmp_path / "t", undone, "batches of streams")


@pytest.mark.one_of(2)
@EACH
def test_indexes_are_built_anew_where_the_write_cannot_be_taken_out(tmp_path: Path, kind: str, version: int) -> None:
    """ROLLBACK-574: statistics of partitions, and an index that was built since."""
    table = made(tmp_path / "t", kind, version, ["column_stats"])
    table.append(in_city("oslo", "x1", n=-5))
    undone = last(table)
    table.refresh().index("bloom_filters")
    (plan,) = table.refresh().rollback(undone)
    assert set(plan.rebuilt) == {"files", "column_stats", "bloom_filters"} | (
        {"partition_stats"} if "partition_stats" in table.refresh().config.kept_partitions else set()
    )
    assert [str(one) for one in table.refresh().validate()] == []
    assert not table.refresh().scan(where="n = -5").to_arrow().num_rows


def test_statistics_of_a_partition_do_not_hide_what_comes_back(tmp_path: Path) -> None:
    """ROLLBACK-574: a later write recorded bounds of the partition without the row that the undone one had changed."""
    table = hudi_core.create(
        tmp_path / "t", rows(0, 1, 0), "id", partition_by="city", indexes=["column_stats", "partition_stats"]
    )
    table.append(in_city("oslo", "low", n=-100))
    table.refresh().upsert(in_city("oslo", "low", n=5))
    undone = last(table)
    table.refresh().append(in_city("oslo", "y1", n=6))
    (plan,) = table.refresh().rollback(undone)
    assert "partition_stats" in plan.rebuilt
    assert table.refresh().scan(where="n < 0").to_arrow().num_rows == 1
    assert [str(one) for one in table.refresh().validate()] == []


@pytest.mark.parametrize(("using", "rebuilt"), [("column_stats", True), ("bloom_filters", False)])
def test_statistics_of_an_expression_do_not_hide_what_comes_back(
    tmp_path: Path, using: Literal["column_stats", "bloom_filters"], rebuilt: bool
) -> None:
    """ROLLBACK-1100: an expression index has records of whole partitions too, but one of filters."""
    table = hudi_core.create(tmp_path / "t", rows(0, 1, 0), "id", partition_by="city")
    table.append(in_city("oslo", "low", n=-100))
    table = table.refresh().index("expression_index", columns=["n"], function="identity", using=using)
    table.refresh().upsert(in_city("oslo", "low", n=5))
    undone = last(table)
    table.refresh().append(in_city("oslo", "y1", n=6))
    (plan,) = table.refresh().rollback(undone)
    assert ("expr_index_identity_n" in plan.rebuilt) == rebuilt
    assert [str(one) for one in table.refresh().validate()] == []
