"""Hudi 1.2's types that are stored as records: which fields a record needs to be one of them.

Facts: `HoodieSchema.Variant` and `HoodieSchema.Blob` of Apache Hudi 1.2. A variant's fields may be in any order. A blob
is exactly the canonical record; one that differs anywhere is an ordinary record.
"""

from __future__ import annotations

from hudi_core.types.nodes import (
    ABSENT,
    Binary,
    Boolean,
    Enumeration,
    Field,
    Long,
    Record,
    RecordKind,
    String,
    Type,
)

METADATA = "metadata"
VALUE = "value"
TYPED_VALUE = "typed_value"
VARIANT_FIELDS = (METADATA, VALUE, TYPED_VALUE)

_BLOB_STORAGE = Enumeration(("INLINE", "OUT_OF_LINE"), name="blob_storage_type")


def variant(name: str = "variant") -> Record:
    """An unshredded variant, without column ids, with the docs that Hudi gives it."""
    fields = (
        Field(0, METADATA, Binary(), optional=False, doc="Variant metadata component"),
        Field(0, VALUE, Binary(), optional=False, doc="Variant value component"),
    )
    return Record(fields, name=name, kind=RecordKind.VARIANT)


def blob(name: str = "blob") -> Record:
    """A blob, without column ids: bytes within the row, or a reference to bytes elsewhere."""
    reference = Record(
        (
            Field(0, "external_path", String(), optional=False),
            Field(0, "offset", Long()),
            Field(0, "length", Long()),
            Field(0, "managed", Boolean(), optional=False),
        ),
        name="reference",
    )
    fields = (
        Field(0, "type", _BLOB_STORAGE, optional=False),
        Field(0, "data", Binary(), default=None),
        Field(0, "reference", reference, default=None),
    )
    return Record(fields, name=name, kind=RecordKind.BLOB)


def missing_from_variant(record: Record) -> str | None:
    """Why a record is not a variant, as a phrase; None when it is one.

    Needed: `metadata` (required bytes), `value` (bytes, null allowed when shredded); allowed: `typed_value` of any type.
    """
    fields = {field.name: field for field in record.fields}
    for name in (METADATA, VALUE):
        if name not in fields:
            return f"a field {name}"
        if not isinstance(fields[name].type, Binary):
            return f"bytes as its field {name}"
    if fields[METADATA].optional:
        return f"a required field {METADATA}"
    if fields.keys() - set(VARIANT_FIELDS):
        return f"no fields but {METADATA}, {VALUE} and {TYPED_VALUE}"
    return None


def is_shredded(record: Record) -> bool:
    """Whether parts of a variant's values are in columns of their own."""
    return any(f.name == TYPED_VALUE or (f.name == VALUE and f.optional) for f in record.fields)


def is_whole_variant(type: Type) -> bool:
    """Whether the type is a variant that holds its values in `metadata` and `value` alone."""
    return isinstance(type, Record) and type.kind is RecordKind.VARIANT and not is_shredded(type)


def is_blob(record: Record) -> bool:
    """Whether the record has exactly a blob's fields; docs, column ids and the record's own name do not count."""
    return _same_fields(record, blob())


def _same_fields(a: Record, b: Record) -> bool:
    return len(a.fields) == len(b.fields) and all(map(_same_field, a.fields, b.fields))


def _same_field(a: Field, b: Field) -> bool:
    if (a.name, a.optional, a.aliases, a.properties) != (b.name, b.optional, b.aliases, b.properties):
        return False
    if (a.default is ABSENT) != (b.default is ABSENT) or a.default != b.default:
        return False
    if isinstance(a.type, Record) and isinstance(b.type, Record):
        return a.type.name == b.type.name and _same_fields(a.type, b.type)
    if isinstance(a.type, Enumeration) and isinstance(b.type, Enumeration):
        return (a.type.symbols, a.type.name) == (b.type.symbols, b.type.name)
    return a.type == b.type
