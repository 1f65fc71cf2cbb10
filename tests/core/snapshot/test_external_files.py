"""Files of other writers that were registered where they are: refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.engine import FileInfo
from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.snapshot.external_files import refuse_external
from hudi_core.timeline.files import files_in
from tests.support.one_commit_tables import base_file_path, commit_base_files

AVRO = {"type": "record", "name": "row", "fields": [{"name": "id", "type": "long"}]}
NAME = "part-0.parquet"


def registered(root: Path) -> Path:
    """A table whose only file has the name that another writer gave it."""
    path = base_file_path(root, 0)
    pq.write_table(pa.table({"id": [1, 2]}), path)
    commit_base_files(root, AVRO)
    path.rename(root / NAME)
    (commit,) = (root / ".hoodie").glob("*.commit")
    stat = {"fileId": NAME, "path": f"{NAME}_20250101000000000_hudiext"}
    content = json.loads(commit.read_text())
    commit.write_text(json.dumps({**content, "partitionToWriteStats": {"": [stat]}}))
    return root


def test_rows_are_not_left_out_without_a_word(tmp_path: Path) -> None:
    """TABLE-741: the folder does not show that the file is one of the table."""
    table = open_table(registered(tmp_path))
    for read in (table.scan().to_arrow, table.scan().count, table.slices):
        with pytest.raises(UnsupportedError, match=f"the registered file {NAME}_20250101000000000_hudiext"):
            read()


def test_names_that_metadata_lists_are_seen(tmp_path: Path) -> None:
    """TABLE-741."""
    table = open_table(registered(tmp_path))
    for names in (["a.parquet_1_hudiext"], ["short", "a.parquet_1_hudiext", "z.parquet"], ["_hudiext" + "x_hudiext"]):
        files = files_in({"": [FileInfo(name, 1) for name in names]})
        with pytest.raises(UnsupportedError, match="_hudiext"):
            refuse_external(files, table.timeline, "t", listed=False)
    for names in ([], ["a.parquet"], ["a_hudiext.parquet"]):
        refuse_external(files_in({"": [FileInfo(name, 1) for name in names]}), table.timeline, "t", listed=False)
