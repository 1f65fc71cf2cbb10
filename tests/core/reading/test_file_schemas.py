"""The stored schemas of a scan's files, by footers that are read here or by a runner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hudi_core.engine import Runner
from hudi_core.front.opening import open_table
from hudi_core.parallel.runners import SerialRunner, ThreadRunner
from hudi_core.reading.base_files import BaseFiles
from hudi_core.reading.file_schemas import NO_SCHEMA, FileSchemas, read_file_schemas, read_file_schemas_by
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.selection import Selection
from tests.support.bootstrapped_tables import bootstrapped
from tests.support.commands import rides
from tests.support.made_tables import Group, Log, MadeTable


def schemas_of(scan: Any, parts: list[SliceRead]) -> FileSchemas:
    snapshot = scan.sources.snapshot
    wanted = Selection(snapshot.engine, snapshot.schema, scan.schema, scan.predicate)
    return read_file_schemas(BaseFiles(scan.sources), wanted, parts)


@pytest.mark.each_value
@pytest.mark.parametrize("where", [None, "fare > 20"])
@pytest.mark.parametrize("runner", [SerialRunner(), ThreadRunner(2)], ids=["serial", "threads"])
def test_a_runner_reads_the_schemas_that_one_process_reads(runner: Runner, where: str | None) -> None:
    scan = open_table(str(rides())).scan(where=where, read_optimized=True)
    parts = scan.parts()
    here = schemas_of(scan, parts)
    there = read_file_schemas_by(runner, scan.remote_scan(), parts, footers_per_task=7)
    assert there.schemas == here.schemas
    assert there.indexes.tolist() == here.indexes.tolist()
    assert min(there.indexes) >= 0


def test_slices_with_log_files_have_no_single_schema() -> None:
    logged = Group("u", [{"id": "a"}], [Log([{"id": "b"}])])
    scan = MadeTable([Group("u", [{"id": "c"}]), logged]).open().scan()
    parts = sorted(scan.parts(), key=lambda part: len(part.slice.logs))
    assert schemas_of(scan, parts).indexes.tolist() == [0, NO_SCHEMA]


def test_only_readable_parquet_files_of_the_recorded_size_have_a_schema() -> None:
    scan = open_table(str(rides())).scan(read_optimized=True)
    part = scan.parts()[0]
    base = part.slice.base
    assert base is not None
    bases = [
        replace(base, size=base.size + 1),
        replace(base, path="no/such.parquet"),
        replace(base, path="another.orc"),
        base,
    ]
    parts = [replace(part, slice=replace(part.slice, base=changed)) for changed in bases]
    assert schemas_of(scan, parts).indexes.tolist() == [NO_SCHEMA, NO_SCHEMA, NO_SCHEMA, 0]


def test_files_of_a_bootstrap_have_no_single_schema(tmp_path: Path) -> None:
    """TABLE-730: an engine's own reader would find their meta columns alone."""
    scan = open_table(bootstrapped(tmp_path)).scan()
    parts = scan.parts()
    assert schemas_of(scan, parts).indexes.tolist() == [NO_SCHEMA] * len(parts)
    assert len(parts) == 2


def test_no_parts_have_no_schemas() -> None:
    scan = open_table(str(rides())).scan()
    assert read_file_schemas_by(SerialRunner(), scan.remote_scan(), []).schemas == []
