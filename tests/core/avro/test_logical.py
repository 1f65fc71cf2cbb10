"""Logical types (SCHEMA-11, SCHEMA-12)."""

from __future__ import annotations

from typing import Any

import pytest

from hudi_core.avro.inbound import field_from_avro
from hudi_core.avro.outbound import type_to_avro
from hudi_core.errors import SchemaError
from hudi_core.types import nodes as t

Json = dict[str, Any]


def on(base: str, logical: str, **attributes: object) -> Json:
    return {"type": base, "logicalType": logical, **attributes}


def fixed(size: int, logical: str, **attributes: object) -> Json:
    return {"type": "fixed", "name": "F", "size": size, "logicalType": logical, **attributes}


F16 = t.Fixed(16, "F")
VALID: list[tuple[Json, t.Type]] = [
    (on("int", "date"), t.Date()),
    (on("int", "time-millis"), t.Time(t.Unit.MILLIS)),
    (on("long", "time-micros"), t.Time(t.Unit.MICROS)),
    (on("long", "time-nanos"), t.Time(t.Unit.NANOS)),
    *(
        (on("long", f"{prefix}timestamp-{unit.name.lower()}"), t.Timestamp(unit, zoned))
        for prefix, zoned in (("", True), ("local-", False))
        for unit in t.Unit
    ),
    (on("string", "uuid"), t.Uuid()),
    (on("bytes", "decimal", precision=10, scale=2), t.Decimal(10, 2)),
    (fixed(16, "uuid"), t.Uuid(F16)),
    (fixed(16, "decimal", precision=38, scale=0), t.Decimal(38, 0, F16)),
    (
        fixed(16, "vector", dimension=2, elementType="DOUBLE", storageBacking="FIXED_BYTES"),
        t.Vector(2, t.VectorElement.DOUBLE, name="F"),
    ),
]


@pytest.mark.parametrize(("avro", "of"), VALID)
def test_a_logical_type_survives_reading_and_writing(avro: Json, of: t.Type) -> None:
    field = field_from_avro(avro)
    assert (field.type, field.type_properties) == (of, {})
    assert type_to_avro(of) == avro


@pytest.mark.parametrize(
    ("avro", "of"),
    [
        (on("string", "date"), t.String()),
        (on("int", "time-micros"), t.Int()),
        (on("long", "uuid"), t.Long()),
        (on("bytes", "decimal"), t.Binary()),
        (on("bytes", "decimal", precision=0), t.Binary()),
        (on("bytes", "decimal", precision="4"), t.Binary()),
        (on("bytes", "decimal", precision=True), t.Binary()),
        (on("bytes", "decimal", precision=4, scale=9), t.Binary()),
        (on("bytes", "decimal", precision=4, scale=-1), t.Binary()),
        (on("int", "decimal", precision=4), t.Int()),
        (fixed(1, "decimal", precision=9), t.Fixed(1, "F")),
        (fixed(16, "date"), F16),
        (fixed(15, "uuid"), t.Fixed(15, "F")),
    ],
)
def test_an_invalid_logical_type_is_ignored_with_its_parameters(avro: Json, of: t.Type) -> None:
    field = field_from_avro(avro)
    assert (field.type, field.type_properties) == (of, {})


@pytest.mark.parametrize("avro", [on("string", "thing", size=3), fixed(12, "duration")])
def test_an_unknown_logical_type_stays_as_a_property(avro: Json) -> None:
    field = field_from_avro(avro)
    assert field.type_properties["logicalType"] == avro["logicalType"]
    assert type_to_avro(t.Record((field,)))["fields"][0]["type"] == avro  # type: ignore[index]


def test_a_missing_scale_is_zero_and_a_missing_element_type_is_float() -> None:
    assert field_from_avro(on("bytes", "decimal", precision=4)).type == t.Decimal(4, 0)
    assert field_from_avro(fixed(8, "vector", dimension=2)).type == t.Vector(2, name="F")


@pytest.mark.parametrize(
    ("avro", "answer"),
    [
        (fixed(15, "vector", dimension=4), "schema: expected 16 bytes for a vector of 4, found 15"),
        (fixed(16, "vector"), "schema: expected a dimension of the vector, found None"),
        (fixed(16, "vector", dimension=0), "schema: expected a dimension of the vector, found 0"),
        (fixed(16, "vector", dimension=4, elementType="HALF"), "schema: expected one of FLOAT, DOUBLE, INT8"),
        (fixed(16, "vector", dimension=4, storageBacking="X"), "schema: expected the storage FIXED_BYTES"),
    ],
)
def test_a_vector_that_contradicts_itself_is_refused(avro: Json, answer: str) -> None:
    with pytest.raises(SchemaError) as refused:
        field_from_avro(avro)
    assert str(refused.value).startswith(answer)
