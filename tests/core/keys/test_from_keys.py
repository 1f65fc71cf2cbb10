"""Which record key rows have whose key columns have certain values, and when that is not certain."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.expr.predicate import Below, Column, Cut, OneOf
from hudi_core.keys.from_keys import RecordKeys, record_keys
from hudi_core.options import TableConfig, table_config
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def schema(**columns: t.Type) -> Schema:
    return Schema(record_with_ids(t.Record(tuple(t.Field(0, name, of) for name, of in columns.items()))))


PLAIN = schema(_hoodie_record_key=t.String(), a=t.String(), b=t.Int(), c=t.Long(), d=t.Double())


def config(keys: str, generator: str, **more: str) -> TableConfig:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE", "hoodie.table.version": "9"}
    answer = {"hoodie.table.recordkey.fields": keys, "hoodie.table.keygenerator.type": generator}
    return table_config(least | answer | {key.replace("_", "."): text for key, text in more.items()})


def keys(fields: str, generator: str, of: Schema = PLAIN, versions: tuple[Schema, ...] = ()) -> RecordKeys:
    return record_keys(config(fields, generator), of, versions or (of,))


def one_of(name: str, *values: Any, of: Schema = PLAIN) -> OneOf:
    place = of.find(name)
    assert place is not None
    return OneOf(Column(place.field.id, name, place.field.type), values)


@pytest.mark.parametrize("generator", ["SIMPLE", "TIMESTAMP", "CUSTOM", "NON_PARTITION", "SIMPLE_AVRO"])
def test_the_key_of_one_column_is_its_string_form(generator: str) -> None:
    """SOURCE-11."""
    assert keys("a", generator).of_column(one_of("a", "x", "y")) == frozenset({"x", "y"})
    assert keys("b", generator).of_column(one_of("b", -7)) == frozenset({"-7"})


def test_key_of_one_column_may_be_named_by_the_complex_generator() -> None:
    """SOURCE-11."""
    assert keys("a", "COMPLEX").of_column(one_of("a", "x")) == frozenset({"x", "a:x"})


@pytest.mark.parametrize("generator", ["COMPLEX", "CUSTOM", "NON_PARTITION"])
def test_keys_of_several_columns_are_named_and_in_the_order_of_the_table(generator: str) -> None:
    """SOURCE-11."""
    found = keys("c,a", generator).of_columns([one_of("a", "x", ""), one_of("b", 1), one_of("c", 5, 6)])
    assert found == ((2, 0), frozenset({"c:5,a:x", "c:5,a:__empty__", "c:6,a:x", "c:6,a:__empty__"}))
    assert keys("c,a", generator).of_column(one_of("a", "x")) is None


def test_keys_are_unknown_when_a_column_is_not_compared_with_values() -> None:
    below = Below(Column(1, "a", t.String()), Cut("x"))
    assert keys("c,a", "COMPLEX").of_columns([one_of("c", 5), below]) is None
    assert keys("a", "SIMPLE").of_columns([one_of("a", "x")]) is None


def test_too_many_combinations_are_unknown() -> None:
    many = one_of("c", *range(101)), one_of("b", *range(100))
    assert keys("b,c", "COMPLEX").of_columns(many) is None


@pytest.mark.parametrize(
    ("fields", "generator"),
    [
        ("d", "SIMPLE"),
        ("a,d", "COMPLEX"),
        ("a", "USER_PROVIDED"),
        ("a,b", "SIMPLE"),
        ("none", "SIMPLE"),
        ("", "SIMPLE"),
    ],
)
def test_uncertain_columns_are_not_described(fields: str, generator: str) -> None:
    found = keys(fields, generator)
    assert found.of_column(one_of("a", "x")) is None
    assert found.of_column(one_of("d", 1.5)) is None
    assert found.of_column(one_of("_hoodie_record_key", "x")) == frozenset({"x"})


def test_column_that_once_was_of_a_type_that_is_spelled_in_several_ways_is_not_certain() -> None:
    once = schema(_hoodie_record_key=t.String(), a=t.Float())
    assert keys("a", "SIMPLE", PLAIN, (once, PLAIN)).of_column(one_of("a", "1.0")) is None


def test_rows_without_hudis_columns_have_no_key_column() -> None:
    found = record_keys(config("a", "SIMPLE", hoodie_populate_meta_fields="false"), PLAIN, (PLAIN,))
    assert found.key_column is None
    assert found.of_column(one_of("_hoodie_record_key", "x")) is None
    assert found.of_column(one_of("a", "x")) == frozenset({"x"})


@pytest.mark.parametrize(
    ("fields", "generator", "has"),
    [("a", "SIMPLE", True), ("b", "SIMPLE", False), ("a", "COMPLEX", False), ("a,b", "COMPLEX", False)],
)
def test_a_string_column_that_is_the_key_has_the_statistics_of_the_key_column(
    fields: str, generator: str, has: bool
) -> None:
    """SOURCE-6."""
    place = PLAIN.find("a")
    assert place is not None
    assert keys(fields, generator).twins == ({place.field.id: "_hoodie_record_key"} if has else {})
