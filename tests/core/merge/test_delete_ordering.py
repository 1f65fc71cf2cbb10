"""MERGE-6: ordering values of delete blocks, by the type of the ordering field."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest

from hudi_core.columns.nodes import StructColumn, to_list
from hudi_core.columns.strings import string_column
from hudi_core.errors import UnsupportedError
from hudi_core.formats.deletes import commit_time_deletes
from hudi_core.merge.delete_ordering import delete_ordering
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
