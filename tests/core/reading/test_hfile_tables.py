"""Tables of HFile base files: their rows, those that match, and their number; rows of HFiles in logs.

Also covers: `formats/hfile/records.py`.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import fastavro
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import open_table
from hudi_core.table.table import Table
from tests.support.hfiles import Shape, build
from tests.support.logged_tables import COLUMNS, META, Block, LoggedTable, encoded, frame, schema_of, with_meta
from tests.support.one_commit_tables import base_file_path, commit_base_files

AVRO: dict[str, Any] = {
    "type": "record",
    "name": "row",
    "fields": [
        {"name": "key", "type": "string"},
        {"name": "n", "type": "long"},
        {"name": "city", "type": ["null", "string"], "default": None},
        {"name": "deep", "type": {"type": "record", "name": "deep", "fields": [{"name": "a", "type": "long"}]}},
    ],
}
FILES, ROWS = 2, 300
ALL = [
    {"key": f"k{n:04d}", "n": n, "city": ("Oslo", "Bergen", None)[n % 3], "deep": {"a": -n}}
    for n in range(FILES * ROWS)
]


def hfile(rows: list[dict[str, Any]], *, named: bool = True) -> bytes:
    """The rows by their keys, which their values leave out."""
    schema, cells = fastavro.parse_schema(json.loads(json.dumps(AVRO))), []
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, {**row, "key": ""})
        cells.append((row["key"].encode(), out.getvalue()))
    return build(cells, Shape(info={b"schema": json.dumps(AVRO).encode()} if named else {}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hfile")
    for number in range(FILES):
        path = base_file_path(root, number, extension="hfile")
        path.write_bytes(hfile(ALL[number * ROWS : (number + 1) * ROWS]))
    commit_base_files(root, AVRO, ["hoodie.table.base.file.format=HFILE"])
    return root


@pytest.fixture
def table(folder: Path) -> Table:
    return open_table(folder)


def test_rows_are_read_with_their_keys(table: Table) -> None:
    """ENGINE-710."""
    assert table.scan().to_arrow().to_pylist() == ALL
    assert table.scan().count() == len(ALL)
    assert not any("cannot be read" in finding for finding in table.findings())


@pytest.mark.parametrize(
    ("where", "keep"),
    [
        ("n = 123", lambda row: row["n"] == 123),
        ("city = 'Bergen' AND n < 50", lambda row: row["city"] == "Bergen" and row["n"] < 50),
        ("key >= 'k0590'", lambda row: row["key"] >= "k0590"),
        ("deep.a < -590", lambda row: row["deep"]["a"] < -590),
        ("n < 0", lambda _: False),
    ],
)
def test_rows_that_match_are_read(table: Table, where: str, keep: Any) -> None:
    """ENGINE-710."""
    wanted = [{"deep": row["deep"], "n": row["n"]} for row in ALL if keep(row)]
    scan = table.scan(where=where, columns=["deep.a", "n"])
    assert scan.to_arrow().to_pylist() == wanted
    assert scan.count() == len(wanted)


def test_a_file_without_a_schema_is_damage(folder: Path, tmp_path: Path) -> None:
    """ENGINE-710."""
    path = base_file_path(tmp_path, 0, extension="hfile")
    path.write_bytes(hfile(ALL[:3], named=False))
    commit_base_files(tmp_path, AVRO, ["hoodie.table.base.file.format=HFILE"])
    with pytest.raises(CorruptFileError, match="the schema of its records"):
        open_table(tmp_path).scan().to_arrow()


@pytest.mark.parametrize("column", ["_hoodie_record_key", "id"])
def test_log_records_have_the_keys_that_their_rows_leave_to_the_file(column: str) -> None:
    """LOG-830: as an update of a stored row, and as a new one."""
    written = [{"id": "k1", "ts": 6, "v": "x", "n": 7}, {"id": "k9", "ts": 6, "v": "", "n": 9}]
    virtual = {} if column in META else {"hoodie.populate.meta.fields": "false"}
    logged = LoggedTable([{"id": f"k{n}", "ts": 5, "v": "old", "n": n} for n in range(3)], [Block(written)], virtual)
    logged.open()
    schema = schema_of(COLUMNS)
    cells = [(row["id"].encode(), encoded(schema, {**with_meta(row), column: ""})) for row in written]
    content = build(cells, Shape(info={b"schema": json.dumps(schema).encode()}))
    (log,) = logged.logs
    logged.memory.files[log] = frame(4, {0: "20240101000000001", 2: json.dumps(schema)}, content)
    for where, ids in (None, "k0 k1 k2 k9"), ("n > 5", "k1 k9"):
        rows = sorted(logged.open().scan(where, columns=["id", "v"]).to_json_rows(), key=lambda row: row["id"])
        assert [row["id"] for row in rows] == ids.split()
        assert {row["id"]: row["v"] for row in rows}["k1"] == "x"
        assert {row["id"]: row["v"] for row in rows}["k9"] == ""
