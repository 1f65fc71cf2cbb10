"""Lines of JSON: long ones, nulls, and values whose type is not stated."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import partial
from json import loads
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_arrow.engine import ENGINE
from hudi_arrow.incoming import json_rows
from hudi_arrow.incoming.json_pieces import read_pieces
from hudi_arrow.types import schema_from_arrow
from hudi_core.errors import RowError

PART = pa.struct([("x", pa.int32()), ("d", pa.date32())])
ARROW = pa.schema(
    [
        ("id", pa.string()),
        ("p", PART),
        ("ps", pa.list_(PART)),
        ("m", pa.map_(pa.string(), PART)),
        ("at", pa.timestamp("ms", "UTC")),
        ("local", pa.timestamp("ms")),
    ]
)


def read(folder: Path, *lines: str) -> pa.Table:
    (folder / "rows.jsonl").write_text("\n".join(lines))
    like = schema_from_arrow(ARROW).value
    return pa.Table.from_batches(list(ENGINE.rows.read(str(folder / "rows.jsonl"), like).batches))


def test_rows_are_as_long_as_they_are(tmp_path: Path) -> None:
    """ROWS-1271."""
    long = "x" * 3_000_000
    assert read(tmp_path, f'{{"id": "{long}"}}', '{"id": "b"}')["id"].to_pylist() == [long, "b"]


@pytest.mark.parametrize(("lines", "row"), [(["null", "{}"], 1), (["{}", " null\r", "{}"], 2), (["", "{}", "null"], 2)])
def test_a_row_that_is_null_is_refused(tmp_path: Path, lines: list[str], row: int) -> None:
    """ROWS-1274: pyarrow ends the process at the first of these."""
    with pytest.raises(RowError, match=f"row {row}: expected an object, found null"):
        read(tmp_path, *(line.replace("{}", '{"id": "a"}') for line in lines))


def test_a_line_that_ends_like_null_is_none(tmp_path: Path) -> None:
    """ROWS-1274."""
    assert read(tmp_path, '{"id": "a", "at": null }', '{"id": null\t}')["id"].to_pylist() == ["a", None]


@pytest.mark.parametrize(
    "value",
    ['"2020-01-01"', '"2020-01-01T00:00:00+02:00"', '{"x": ["2020-01-01 00:00:00"]}', '["2020-01-01T00:00:00Z"]'],
)
def test_texts_without_a_stated_type_are_texts(tmp_path: Path, value: str) -> None:
    """ROWS-1275."""
    rows = read(tmp_path, f'{{"id": "a", "new": {value}, "p": {{"x": 1, "d": null, "new": {value}}}}}').to_pylist()
    assert rows[0]["new"] == rows[0]["p"]["new"] == loads(value)


@pytest.mark.parametrize(
    "value", ["9223372036854775808", "[1, -9223372036854775809]", '{"x": [{"y": 12345678901234567890}]}']
)
@pytest.mark.parametrize("column", ["new", "p"])
def test_whole_numbers_beyond_64_bits_are_refused_where_no_type_is_stated(
    tmp_path: Path, value: str, column: str
) -> None:
    """ROWS-1276: at each depth."""
    shown = value if column == "new" else f'{{"x": 1, "d": null, "new": {value}}}'
    with pytest.raises(RowError, match=f"{column}: row 2: expected a whole number of 64 bits"):
        read(tmp_path, '{"id": "a"}', f'{{"id": "b", "{column}": {shown}}}')


@pytest.mark.parametrize("shape", ["{}", '{{"x": {}}}', "[{}]", '[{{"x": [{}]}}]'])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("between", [0, 1_000], ids=["one piece", "pieces"])
def test_a_whole_number_that_a_double_rounds_is_no_double(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, is_first: bool, between: int
) -> None:
    """ROWS-1276: beside numbers that are not whole, anywhere in the file."""
    monkeypatch.setattr(json_rows, "read_pieces", partial(read_pieces, size=1 << 12))
    lines = [f'{{"id": "a", "new": {shape.format(number)}}}' for number in (2**53 + 1, 1.5)]
    first, last = lines if is_first else reversed(lines)
    others = ['{"id": "b", "new": null}'] * between
    with pytest.raises(
        RowError, match=r"new: .*expected a whole number of 64 bits that a double has.*9007199254740993"
    ):
        read(tmp_path, first, *others, last)
    assert read(tmp_path, first.replace("993", "992"), *others, last.replace("993", "992")).num_rows == between + 2


def test_floats_beyond_64_bits_are_floats(tmp_path: Path) -> None:
    """ROWS-1276."""
    assert read(tmp_path, '{"id": "a", "new": 1e30, "x": -9223372036854775808}').to_pylist() == [
        {"id": "a", "new": 1e30, "x": -(2**63)}
    ]


def test_structs_have_new_parts_and_millis_have_zeros(tmp_path: Path) -> None:
    """ROWS-1277."""
    part = '{"x": 1, "d": "2020-01-01", "new": true}'
    line = f'{{"id": "a", "p": {part}, "ps": [{part}, null], "m": {{"k": {part}}}'
    times = '"at": "2020-01-01T00:00:00.123000Z", "local": "2020-01-01T00:00:00.123000"}'
    (row,) = read(tmp_path, f"{line}, {times}").to_pylist()
    wanted = {"x": 1, "d": date(2020, 1, 1), "new": True}
    local = datetime(2020, 1, 1, 0, 0, 0, 123_000)
    assert row == {
        "id": "a", "p": wanted, "ps": [wanted, None], "m": [("k", wanted)], "at": local.replace(tzinfo=UTC), "local": local
    }  # fmt: skip
    with pytest.raises(RowError, match="at: row 1: expected a value of timestamp-millis, as 2024-03-01T12:30:00Z"):
        read(tmp_path, '{"id": "a", "at": "2020-01-01T00:00:00.123400Z"}')
