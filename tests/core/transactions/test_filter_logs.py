"""Bloom filters that tasks bring from footers to log files: those of a write in one process, none in the process that commits.

Also covers: `data_files/footer_filters.py`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hudi_core.commit.statuses import StagedLog, WriteStatus
from hudi_core.front.opening import open_table
from hudi_core.metadata.table import BLOOM_FILTERS
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.transactions import filter_logs
from hudi_core.transactions.reports import open_reports
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import delete_partitions, write
from hudi_core.writing.plan import FileSizes
from hudi_core.writing.spread.operations import spread_write
from tests.support.drawing import SOAK
from tests.support.local_flow import local_rows, watch_reports
from tests.support.runners import RepeatingRunner
from tests.support.served_tables import assert_same_rows, assert_served_alike, filled, twin
from tests.support.spread_writes import assert_twins, cut, operation_rows, twins

OPERATIONS = ["upsert", *(["insert_overwrite", "append", "delete"] if SOAK else [])]
SMALL = WriteOptions(sizes=FileSizes(small=0))


def filters_of(table: Table) -> list[Any]:
    """The filters that the index has, sorted: names of files differ between two tables."""
    records = metadata_records(open_table(table.storage.uri), BLOOM_FILTERS)
    return sorted(str(record["BloomFilterMetadata"]["bloomFilter"]) for record in records)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files are many, and a block of a log file has the filter of one."""
    monkeypatch.setattr(filter_logs, "FILES_WITH_FILTERS", 1)
    monkeypatch.setattr(filter_logs, "_BYTES_OF_BLOCK", 1)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("op", OPERATIONS)
def test_no_filter_of_many_files_comes_to_the_process_that_commits(
    tmp_path: Path, op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """META-1170: the index is that of a write in one process."""
    table, whole = twins(tmp_path, "cow", 9, (BLOOM_FILTERS, "record_index"))
    chance = random.Random(op)
    seen = watch_reports(monkeypatch)
    for number, operation in enumerate(["upsert", op]):
        given = operation_rows(chance, operation, number, ("record_index",))
        write(whole, given, operation, SMALL)
        spread_write(table, local_rows(table.engine, cut(random.Random(4), given), repeats=True), operation, SMALL)
        assert filters_of(table) == filters_of(whole)
    reported = [content for content in open_reports(seen) if isinstance(content, WriteStatus)]
    assert len([status for status in reported if status.bloom_filter_type is not None]) > 3
    assert not any(status.bloom_filter for status in reported)
    assert_twins(table, whole)


def test_filters_of_few_files_come_with_the_statuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """META-1170: a write of few files has no more steps."""
    table, whole = twins(tmp_path, "cow", 9, (BLOOM_FILTERS,))
    given = operation_rows(random.Random(3), "upsert", 0)
    seen = watch_reports(monkeypatch)
    write(whole, given)
    spread_write(table, local_rows(table.engine, [given]))
    contents = open_reports(seen)
    assert any(status.bloom_filter for status in contents if isinstance(status, WriteStatus))
    assert not any(isinstance(content, StagedLog) for content in contents)
    assert filters_of(table) == filters_of(whole)


SERVICES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "cluster": ("cow", lambda table: table.cluster(columns=["n"], sizes=FileSizes(14_000, 14_000), runner=RUNNER)),
    "compact": ("mor", lambda table: table.compact(runner=RUNNER)),
}
RUNNER = RepeatingRunner()


@pytest.mark.one_of(2)
@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("version", [9, *([6, 8] if SOAK else [])])
def test_services_leave_the_filters_of_many_files_to_tasks(tmp_path: Path, service: str, version: int) -> None:
    """META-1170: the index is that of statuses with filters."""
    kind, serve = SERVICES[service]
    table = filled(tmp_path / "here", kind, version)
    other = twin(table, tmp_path / "there")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filter_logs, "FILES_WITH_FILTERS", 1000)
        serve(table)
    serve(other)
    assert filters_of(table) == filters_of(other)
    assert_served_alike(table, other, same_files=service != "cluster")


@pytest.mark.usefixtures("many")
def test_filters_of_files_that_the_commit_leaves_out_are_not_recorded(tmp_path: Path) -> None:
    """META-1170: of file groups that another write replaced meanwhile."""
    table = filled(tmp_path / "here", "mor", 9)
    other = twin(table, tmp_path / "there")
    delete_partitions(other, ["p1"])
    refreshed(other).compact(runner=RUNNER)  # type: ignore[attr-defined]  # the front's table

    left = [lambda: delete_partitions(refreshed(table), ["p1"])]
    table.compact(runner=RUNNER, progress=lambda *_: left.pop()() if left else None)
    assert filters_of(table) == filters_of(other)
    assert_same_rows(table, other)
