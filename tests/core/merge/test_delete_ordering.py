"""MERGE-6: ordering values of delete blocks, by the type of the ordering field."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pytest

from hudi_core.columns.nodes import BinaryColumn, Column, PrimitiveColumn, StructColumn, to_list
from hudi_core.columns.strings import string_column
from hudi_core.errors import UnsupportedError
from hudi_core.formats.deletes import commit_time_deletes, deletes_of_keys, read_deletes
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.formats.log_write import encode_delete_block
from hudi_core.formats.random_access import InMemoryFile
from hudi_core.merge.delete_ordering import delete_ordering, list_ordering
from hudi_core.merge.rules import merge_rules
from hudi_core.types import nodes as t
from hudi_plain.buffers import to_values
from tests.support.vector_merges import Merger, config_of, deletes_of

MERGER = Merger.of(
    {"type": "record", "name": "r", "fields": [{"name": "a", "type": "int"}]}, merge_rules(config_of({}), "t"), False
)


def found(ordering: Any, *types: t.Type) -> tuple[list[Any], bool]:
    """The values of one delete, and whether it is absolute."""
    columns, absolute = delete_ordering(deletes_of(ordering).ordering_values, types, MERGER.columns)
    return [to_list(column)[0] for column in columns], bool(absolute[0])


@pytest.mark.parametrize(
    ("ordering", "of", "value"),
    [
        ({"int": 7}, t.Int(), 7),
        ({"long": 7}, t.Long(), 7),
        ({"long": 0}, t.Long(), 0),
        ({"double": 1.5}, t.Double(), 1.5),
        ({"float": 1.5}, t.Float(), 1.5),
        ({"boolean": True}, t.Boolean(), True),
        ({"string": "x"}, t.String(), "x"),
        ({"bytes": "ff"}, t.Binary(), b"\xff"),
        ({"int": 7}, t.Date(), 7),
        ({"long": 7}, t.Timestamp(), 7),
        ({"long": 7}, t.Timestamp(t.Unit.MILLIS), 7),
    ],
)
def test_a_value_of_the_fields_type_is_taken(ordering: Any, of: t.Type, value: object) -> None:
    assert found(ordering, of) == ([value], False)


@pytest.mark.parametrize(
    ("ordering", "of"),
    [
        (None, t.Long()),
        ({"int": 0}, t.Int()),
        ({"int": 0}, t.Date()),
        ({"int": 7}, t.Long()),
        ({"string": "7"}, t.Long()),
        ({"int": 0}, t.Enumeration(("A",), "e")),
        (None, t.Decimal(9, 2)),
        ({"int": 0}, t.Fixed(2, "f")),
    ],
)
def test_other_deletes_are_absolute(ordering: Any, of: t.Type) -> None:
    assert found(ordering, of)[1]


def test_micros_are_converted_to_the_fields_unit() -> None:
    assert found({"TimestampMicrosWrapper": 7_000}, t.Timestamp(t.Unit.MILLIS)) == ([7], False)
    assert found({"TimestampMicrosWrapper": 7}, t.Timestamp(t.Unit.NANOS)) == ([7_000], False)


def test_decimals_are_converted_to_the_fields_scale() -> None:
    of = t.Decimal(9, 2)
    columns, absolute = delete_ordering(
        deletes_of({"DecimalWrapper": 12_345 * 10**13}).ordering_values, [of], MERGER.columns
    )
    assert not absolute[0]
    record = t.Record((t.Field(0, "v", of),))
    assert list(to_values(StructColumn(1, {"v": columns[0]}), record, "t")) == [(decimal.Decimal("123.45"),)]


def test_several_fields_have_a_list_of_values() -> None:
    assert found([{"long": 1}, {"string": "b"}], t.Long(), t.String()) == ([1, "b"], False)
    assert found([{"long": 1}], t.Long(), t.String())[1]
    assert found([{"int": 1}, {"string": "b"}], t.Long(), t.String())[1]
    assert found({"int": 0}, t.Long(), t.String())[1]


def test_deletes_of_our_own_are_absolute_under_several_fields_too() -> None:
    deletes = commit_time_deletes(string_column(["a", "b"]), "p")
    columns, absolute = delete_ordering(deletes.ordering_values, [t.Long(), t.Date()], MERGER.columns)
    assert [to_list(column) for column in columns] == [[None, None]] * 2
    assert absolute.all()


def test_a_value_of_a_type_that_is_not_known_there_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="an ordering field whose type is known there, found enumeration"):
        found({"string": "A"}, t.Enumeration(("A",), "e"))


def test_dates_of_either_kind_are_days() -> None:
    day = (datetime.date(2024, 1, 2) - datetime.date(1970, 1, 1)).days
    for kind in ("DateWrapper", "IntWrapper"):
        assert found({kind: day}, t.Date()) == ([day], False)


def numbers(kind: type, *values: object) -> PrimitiveColumn:
    """A column with nulls where a value is None."""
    valid = np.array([value is not None for value in values])
    return PrimitiveColumn(np.array([value or 0 for value in values], kind), None if valid.all() else valid)


def read_back(columns: list[Column], types: list[t.Type]) -> tuple[list[list[Any]], list[bool]]:
    """Ordering values, written to a delete block and read from it, and which values were listed."""
    listed = list_ordering(columns, types, MERGER.columns)
    assert listed is not None
    ordering, stated = listed
    keys = string_column([f"k{number}" for number in range(int(stated.sum()))])
    data = encode_delete_block({HeaderKey.INSTANT_TIME: "1"}, deletes_of_keys(keys, "p", ordering))
    (block,) = read_blocks(InMemoryFile(data, "log"))
    found, absolute = delete_ordering(read_deletes(block).ordering_values, types, MERGER.columns)
    assert not absolute.any()
    return [to_list(column) for column in found], stated.tolist()


@pytest.mark.parametrize(
    ("of", "column", "values"),
    [
        (t.Boolean(), numbers(np.bool_, False, True), [False, True]),
        (t.Int(), numbers(np.int32, 5, -7), [5, -7]),
        (t.Long(), numbers(np.int64, 0, 1 << 40), [0, 1 << 40]),
        (t.Float(), numbers(np.float32, 1.5, 0), [1.5, 0.0]),
        (t.Double(), numbers(np.float64, -1.5, 0), [-1.5, 0.0]),
        (t.String(), string_column(["", "b"]), ["", "b"]),
        (t.Binary(), BinaryColumn(np.array([0, 0, 1]), np.array([7], np.uint8)), [b"", b"\x07"]),
        (t.Date(), numbers(np.int32, 3, -3), [3, -3]),
        (t.Timestamp(), numbers(np.int64, 0, -5), [0, -5]),
        (t.Timestamp(t.Unit.MILLIS), numbers(np.int64, 0, 5), [0, 5]),
    ],
)
def test_listed_values_are_those_that_are_read(of: t.Type, column: Column, values: list[Any]) -> None:
    """WRITE-1480."""
    assert read_back([column], [of]) == ([values], [True, True])
    assert read_back([column, numbers(np.int64, 1, 2)], [of, t.Long()]) == ([values, [1, 2]], [True, True])
    assert read_back([numbers(np.int64, 1, 2), column], [t.Long(), of]) == ([[1, 2], values], [True, True])


def test_listed_decimals_are_those_that_are_read() -> None:
    """WRITE-1480."""
    column = MERGER.columns.cast(numbers(np.int64, 12_345, -1), t.Long(), t.Decimal(9, 2))
    values, stated = read_back([column], [t.Decimal(9, 2)])
    assert stated == [True, True]
    assert [int.from_bytes(value, signed=True) for value in values[0]] == [1_234_500, -100]
    column = MERGER.columns.cast(numbers(np.int64, 10**15, 1 - 10**15), t.Long(), t.Decimal(20, 1))
    values, stated = read_back([column], [t.Decimal(20, 1)])
    assert stated == [False, True], "sixteen digits before the point: delete blocks have fifteen"
    assert [int.from_bytes(value, signed=True) for value in values[0]] == [10 - 10**16]


def test_values_that_would_be_read_as_none_are_not_listed() -> None:
    """WRITE-1480."""
    assert read_back([numbers(np.int32, 0, 5, None)], [t.Date()]) == ([[5]], [False, True, False])
    assert read_back([numbers(np.int64, 0, None)], [t.Long()]) == ([[0]], [True, False])
    both = [numbers(np.int32, 0, 1, 2), numbers(np.int64, 7, None, 9)]
    assert read_back(both, [t.Date(), t.Long()]) == ([[0, 2], [7, 9]], [True, False, True])


@pytest.mark.parametrize("of", [t.Enumeration(("A",), "e"), t.Fixed(2, "f"), t.Decimal(38, 18)])
def test_types_without_a_form_are_not_listed(of: t.Type) -> None:
    """WRITE-1480."""
    assert list_ordering([string_column([])], [of], MERGER.columns) is None


def test_no_ordering_field_has_no_values() -> None:
    """WRITE-1480."""
    assert list_ordering([], [], MERGER.columns) is None
