"""Columns whose values do not come from the file: those that its path tells, and those that it does not have."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.table.open import open_table

AVRO = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "city", "type": ["null", "string"]},
        {"name": "tip", "type": "long", "default": 7},
        {"name": "note", "type": "string"},
    ],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A table of one file, in the folder of oslo, that was written under a schema without `tip` and `note`."""
    (tmp_path / ".hoodie").mkdir()
    (tmp_path / "city=oslo").mkdir()
    name = "f0-0_0-0-0_20250101000000000.parquet"
    pq.write_table(pa.table({"id": [1, 2], "city": ["oslo", "paris"]}), tmp_path / "city=oslo" / name)
    stats = [{"fileId": "f0-0", "path": f"city=oslo/{name}"}]
    commit = {"partitionToWriteStats": {"city=oslo": stats}, "extraMetadata": {"schema": json.dumps(AVRO)}}
    (tmp_path / ".hoodie" / "20250101000000000.commit").write_text(json.dumps(commit))
    (tmp_path / ".hoodie" / "hoodie.properties").write_text(
        "hoodie.table.name=t\nhoodie.table.type=COPY_ON_WRITE\nhoodie.table.version=6\n"
        "hoodie.timeline.layout.version=1\nhoodie.populate.meta.fields=false\n"
        "hoodie.table.partition.fields=city\nhoodie.datasource.write.hive_style_partitioning=true\n"
        "hoodie.table.keygenerator.class=org.apache.hudi.keygen.SimpleKeyGenerator\n"
    )
    return tmp_path


def test_a_partition_column_has_the_value_of_the_path_whatever_the_file_holds(root: Path) -> None:
    """TABLE-13."""
    table = open_table(root)
    assert table.scan(columns=["id", "city"]).to_arrow().column("city").to_pylist() == ["oslo", "oslo"]
    assert table.scan(where="city = 'oslo'", columns=["id"]).to_arrow().column("id").to_pylist() == [1, 2]
    assert table.scan(where="city = 'paris'").count() == 0


def test_a_required_column_that_the_file_lacks_is_its_default_else_null(root: Path) -> None:
    """TABLE-15."""
    rows = open_table(root).scan(columns=["tip", "note"]).to_arrow()
    assert rows.to_pydict() == {"tip": [7, 7], "note": [None, None]}
