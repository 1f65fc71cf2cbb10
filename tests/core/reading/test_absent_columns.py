"""Columns whose values do not come from the file: those that its path tells, and those that it does not have."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import UnsupportedError
from hudi_core.front.opening import open_table
from tests.support.one_commit_tables import BY_CITY, base_file_path, commit_base_files

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

DROPPED = "hoodie.datasource.write.drop.partition.columns=true"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A table of one file, in the folder of oslo, that was written under a schema without `tip` and `note`."""
    rows = pa.table({"id": [1, 2], "city": ["oslo", "paris"]})
    pq.write_table(rows, base_file_path(tmp_path, 0, "city=oslo"))
    return commit_base_files(tmp_path, AVRO, BY_CITY)


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


@pytest.mark.parametrize("typed", [("hoodie.table.keygenerator.type=TIMESTAMP",), ()])
def test_a_partition_column_that_neither_file_nor_path_has_is_refused_where_it_is_needed(
    tmp_path: Path, typed: tuple[str, ...]
) -> None:
    """TABLE-1499."""
    pq.write_table(pa.table({"id": [1, 2]}), base_file_path(tmp_path, 0, "city=oslo"))
    table = open_table(commit_base_files(tmp_path, AVRO, (*BY_CITY, DROPPED, *typed)))
    assert sorted(table.scan(columns=["id"]).to_arrow().column("id").to_pylist()) == [1, 2]
    assert table.scan(where="id > 1").count() == 1
    needs = [lambda: table.scan().to_arrow(), lambda: table.scan(columns=["city"]).to_arrow()]
    needs += [lambda where=where: table.scan(where=where).count() for where in ("city = 'oslo'", "city IS NULL")]
    if not typed:
        assert table.scan(columns=["city"]).to_arrow().column("city").to_pylist() == ["oslo", "oslo"]
        assert [need() for need in needs[2:]] == [2, 0]
        return
    for need in needs:
        with pytest.raises(
            UnsupportedError, match="a path with the value of city, which files leave out, found 'city=oslo'"
        ):
            need()


def test_a_file_that_has_a_dropped_column_gives_it(tmp_path: Path) -> None:
    """TABLE-1499: as files from before the property was set."""
    pq.write_table(pa.table({"id": [1], "city": ["Oslo"]}), base_file_path(tmp_path, 0, "city=oslo"))
    table = open_table(
        commit_base_files(tmp_path, AVRO, (*BY_CITY, DROPPED, "hoodie.table.keygenerator.type=TIMESTAMP"))
    )
    assert table.scan(columns=["city"]).to_arrow().column("city").to_pylist() == ["Oslo"]
