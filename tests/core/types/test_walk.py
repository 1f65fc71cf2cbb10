"""Walking, comparing and rewriting types.

Also covers: `types/nodes.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings

from hudi_core.types import nodes as t
from hudi_core.types.walk import rewrite, same, same_field, walk, with_children
from tests.support.drawing import cases
from tests.support.strategies import types

NESTED = t.Record(
    (
        t.Field(0, "a", t.Int()),
        t.Field(1, "s", t.Record((t.Field(3, "x", t.String()),), name="S")),
        t.Field(
            2,
            "m",
            t.Map(t.Field(4, "key", t.String(), False), t.Field(5, "value", t.Array(t.Field(6, "element", t.Long())))),
        ),
    )
)


def test_walk_gives_parents_before_children_with_their_paths() -> None:
    paths = [".".join(path) for path, _ in walk(NESTED)]
    assert paths == ["a", "s", "s.x", "m", "m.key", "m.value", "m.value.element"]


def test_rewrite_changes_every_field_children_first() -> None:
    seen: list[str] = []

    def change(field: t.Field) -> t.Field:
        seen.append(field.name)
        return replace(field, id=field.id + 100)

    changed = rewrite(NESTED, change)
    assert seen == ["a", "x", "s", "key", "element", "value", "m"]
    assert [field.id for _, field in walk(changed)] == [field.id + 100 for _, field in walk(NESTED)]


def test_rewrite_without_a_change_gives_the_very_same_object() -> None:
    assert rewrite(NESTED, lambda field: field) is NESTED


def test_with_children_keeps_all_but_the_fields() -> None:
    record = t.Record(NESTED.fields, name="R", doc="d", aliases=("old",), properties={"p": 1})
    assert with_children(record, record.fields[:1]) == replace(record, fields=record.fields[:1])
    assert with_children(t.Int(), ()) == t.Int()


@given(types())
@settings(max_examples=cases(50), deadline=None)
def test_a_type_is_the_same_under_other_ids(of: t.Type) -> None:
    renumbered = rewrite(of, lambda field: replace(field, id=field.id + 7))
    assert same(of, renumbered)
    assert (renumbered == of) == (not t.children(of))


def test_same_sees_every_attribute_but_the_id() -> None:
    field = t.Field(1, "a", NESTED, True, "doc", None, ("b",), {"p": 1}, {"q": 2})
    assert same_field(field, replace(field, id=9))
    changes: tuple[dict[str, Any], ...] = (
        *({"name": "z"}, {"optional": False}, {"doc": None}, {"default": t.ABSENT}, {"aliases": ()}),
        *({"properties": {}}, {"type_properties": {}}, {"type": t.Int()}),
    )
    for change in changes:
        assert not same_field(field, replace(field, **change)), change
    assert not same(NESTED, replace(NESTED, name="R"))
    assert not same(t.Array(t.Field(0, "element", t.Int())), t.Array(t.Field(0, "element", t.Int()), {"p": 1}))
    assert not same(t.Decimal(4, 2), t.Decimal(4, 2, t.Fixed(2)))
