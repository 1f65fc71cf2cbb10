"""Whether data written under one schema can be read by another, with every reason why not.

The rules of Avro's schema resolution, with the relaxations of Apache Hudi's `HoodieSchemaCompatibilityChecker`: numbers,
decimals and bytes may be read as text, and names of records, enumerations and fixed types count at the root and inside
unions only. A nullable column is a union here, as it is in Avro.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from hudi_core.errors import SchemaError
from hudi_core.evolve.fields import brief
from hudi_core.schema.schema import Path
from hudi_core.types.nodes import (
    ABSENT,
    Array,
    Decimal,
    Enumeration,
    Field,
    Fixed,
    Map,
    Nested,
    Record,
    RecordKind,
    Type,
    Union,
)
from hudi_core.types.promote import Purpose, promotion


class IncompatibilityKind(Enum):
    """The kinds of incompatibility, by the names that Apache Hudi gives them."""

    NAME_MISMATCH = "the names of two named types differ where names count"
    FIXED_SIZE_MISMATCH = "two fixed types differ in size"
    MISSING_ENUM_SYMBOLS = "the reader's enumeration lacks symbols of the writer's"
    READER_FIELD_MISSING_DEFAULT_VALUE = "the reader has a field that the writer lacks, and no default for it"
    TYPE_MISMATCH = "the writer's values cannot be read as the reader's type"
    DECIMAL_MISMATCH = "the reader's decimal has fewer digits before or after the point"
    MISSING_UNION_BRANCH = "no branch of the reader's union takes a branch of the writer's, or null"


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """One reason: what is wrong with the column `where` (empty for the root)."""

    kind: IncompatibilityKind
    where: str
    reason: str
    fields: Path
    """The names of the fields on the way to the types that do not fit, without those inside arrays and maps."""

    @property
    def location(self) -> str:
        """A JSON pointer of `fields`, as Apache Hudi reports it."""
        return "/" + "/".join(name.replace("~", "~0").replace("/", "~1") for name in self.fields)

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" if self.where else self.reason


def incompatibilities(reader: Record, writer: Record, *, names: bool = True) -> tuple[Incompatibility, ...]:
    """Why data written under `writer` cannot be read by `reader`, in the order of the reader's fields; empty when it can.

    Without `names`, names of types count nowhere. Raises `SchemaError` when the aliases of a field fit several fields.
    """
    return tuple(_Checker(names).types(reader, writer, _Place((), (), True)))


def missing_columns(table: Record, incoming: Record) -> tuple[Path, ...]:
    """The paths of the table's columns that a batch lacks, at every depth; nothing below one that is missing as a whole."""
    return tuple(_missing(table, incoming, ()))


def require_writable(
    table: Record,
    incoming: Record,
    *,
    validate: bool = False,
    allow_missing: bool = False,
    ignored: Collection[str] = (),
) -> None:
    """The gate before a write: raises `SchemaError` with all reasons unless a batch of the schema may be written.

    Without `allow_missing` the batch needs all of the table's top-level columns but the `ignored` ones (partition columns
    that are not stored). With `validate`, and nothing ignored, the batch's schema must be able to read the table's data.
    """
    lacking = {path[0] for path in missing_columns(table, incoming) if len(path) == 1}
    absent = [field.name for field in table.fields if field.name in lacking and field.name not in ignored]
    if absent and not allow_missing:
        raise SchemaError("batch", expected="all columns of the table", found=f"no column {', '.join(absent)}")
    if validate and not ignored:
        reasons = incompatibilities(incoming, table)
        if reasons:
            raise SchemaError("batch", message=f"cannot read the table's data: {'; '.join(map(str, reasons))}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is, and whether names of types count here."""

    path: Path
    fields: Path
    named: bool

    def field(self, reader: Field) -> _Place:
        return _Place((*self.path, reader.name), (*self.fields, reader.name), len(_branches(reader)) > 1)

    def inside(self, name: str) -> _Place:
        return _Place((*self.path, name), self.fields, self.named)

    def incompatibility(self, kind: IncompatibilityKind, reason: str) -> Incompatibility:
        return Incompatibility(kind, ".".join(self.path), reason, self.fields)


def _branches(field: Field) -> tuple[Type | None, ...]:
    """The types a field's values can have, None for null: one, unless it is a union in Avro."""
    inner = tuple(branch.type for branch in field.type.branches) if isinstance(field.type, Union) else (field.type,)
    return (None, *inner) if field.optional else inner


def _type_name(type: Type | None) -> str:
    return "null" if type is None else brief(type)


class _Checker:
    """One check."""

    def __init__(self, names: bool) -> None:
        self._names = names

    def types(self, reader: Type | None, writer: Type | None, place: _Place) -> Iterator[Incompatibility]:
        match reader, writer:
            case (None, None):
                return
            case (Record(), Record()) if reader.kind is writer.kind:
                if reader.kind is not RecordKind.VARIANT:
                    yield from self._name(reader.name, writer.name, place)
                    yield from self._record(reader, writer, place)
            case (Array(element=reads), Array(element=has)) | (Map(value=reads), Map(value=has)):
                yield from self._fields(reads, has, place.inside(reads.name))
            case (None, _) | (_, None):
                yield place.incompatibility(
                    IncompatibilityKind.TYPE_MISMATCH, f"{_type_name(reader)} cannot read {_type_name(writer)}"
                )
            case _:
                yield from self._primitive(reader, writer, place)

    def _fields(self, reader: Field, writer: Field, place: _Place) -> Iterator[Incompatibility]:
        if reader.optional == writer.optional and not isinstance(reader.type, Nested) and reader.type == writer.type:
            return
        reads, has = _branches(reader), _branches(writer)
        if len(reads) == 1:
            for branch in has:
                yield from self.types(reads[0], branch, place)
            return
        for branch in has:
            refused = [list(self.types(candidate, branch, place)) for candidate in reads]
            if all(refused):
                pairs = zip(reads, refused, strict=True)
                because = [str(reason) for to, reasons in pairs if type(to) is type(branch) for reason in reasons]
                problem = f"no branch can read {_type_name(branch)}"
                yield place.incompatibility(IncompatibilityKind.MISSING_UNION_BRANCH, "; ".join((problem, *because)))

    def _record(self, reader: Record, writer: Record, place: _Place) -> Iterator[Incompatibility]:
        has = {field.name: field for field in writer.fields}
        for field in reader.fields:
            field_place = place.field(field)
            candidates = [has[name] for name in dict.fromkeys((field.name, *field.aliases)) if name in has]
            if len(candidates) > 1:
                raise SchemaError(
                    ".".join(field_place.path), expected="one field of the writer", found=f"{len(candidates)}, by alias"
                )
            if candidates:
                yield from self._fields(field, candidates[0], field_place)
            elif field.default is ABSENT:
                kind = IncompatibilityKind.READER_FIELD_MISSING_DEFAULT_VALUE
                yield Incompatibility(
                    kind, ".".join(field_place.path), "not in the writer, and without a default", place.fields
                )

    def _primitive(self, reader: Type, writer: Type, place: _Place) -> Iterator[Incompatibility]:
        kind = IncompatibilityKind.TYPE_MISMATCH
        match reader, writer:
            case Fixed(), Fixed():
                kind = IncompatibilityKind.FIXED_SIZE_MISMATCH
                yield from self._name(reader.name, writer.name, place)
            case Enumeration(), Enumeration():
                kind = IncompatibilityKind.MISSING_ENUM_SYMBOLS
                yield from self._name(reader.name, writer.name, place)
            case Decimal(), Decimal():
                kind = IncompatibilityKind.DECIMAL_MISMATCH
        nested = isinstance(reader, Nested) or isinstance(writer, Nested)
        if nested or promotion(writer, reader, Purpose.WRITE) is None:
            yield place.incompatibility(kind, f"{_type_name(reader)} cannot read {_type_name(writer)}")

    def _name(self, reader: str, writer: str, place: _Place) -> Iterator[Incompatibility]:
        if self._names and place.named and reader != writer:
            yield place.incompatibility(
                IncompatibilityKind.NAME_MISMATCH, f"the reader's name {reader} is not the writer's {writer}"
            )


def _missing(table: Type, incoming: Type, path: Path) -> Iterator[Path]:
    match table, incoming:
        case Record(), Record():
            has = {field.name: field for field in incoming.fields}
            for field in table.fields:
                inner = (*path, field.name)
                if field.name in has:
                    yield from _missing(field.type, has[field.name].type, inner)
                else:
                    yield inner
        case (Array(element=wants), Array(element=got)) | (Map(value=wants), Map(value=got)):
            yield from _missing(wants.type, got.type, (*path, wants.name))
