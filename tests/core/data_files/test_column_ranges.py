"""Statistics of rows that go to a log file, held against Python's own least and greatest."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_arrow.arrays import from_values
from hudi_arrow.buffers import from_array
from hudi_core.columns.nodes import StructColumn
from hudi_core.columns.strings import string_column
from hudi_core.commit.statuses import ColumnRange
from hudi_core.data_files import column_ranges as ranges
from hudi_core.data_files.column_ranges import join_ranges, least_and_greatest, ranges_of_rows
from hudi_core.schema.ids import record_with_ids
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key

TYPES: dict[str, tuple[t.Primitive, st.SearchStrategy[Any]]] = {
    "boolean": (t.Boolean(), st.booleans()),
    "int": (t.Int(), st.integers(-(1 << 31), (1 << 31) - 1)),
    "long": (t.Long(), st.integers(-(1 << 63), (1 << 63) - 1)),
    "double": (t.Double(), st.floats(width=64)),
    "string": (t.String(), st.text(max_size=20)),
    "binary": (t.Binary(), st.binary(max_size=20)),
    "decimal": (t.Decimal(10, 2, t.Fixed(5)), st.integers(-(10**10) + 1, 10**10 - 1).map(lambda n: Decimal(n).scaleb(-2))),
    "date": (t.Date(), st.integers(-1000, 30_000)),
    "timestamp": (t.Timestamp(), st.integers(-(1 << 50), 1 << 50)),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
@given(st.data())
def test_bounds_are_those_of_the_values(name: str, data: st.DataObject) -> None:
    """WRITE-12."""
    of, values = TYPES[name]
    rows = data.draw(st.lists(values | st.none(), max_size=12))
    record = record_with_ids(t.Record((t.Field(0, "c", of, optional=True),)))
    known = ranges_of_rows(StructColumn(len(rows), {"c": from_array(from_values(rows, of), of, "c")}), record)["c"]
    present = [value for value in rows if value is not None]
    ordered = sorted((value for value in present if value == value), key=lambda value: sort_key(value, of))
    assert (known.values, known.nulls, known.nan) == (len(rows), len(rows) - len(present), len(ordered) < len(present))
    assert (known.lower, known.upper) == ((ordered[0], ordered[-1]) if ordered else (None, None))
    cut = data.draw(st.integers(0, len(rows)))
    parts = [
        ranges_of_rows(StructColumn(len(some), {"c": from_array(from_values(some, of), of, "c")}), record)
        for some in (rows[:cut], rows[cut:])
    ]
    assert join_ranges(parts) == {"c": known}


def test_fields_of_a_null_record_are_null_and_lists_have_no_statistics() -> None:
    inner = t.Record((t.Field(0, "a", t.Long(), optional=True),))
    items = t.Array(t.Field(0, "element", t.Long(), optional=True))
    record = record_with_ids(t.Record((t.Field(0, "r", inner, optional=True), t.Field(0, "l", items, optional=True))))
    rows = [((5,), (1, 2)), (None, None), ((None,), ())]
    column = from_array(from_values(rows, record), record, "rows")
    assert isinstance(column, StructColumn)
    assert ranges_of_rows(column, record) == {"r.a": ColumnRange(5, 5, 2, 3)}


@pytest.mark.parametrize("rows_at_once", [8, 1 << 16])
@given(strings=st.lists(st.text(alphabet="ab\0é", max_size=30), min_size=1))
def test_the_least_and_the_greatest_string(rows_at_once: int, strings: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ranges, "ROWS_AT_ONCE", rows_at_once)
        least, greatest = least_and_greatest(string_column(strings))
    assert (strings[least], strings[greatest]) == (min(strings, key=str.encode), max(strings, key=str.encode))


def test_nan_alone_has_no_bounds() -> None:
    record = record_with_ids(t.Record((t.Field(0, "c", t.Float(), optional=True),)))
    values = from_array(from_values([math.nan], t.Float()), t.Float(), "c")
    assert ranges_of_rows(StructColumn(1, {"c": values}), record)["c"] == ColumnRange(None, None, 0, 1, nan=True)
