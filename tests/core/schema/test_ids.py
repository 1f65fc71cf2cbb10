"""Column ids (SCHEMA-4 to SCHEMA-7)."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.schema.ids import (
    NO_ID,
    make_hidden_ids,
    record_with_ids,
    record_with_missing_ids,
    with_hidden_ids,
    with_ids,
)
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.walk import rewrite, walk
from tests.support.drawing import cases
from tests.support.strategies import schemas


def field(name: str, of: t.Type) -> t.Field:
    return t.Field(0, name, of)


def list_of(of: t.Type) -> t.Array:
    return t.Array(field("element", of))


def map_of(of: t.Type) -> t.Map:
    return t.Map(t.Field(0, "key", t.String(), optional=False), field("value", of))


def union_of(*kinds: t.Type) -> t.Union:
    return t.Union(tuple(t.Field(0, f"member{i}", kind, optional=False) for i, kind in enumerate(kinds)))


def ids(of: t.Type) -> dict[str, int]:
    return {".".join(path): item.id for path, item in walk(of)}


def test_a_record_takes_a_block_of_ids_before_its_fields_are_descended() -> None:
    inner = t.Record((field("x", t.Int()), field("y", list_of(t.Int()))))
    keyed = map_of(t.Record((field("k", t.Int()),)))
    found = ids(record_with_ids(t.Record((field("a", t.Int()), field("s", inner), field("m", keyed)))))
    assert found == {
        "a": 0,
        "s": 1,
        "m": 2,
        "s.x": 3,
        "s.y": 4,
        "s.y.element": 5,
        "m.key": 6,
        "m.value": 7,
        "m.value.k": 8,
    }


def test_branches_of_a_union_are_hidden_and_their_fields_are_not() -> None:
    union = union_of(t.Record((field("a", t.Int()),)), t.Record((field("b", t.Int()),)))
    found = ids(record_with_ids(t.Record((field("u", union), field("z", t.Int())))))
    assert {name: column for name, column in found.items() if column >= 0} == {
        "u": 0,
        "z": 1,
        "u.member0.a": 2,
        "u.member1.b": 3,
    }


def test_a_variant_or_blob_takes_no_ids_from_the_columns() -> None:
    found = ids(record_with_ids(t.Record((field("v", variant()), field("b", list_of(blob())), field("z", t.Int())))))
    assert {name for name, column in found.items() if column >= 0} == {"v", "b", "z", "b.element"}
    assert found["b.element"] == 3


def test_hidden_ids_follow_from_the_column_alone() -> None:
    first = record_with_ids(t.Record((field("a", t.Int()), field("v", variant()))))
    moved = t.Record((replace(first.fields[1], type=with_hidden_ids(variant(), 1)), first.fields[0]))
    assert ids(moved) == ids(first)
    assert ids(with_ids(variant(), 8)) == ids(with_hidden_ids(variant(), 7))


def test_fields_of_a_variant_have_the_same_ids_in_any_order() -> None:
    typed = t.Field(0, "typed_value", t.Record((field("x", t.Int()),)))
    shredded = replace(variant(), fields=(*variant().fields, typed))
    turned = replace(shredded, fields=tuple(reversed(shredded.fields)))
    assert ids(with_hidden_ids(shredded, 5)) == ids(with_hidden_ids(turned, 5))
    assert ids(with_hidden_ids(variant(), 5)).items() <= ids(with_hidden_ids(shredded, 5)).items()


@given(st.lists(st.integers(-1, 500), min_size=2, max_size=40, unique=True))
def test_no_two_columns_share_a_hidden_id(columns: list[int]) -> None:
    found = [item for column in columns for item in islice(make_hidden_ids(column), 40)]
    assert len(set(found)) == len(found)
    assert max(found) < 0


def test_hidden_ids_are_those_of_the_formula() -> None:
    for column in (0, 1, 17):
        for position, found in enumerate(islice(make_hidden_ids(column), 5)):
            n = column + 1 + position
            assert found == -1 - (n * (n + 1) // 2 + position)


@given(schemas(named=False))
@settings(max_examples=cases(60), deadline=None)
def test_ids_are_unique_and_numbering_again_changes_nothing(schema: Schema) -> None:
    found = [item.id for _, item in walk(schema.record)]
    assert len(set(found)) == len(found)
    assert record_with_ids(schema.record) == schema.record
    assert record_with_missing_ids(schema.record) == schema.record


@given(schemas(named=False), st.integers(0, 1 << 30))
@settings(max_examples=cases(60), deadline=None)
def test_only_missing_ids_are_given_and_they_are_new(schema: Schema, which: int) -> None:
    given_ids = sorted(item.id for _, item in walk(schema.record) if item.id >= 0)
    dropped = {column for position, column in enumerate(given_ids) if which >> position % 30 & 1}
    holed = rewrite(schema.record, lambda item: replace(item, id=NO_ID) if item.id in dropped else item)
    assert isinstance(holed, t.Record)
    completed = record_with_missing_ids(holed, schema.max_column_id)
    for (path, before), (_, after) in zip(walk(schema.record), walk(completed), strict=True):
        assert after.id == before.id if before.id in set(given_ids) - dropped else after.id != NO_ID, path
    new = [item.id for _, item in walk(completed) if item.id > schema.max_column_id]
    assert len(new) == len(set(new)) == len(dropped)
