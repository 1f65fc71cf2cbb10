"""Values that JSON has no form for, read in the forms that the command line writes."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_arrow.engine import ENGINE
from hudi_arrow.types import schema_from_arrow
from hudi_core.errors import RowError

ENTRY = pa.struct([("x", pa.float32()), ("b", pa.binary()), ("d", pa.decimal128(30, 6))])
POINTS = pa.struct([("t", pa.time64("us")), ("l", pa.timestamp("us")), ("z", pa.timestamp("us", "UTC"))])
ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("m", pa.map_(pa.string(), pa.float64())),
        ("deep", pa.map_(pa.string(), pa.list_(ENTRY))),
        ("maps", pa.list_(pa.map_(pa.string(), pa.date32()))),
        ("at", pa.map_(pa.string(), POINTS)),
        ("b", pa.binary()),
        ("f", pa.float64()),
        ("d", pa.decimal128(38, 10)),
    ]
)  # fmt: skip
LIKE = schema_from_arrow(ARROW).value


def read(file: Path) -> pa.Table:
    return pa.Table.from_batches(list(ENGINE.rows.read(str(file), LIKE).batches))


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SMALL = st.floats(width=32)
ENTRIES = st.fixed_dictionaries(
    {
        "x": optional(SMALL),
        "b": optional(st.binary(max_size=3)),
        "d": optional(st.decimals(-(10**20), 10**20, places=6)),
    }
)
LOCAL = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))
TIMES = st.fixed_dictionaries(
    {
        "t": optional(st.times()),
        "l": optional(LOCAL),
        "z": optional(LOCAL.map(lambda point: point.replace(tzinfo=UTC))),
    }
)


def maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return optional(st.dictionaries(TEXTS, optional(values), max_size=3).map(lambda made: list(made.items())))


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(-(2**63), 2**63 - 1),
            "m": maps(st.floats()),
            "deep": maps(st.lists(optional(ENTRIES), max_size=2)),
            "maps": optional(st.lists(maps(st.dates()), max_size=2)),
            "at": maps(TIMES),
            "b": optional(st.binary(max_size=4)),
            "f": optional(st.floats()),
            "d": optional(st.decimals(-(10**27), 10**27, places=10)),
        }
    ),
    min_size=1,
    max_size=5,
)


@given(rows=ROWS)
def test_what_is_written_as_json_is_read_back(
    rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """ROWS-1240: for each type and value, at each depth."""
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    table = pa.Table.from_pylist(rows, ARROW)
    ENGINE.rows.write(str(file), LIKE, iter(table.to_batches()))
    assert repr(read(file).to_pylist()) == repr(table.to_pylist())


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 1, "m": {"k": 1.5, "l": null}, "b": "é", "f": 1}',
        '{"id": 1, "m": [["k", 1.5], ["l", null]], "b": {"base64": "w6k="}, "f": 1.0}',
    ],
)
def test_maps_may_be_objects_and_bytes_texts(tmp_path: Path, line: str) -> None:
    """ROWS-1240."""
    (tmp_path / "rows.jsonl").write_text(line)
    (row,) = read(tmp_path / "rows.jsonl").to_pylist()
    assert row == {"id": 1, "m": [("k", 1.5), ("l", None)], "b": "é".encode(), "f": 1.0}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("m", "5"),
        ("m", '[["k"]]'),
        ("m", '{"k": "text"}'),
        ("m", '{"k": 1, "k": 2}'),
        ("m", '[[null, 1]]'),
        ("at", '{"k": {"t": 5}}'),
        ("maps", '[{"k": "no date"}]'),
        ("b", '{"base64": "!"}'),
        ("b", '{"base64": "w6k=", "more": 1}'),
        ("b", "5"),
        ("f", '{"float": "nan"}'),
        ("f", '{"float": 1}'),
        ("f", '"text"'),
        ("f", "1e400"),
        ("deep", '{"k": [{"x": 1e39, "b": null, "d": null}]}'),
        ("deep", '{"k": [{"x": 1, "b": null, "d": 1.0000001}]}'),
        ("d", "0.12345678901"),
    ],
)  # fmt: skip
def test_values_in_no_form_of_their_type_are_refused_with_their_row(tmp_path: Path, name: str, value: str) -> None:
    """ROWS-1240."""
    file = tmp_path / "rows.jsonl"
    file.write_text(f'{{"id": 1, "{name}": null}}\n{{"id": 2, "{name}": {value}}}\n')
    with pytest.raises(RowError) as refused:
        read(file)
    assert refused.value.row == 1


def test_decimals_keep_their_digits_beside_maps(tmp_path: Path) -> None:
    """ROWS-1240."""
    file = tmp_path / "rows.jsonl"
    file.write_text('{"id": 1, "m": {}, "d": 1234567890123456789012345678.0123456789}')
    assert read(file)["d"].to_pylist() == [Decimal("1234567890123456789012345678.0123456789")]


def test_a_column_named_float_is_no_number(tmp_path: Path) -> None:
    """ROWS-1240."""
    arrow = pa.schema([("s", pa.struct([("float", pa.string())])), ("f", pa.float32())])
    (tmp_path / "rows.jsonl").write_text('{"s": {"float": "NaN"}, "f": {"float": "-Infinity"}}')
    batches = ENGINE.rows.read(str(tmp_path / "rows.jsonl"), schema_from_arrow(arrow).value).batches
    assert pa.Table.from_batches(list(batches)).to_pylist() == [{"s": {"float": "NaN"}, "f": float("-inf")}]
