"""Column ids for schemas that carry none."""

from __future__ import annotations

from dataclasses import replace

from hudi_core.evolve.identity import identify
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import variant


def field(name: str, of: t.Type) -> t.Field:
    return t.Field(0, name, of)


def version(*fields: t.Field, number: int = 0) -> Schema:
    return Schema(record_with_ids(t.Record(fields)), version=number)


POINT = t.Record((field("x", t.Int()), field("y", t.Int())))


def ids(schema: Schema) -> dict[str, int]:
    return {place.name: column_id for column_id, place in schema.places.items()}


def test_the_first_version_has_the_ids_of_the_block_rule() -> None:
    union = t.Union((field("member0", t.Int()), field("member1", POINT)))
    first = version(field("a", t.Int()), field("u", union), field("v", variant()), field("s", POINT))
    assert identify([first]) == (first,)


def test_later_versions_keep_ids_by_path_and_give_new_ones_once() -> None:
    """IDENT-1."""
    one, two, three = identify(
        [
            version(field("a", t.Int()), field("s", POINT), number=1),
            version(
                field("new", t.Int()), field("s", replace(POINT, fields=(*POINT.fields, field("z", t.Int())))), number=2
            ),
            version(field("a", t.Long()), field("s", POINT), field("other", t.Int()), number=3),
        ]
    )
    assert ids(one) == {"a": 0, "s": 1, "s.x": 2, "s.y": 3}
    assert ids(two) == {"new": 4, "s": 1, "s.x": 2, "s.y": 3, "s.z": 5}
    assert ids(three) == {"a": 0, "s": 1, "s.x": 2, "s.y": 3, "other": 6}
    assert [schema.max_column_id for schema in (one, two, three)] == [3, 5, 6]
    assert [schema.version for schema in (one, two, three)] == [1, 2, 3]


def test_a_column_that_becomes_another_kind_is_another_column() -> None:
    """IDENT-1."""
    one, two, three = identify([version(field("a", t.Int())), version(field("a", POINT)), version(field("a", t.Int()))])
    assert ids(one)["a"] == ids(three)["a"] == 0
    assert ids(two) == {"a": 1, "a.x": 2, "a.y": 3}
