"""Rows as lines of JSON: what `json.dumps` makes of each row, whatever the types and values."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from hudi_arrow.json_values import json_lines, to_json_values
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.contract.files import SCHEMAS
from tests.contract.harness import law
from tests.engines.arrow.test_parquet_write import batch_of, schema_of
from tests.support.strategies import rows_of


def wanted(batch: pa.RecordBatch, schema: Schema) -> str:
    rows = to_json_values(batch.to_struct_array(), schema.record)
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


@law(SCHEMAS.filter(lambda schema: bool(schema.fields)), st.data())
def test_a_line_is_the_json_of_its_row(schema: Schema, data: st.DataObject) -> None:
    """Also of rows from the middle of a batch."""
    batch = batch_of(schema, data.draw(st.lists(rows_of(schema), max_size=6)))
    first = data.draw(st.integers(0, batch.num_rows))
    for part in (batch, batch.slice(first)):
        assert bytes(json_lines(part, schema)).decode() == wanted(part, schema)


@pytest.mark.parametrize(
    "value",
    ["", '"', "\\", "\n\r\t\b\f", "\x00\x1f", "\x7f\u2028", "é\U0001f600", "null", None],
)
def test_texts_have_the_escapes_of_json(value: str | None) -> None:
    batch, schema = batch_of(schema_of(s=t.String()), [("plain",), (value,), (None,)]), schema_of(s=t.String())
    lines = bytes(json_lines(batch, schema)).decode()
    assert lines == wanted(batch, schema)
    assert [json.loads(line)["s"] for line in lines.removesuffix("\n").split("\n")] == ["plain", value, None]


def test_names_have_the_escapes_of_json() -> None:
    schema = schema_of(**{'a"\n%s{0}': t.Long(), "é": t.Long()})
    batch = batch_of(schema, [(1, 2)])
    assert bytes(json_lines(batch, schema)).decode() == wanted(batch, schema) == '{"a\\"\\n%s{0}": 1, "é": 2}\n'


def test_texts_that_come_as_numbers_of_a_dictionary() -> None:
    schema = schema_of(s=t.String())
    batch = pa.record_batch({"s": pa.array(["a", None, "b", "a"]).dictionary_encode()})
    assert bytes(json_lines(batch, schema)).decode() == '{"s": "a"}\n{"s": null}\n{"s": "b"}\n{"s": "a"}\n'


def test_rows_without_columns_are_empty_objects() -> None:
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert bytes(json_lines(batch, schema_of())) == b"{}\n{}\n"


def test_no_object_is_made_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers, texts, times and decimals are put together by Arrow alone."""

    def refuse(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("hudi_arrow.json_values.to_json_values", refuse)
    types = {"n": t.Long(), "s": t.String(), "d": t.Date(), "at": t.Timestamp(), "x": t.Decimal(9, 2), "b": t.Boolean()}
    schema = schema_of(**types)
    batch = batch_of(schema, [(1, "a", 2, 3, None, True), (None, None, None, None, None, None)])
    assert json.loads(bytes(json_lines(batch, schema)).split(b"\n")[0]) == {
        "n": 1, "s": "a", "d": "1970-01-03", "at": "1970-01-01T00:00:00.000003Z", "x": None, "b": True,
    }  # fmt: skip
