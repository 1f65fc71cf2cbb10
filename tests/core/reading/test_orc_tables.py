"""A table of ORC base files: its rows, those that match, and their number."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.one_commit_tables import base_file_path, commit_base_files

orc = pytest.importorskip("pyarrow.orc", reason="this build of pyarrow reads no ORC files")

ROWS, FILES = 1_000, 2
AVRO = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "city", "type": ["null", "string"]},
        {"name": "deep", "type": {"type": "record", "name": "deep", "fields": [{"name": "a", "type": "long"}]}},
    ],
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("orc")
    for number in range(FILES):
        ids = range(number * ROWS, (number + 1) * ROWS)
        cities = [("Oslo", "Bergen", None)[item % 3] for item in ids]
        rows = pa.table({"id": pa.array(ids, pa.int64()), "city": cities, "deep": [{"a": -item} for item in ids]})
        orc.write_table(rows, str(base_file_path(folder, number, extension="orc")), stripe_size=1 << 10, batch_size=100)
    return open_table(commit_base_files(folder, AVRO, ["hoodie.table.base.file.format=ORC"]))


def test_rows_are_read_in_order(table: Table) -> None:
    found = table.scan().to_arrow()
    assert found["id"].to_pylist() == list(range(ROWS * FILES))
    assert found["city"].to_pylist()[:4] == ["Oslo", "Bergen", None, "Oslo"]
    assert table.scan().count() == ROWS * FILES


@pytest.mark.parametrize("where", ["id = 1234", "city = 'Bergen' AND id < 50", "city IS NULL", "id < 0"])
def test_rows_that_match_are_read(table: Table, where: str) -> None:
    rows = table.scan().to_arrow().to_pylist()
    keep = {
        "id = 1234": lambda row: row["id"] == 1234,
        "city = 'Bergen' AND id < 50": lambda row: row["city"] == "Bergen" and row["id"] < 50,
        "city IS NULL": lambda row: row["city"] is None,
        "id < 0": lambda _: False,
    }[where]
    scan = table.scan(where=where, columns=["deep.a", "id"])
    wanted = [{"deep": row["deep"], "id": row["id"]} for row in rows if keep(row)]
    assert scan.to_arrow().to_pylist() == wanted
    assert scan.count() == len(wanted)
