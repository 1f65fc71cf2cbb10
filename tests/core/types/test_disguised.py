"""Variants and blobs (SCHEMA-12)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hudi_core.types import nodes as t
from hudi_core.types.disguised import METADATA, VALUE, blob, is_blob, is_shredded, missing_from_variant, variant


def field(name: str, of: t.Type = t.Binary(), optional: bool = False) -> t.Field:  # noqa: B008
    return t.Field(0, name, of, optional)


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ((field(METADATA), field(VALUE)), None),
        ((field(VALUE), field(METADATA)), None),
        ((field(METADATA), field(VALUE, optional=True), field("typed_value", t.Int(), True)), None),
        ((field(METADATA),), "a field value"),
        ((field(METADATA), field(VALUE, t.String())), "bytes as its field value"),
        ((field(METADATA, optional=True), field(VALUE)), "a required field metadata"),
        ((field(METADATA), field(VALUE), field("x")), "no fields but metadata, value and typed_value"),
    ],
)
def test_a_marked_record_is_a_variant_or_refused_with_the_missing_part(
    fields: tuple[t.Field, ...], missing: str | None
) -> None:
    assert missing_from_variant(t.Record(fields)) == missing


def test_only_a_variant_with_typed_or_missing_values_is_shredded() -> None:
    assert not is_shredded(variant())
    assert is_shredded(t.Record((field(METADATA), field(VALUE, optional=True))))
    assert is_shredded(t.Record((field(METADATA), field(VALUE), field("typed_value", t.Int()))))


def test_a_blob_is_one_under_any_name_doc_and_ids() -> None:
    renamed = replace(blob("photo"), doc="a photo", fields=tuple(replace(f, id=9, doc="d") for f in blob().fields))
    assert is_blob(renamed)


def test_a_record_that_differs_anywhere_is_no_blob() -> None:
    kind, data, reference = blob().fields
    assert isinstance(reference.type, t.Record)
    with_default = tuple(replace(f, default=None) if f.name == "offset" else f for f in reference.type.fields)
    other_symbols = replace(kind, type=t.Enumeration(("INLINE",), name="blob_storage_type"))
    others = (
        (kind, data),
        (data, kind, reference),
        (replace(kind, type=t.String()), data, reference),
        (other_symbols, data, reference),
        (kind, replace(data, default=t.ABSENT), reference),
        (kind, data, replace(reference, type=replace(reference.type, fields=with_default))),
        (kind, data, replace(reference, type=replace(reference.type, name="ns.reference"))),
    )
    for fields in others:
        assert not is_blob(replace(blob(), fields=fields))
