"""Read plans on plain values; every engine is held to the same by `tests/contract/rows.py`."""

from __future__ import annotations

import pytest

from hudi_core.errors import SchemaError
from hudi_core.evolve.reconcile import reconcile
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_plain.values import PlainValues


def schema(*fields: t.Field) -> Schema:
    return Schema(t.Record(fields))


def test_renamed_moved_widened_added_and_nested_fields_in_one_plan() -> None:
    stored = schema(
        t.Field(0, "old", t.Int()),
        t.Field(1, "s", t.Record((t.Field(2, "x", t.Float()), t.Field(3, "gone", t.Int())))),
        t.Field(4, "m", t.Map(t.Field(5, "key", t.String(), False), t.Field(6, "value", t.Int()))),
    )
    wanted = schema(
        t.Field(4, "m", t.Map(t.Field(5, "key", t.String(), False), t.Field(6, "value", t.String()))),
        t.Field(1, "s", t.Record((t.Field(8, "new", t.Int(), False, default=7), t.Field(2, "y", t.Double())))),
        t.Field(0, "new", t.Long()),
        t.Field(9, "absent", t.Int()),
    )
    read = projection(reconcile(stored, wanted), PlainValues())
    assert read((1, (0.10000000149011612, 5), (("k", 3),))) == ((("k", "3"),), (7, 0.1), 1, None)
    assert read((None, None, None)) == (None, None, None, None)


def test_a_value_without_a_counterpart_is_refused() -> None:
    stored, wanted = schema(t.Field(0, "a", t.String())), schema(t.Field(0, "a", t.Date()))
    read = projection(reconcile(stored, wanted), PlainValues())
    assert read(("1970-01-02",)) == (1,)
    with pytest.raises(SchemaError, match="someday"):
        read(("someday",))
