"""Column paths as statistics write them."""

from __future__ import annotations

from hudi_core.schema.dialect import parquet_names, place_of_parquet_name
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


def field(name: str, of: t.Type) -> t.Field:
    return t.Field(0, name, of)


INNER = t.Record((field("x", t.Int()),))
TABLE = Schema(
    record_with_ids(
        t.Record(
            (
                field("a", t.Array(field("element", INNER))),
                field("m", t.Map(field("key", t.String()), field("value", INNER))),
                field("s", INNER),
            )
        )
    )
)


def test_lists_and_maps_have_a_level_more() -> None:
    assert set(parquet_names(TABLE)) == {
        *("a", "a.list.element", "a.list.element.x"),
        *("m", "m.key_value.key", "m.key_value.value", "m.key_value.value.x"),
        *("s", "s.x"),
    }


def test_a_name_of_one_dialect_leads_to_the_column_of_the_other() -> None:
    place = place_of_parquet_name(TABLE, "m.key_value.value.x")
    assert place is not None
    assert place.name == "m.value.x"
    assert place_of_parquet_name(TABLE, "m.value.x") is None
