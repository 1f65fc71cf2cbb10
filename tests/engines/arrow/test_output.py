"""Output files hold the rows that went in, appear whole or not at all, and say what they cannot hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import csv

from hudi_arrow.arrays import from_values, to_values
from hudi_arrow.rows import ArrowRows
from hudi_arrow.types import schema_from_arrow
from hudi_core.errors import CorruptFileError, StorageError, UnsupportedError, UsageError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.json import to_json
from tests.contract.files import SCHEMAS
from tests.support.drawing import cases
from tests.support.strategies import rows_of

ROWS = ArrowRows()
FLAT = Schema(
    t.Record(
        (
            t.Field(0, "a", t.Long(), optional=False),
            t.Field(1, "s", t.String()),
            t.Field(2, "b", t.Binary()),
            t.Field(3, "r", t.Record((t.Field(4, "x", t.Int(), optional=False),))),
        )
    )
)
VALUES = [(1, "x", b"\xff", (7,)), (2, "", None, None), (3, None, b"", (8,))]


def batch(rows: list[Any], schema: Schema) -> pa.RecordBatch:
    return ROWS.batch(from_values(rows, schema.record))


@pytest.mark.parametrize("extension", [".parquet", ".arrow"])
@settings(deadline=None, max_examples=cases(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schema=SCHEMAS, data=st.data())
def test_typed_formats_give_rows_and_schema_back(
    tmp_path: Path, extension: str, schema: Schema, data: st.DataObject
) -> None:
    """ROWS-8."""
    rows = data.draw(st.lists(rows_of(schema), max_size=4))
    path = tmp_path / f"out{extension}"
    assert ROWS.write(str(path), schema, [batch(rows[:2], schema), batch(rows[2:], schema)]) == len(rows)
    if extension == ".parquet":
        table = pq.read_table(path)
    else:
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
    table.validate(full=True)
    assert schema_from_arrow(table.schema).value == schema
    found = [row for b in table.to_batches() for row in to_values(ROWS.root(b), schema.record)]
    assert list(map(repr, found)) == list(map(repr, rows))


@pytest.mark.parametrize("extension", [".json", ".ndjson", ".JSON"])
def test_json_has_an_object_a_line(tmp_path: Path, extension: str) -> None:
    path = tmp_path / f"out{extension}"
    assert ROWS.write(str(path), FLAT, [batch(VALUES, FLAT)]) == 3
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [to_json(row, FLAT.record) for row in VALUES]


def test_csv_distinguishes_null_from_empty_and_writes_nested_values_as_json(tmp_path: Path) -> None:
    """ROWS-8."""
    path = tmp_path / "out.csv"
    ROWS.write(str(path), FLAT, [batch(VALUES, FLAT)])
    assert path.read_text("utf-8").splitlines()[2] == '2,"",,'
    kept = csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    rows = csv.read_csv(path, convert_options=kept).to_pylist()
    assert [(row["a"], row["s"]) for row in rows] == [(1, "x"), (2, ""), (3, None)]
    assert [row["r"] and json.loads(row["r"]) for row in rows] == [{"x": 7}, None, {"x": 8}]
    assert json.loads(rows[0]["b"]) == {"base64": "/w=="}


def test_dictionaries_and_large_strings_are_written_as_the_schema_has_them(tmp_path: Path) -> None:
    schema = Schema(t.Record((t.Field(0, "s", t.String()), t.Field(1, "u", t.String()))))
    rows = pa.record_batch({"s": pa.array(["a"]).dictionary_encode(), "u": pa.array(["b"], pa.large_string())})
    path = tmp_path / "out.parquet"
    ROWS.write(str(path), schema, [rows])
    assert pq.read_table(path).to_pylist() == [{"s": "a", "u": "b"}]


@pytest.mark.parametrize("extension", [".parquet", ".csv", ".arrow", ".json"])
def test_a_scan_that_fails_leaves_no_file_and_keeps_the_old_one(tmp_path: Path, extension: str) -> None:
    """ROWS-8."""
    path = tmp_path / f"out{extension}"
    path.write_text("old")

    def failing() -> Iterator[pa.RecordBatch]:
        yield batch(VALUES, FLAT)
        raise CorruptFileError("part", expected="rows", found="none")

    with pytest.raises(CorruptFileError):
        ROWS.write(str(path), FLAT, failing())
    assert [file.name for file in tmp_path.iterdir()] == [path.name] and path.read_text() == "old"


@pytest.mark.parametrize("name", ["out", "out.xlsx"])
def test_an_unknown_extension_is_misuse(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.parquet"):
        ROWS.write(str(tmp_path / name), FLAT, [])


@pytest.mark.parametrize("extension", [".parquet", ".csv", ".arrow", ".json"])
def test_a_place_that_cannot_be_written_is_an_error_of_storage(tmp_path: Path, extension: str) -> None:
    with pytest.raises(StorageError):
        ROWS.write(str(tmp_path / "absent" / f"out{extension}"), FLAT, [batch(VALUES, FLAT)])


def test_unions_do_not_fit_parquet(tmp_path: Path) -> None:
    union = t.Union((t.Field(1, "member0", t.Int(), False), t.Field(2, "member1", t.String(), False)))
    schema = Schema(t.Record((t.Field(0, "u", union),)))
    with pytest.raises(UnsupportedError, match="union"):
        ROWS.write(str(tmp_path / "out.parquet"), schema, [batch([((0, 1),)], schema)])
