"""Tables of Apache Hudi with log files: we compact copies of them, and their rows stay."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.options import BaseFileFormat, TableType
from hudi_core.services.compaction.operations import compact
from hudi_core.services.compaction.options import CompactionOptions
from hudi_core.snapshot.snapshot import MetadataMode
from tests.conformance.test_clusterings import rows
from tests.support.conformance import TableEntry, each_table_where


def logs(entry: TableEntry) -> bool:
    """A merge-on-read table with log files."""
    return any(".log." in path and "/.hoodie/" not in path for path in entry.files)


@pytest.mark.one_of(4)
@each_table_where(logs, "log files")
def test_rows_stay_as_they_are(entry: TableEntry, tmp_path: Path) -> None:
    """COMPACT-350, COMPACT-364, COMPACT-367, COMPACT-374."""
    path = tmp_path / entry.name
    copytree(entry.unpacked(), path)
    table = open_table(path)
    if table.config.type is not TableType.MERGE_ON_READ or table.config.base_file_format is not BaseFileFormat.PARQUET:
        pytest.skip("no merge-on-read table of Parquet files")
    before = rows(table)
    everything = CompactionOptions(incremental=False, takes_over=True)
    try:
        compact(table, CompactionOptions(of_logs=True, min_log_blocks=2, takes_over=True))
        assert rows(open_table(path)) == before
        while compact(open_table(path), everything).state == "completed":
            assert rows(open_table(path)) == before
    except UnsupportedError as refused:
        assert rows(open_table(path)) == before
        pytest.skip(f"refused: {refused}")
    assert not any(file_slice.logs for file_slice in open_table(path).slices())
    listed = open_table(path, metadata=MetadataMode.OFF)
    assert rows(listed) == before
    assert not any(file_slice.logs for file_slice in listed.slices())
