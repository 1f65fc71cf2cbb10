"""Columns of texts of JSON are read as a whole: the values, and the refusals, of reading each by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_arrow.incoming.json_texts import read_json_texts
from hudi_core import RowError
from tests.support.drawing import cases

PART = pa.struct([("x", pa.int32()), ("d", pa.date32())])
KINDS = [
    pa.list_(pa.string()), pa.list_(pa.float32()), PART, pa.list_(PART), pa.map_(pa.string(), pa.list_(pa.int64())),
    pa.struct([("m", pa.map_(pa.string(), pa.float64())), ("b", pa.binary())]),
]  # fmt: skip
RIGHT = {
    0: ['["a", null]', "[]", '["\\u00e9\\n"]', '[\n"b"\n]'],
    1: ["[1, 2.5]", "[null]", '[{"float": "NaN"}]'],
    2: ['{"x": 1, "d": "2020-01-01"}', "{}", '{"x": null}', '{"x":\r\n1}'],
    3: ['[{"x": 1}, null]', "[]"],
    4: ['[["k", [1]]]', '{"k": null}', "{}"],
    5: ['{"m": {"k": 1}, "b": "z"}', '{"m": [], "b": {"base64": "w6k="}}'],
}
WRONG = [
    "", "[", "1", "x", '"a', "[1]", "[1e39]", '["a\nb"]', '{"x": 1.5}', '{"y": 1}', '{"x": 1, "x": 1}', '{"d": 5}', "[[1]]",
    '[], "value": []', '[]}{"value": []', '[]}\n{"value": []', '{"x": 1}}\n{"value": {"x": 2}', '{"b": {"base64": "!"}}', "NaN",
    '["\\ud800"]', "[] []",
]  # fmt: skip


def read(texts: list[str | None], kind: pa.DataType, *, whole: bool = False) -> Any:
    return read_json_texts(pa.array(texts, pa.string()), kind, 7, "rows.csv", "v", whole=whole)


@settings(max_examples=cases(400))
@given(number=st.sampled_from(range(len(KINDS))), draw=st.data())
def test_a_column_is_read_as_its_values_by_themselves(number: int, draw: st.DataObject) -> None:
    """ROWS-1326: a text never reaches into the next one."""
    kind, some = KINDS[number], st.sampled_from([None, "null", *RIGHT[number]])
    texts = draw.draw(
        st.lists(some if draw.draw(st.booleans()) else some | st.sampled_from(WRONG), min_size=1, max_size=5)
    )
    rows: list[Any] = []
    wrong = None
    for place, text in enumerate(texts):
        try:
            rows += read([text], kind).to_pylist()
        except RowError:
            wrong = place
            break
    if wrong is None:
        assert repr(read(texts, kind).to_pylist()) == repr(rows)
        return
    with pytest.raises(RowError, match=r"rows\.csv: v: ") as refused:
        read(texts, kind)
    assert refused.value.row is not None
    with pytest.raises(RowError):
        read([texts[refused.value.row - 7]], kind)


@pytest.mark.parametrize(
    "text", ['["a\nb"]', '[], "value": []', '[]}{"value": []', '[]}\n{"value": []', "[] []", "", "["]
)
def test_what_is_no_json_by_itself_is_refused(text: str) -> None:
    """ROWS-1326."""
    with pytest.raises(RowError, match=r"v: row 9: expected JSON of list<.*>, found "):
        read(["[]", text, '["x"]'], KINDS[0])


def test_texts_are_read_beyond_a_block_of_the_reader() -> None:
    """ROWS-1326: line breaks between their parts too."""
    texts: list[str | None] = ['[\n"' + "x" * 1000 + '",\n"y"\n]'] * 3000
    assert read(texts, KINDS[0]).to_pylist() == [json.loads(text) for text in texts if text]


def test_a_struct_that_lacks_a_part_is_refused_where_it_would_replace_another(tmp_path: Path) -> None:
    """ROWS-800: in a column of CSV too."""
    table = hudi_core.create(tmp_path / "t", pa.schema([("id", pa.string()), ("p", PART)]), "id")
    (tmp_path / "rows.csv").write_text('id,p\na,"{""x"": 1, ""d"": null}"\nb,\nc,"{""x"": 1}"\n')
    with pytest.raises(RowError, match=r"p\.d: row 3: expected a value or null in each row, or missing_columns: null"):
        table.upsert(tmp_path / "rows.csv")
    table.upsert(tmp_path / "rows.csv", missing_columns="null")
    rows = table.refresh().scan(meta=False).to_arrow().sort_by("id").to_pylist()
    assert [row["p"] for row in rows] == [{"x": 1, "d": None}, None, {"x": 1, "d": None}]
