"""Spark's DDL text of a schema (`a INT NOT NULL COMMENT 'x', s STRUCT<b: STRING>`), both ways, without PySpark or a JVM."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from hudi_core.avro.extras import carry, imply_default, type_shell
from hudi_core.errors import SchemaError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.loss import ConversionLoss, Converted
from hudi_core.schema.schema import Schema, schema_at_place
from hudi_core.sql.cursor import Cursor
from hudi_core.sql.place import Span
from hudi_core.sql.type_text import FieldText, TypeText, parse_field_text, parse_type_text
from hudi_core.types import nodes as t
from hudi_core.types.disguised import blob, variant
from hudi_core.types.nodes import smallest_size
from hudi_core.types.sql import NARROW, SIZED, sql_name, sql_type
from hudi_core.types.text import text
from hudi_spark.types import GREATEST_PRECISION, plain, vector_of

_HELD: Final = frozenset(
    {
        *(t.Boolean(), t.Int(), t.Long(), t.Float(), t.Double(), t.Date(), t.String(), t.Binary()),
        *(t.Timestamp(t.Unit.MICROS, zoned) for zoned in (True, False)),
    }
)
"""The types without parts that Spark holds, under their SQL names."""

_SIMPLE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_Path = tuple[str, ...]


def schema_to_ddl(schema: Schema) -> Converted[str]:
    """The columns of a schema as DDL. All that SQL has no word for is a loss, column ids that are not fresh too."""
    writer = _Writer()
    columns = ", ".join(writer.field(field, (field.name,), " ") for field in schema.fields)
    losses = [ConversionLoss("", f"version {schema.version}")] if schema.version else []
    fresh = record_with_ids(schema.record)
    if fresh != schema.record or schema.max_column_id != Schema(fresh).max_column_id:
        losses.append(ConversionLoss("", "column ids"))
    shell = type_shell(schema.record)
    losses += [ConversionLoss("", f"{name} of the record {value!r}") for name, value in shell.items() if name != "is"]
    return Converted(columns, (*losses, *writer.losses))


def schema_from_ddl(ddl: str, where: str = "schema") -> Converted[Schema]:
    """The schema of DDL columns, or of one `STRUCT<...>`, with fresh column ids.

    Read too: Spark's other words for its types, `name: type`, and Hudi's `VECTOR(n)`, `BLOB` and `VARIANT`. Raises
    `SchemaError` with the place in the text.
    """
    reader = _Reader(ddl, where)
    record = reader.document()
    return Converted(schema_at_place(where, record_with_ids(record)), tuple(reader.losses))


class _Writer:
    """One writing, and its losses."""

    def __init__(self) -> None:
        self.losses: list[ConversionLoss] = []

    def field(self, field: t.Field, path: _Path, between: str) -> str:
        carry(replace(field, doc=None), plain, ".".join(path), self.losses, keep=False)
        required = "" if field.optional else " NOT NULL"
        comment = "" if field.doc is None else f" COMMENT {_quote(field.doc)}"
        return f"{_name(field.name)}{between}{self._type(field.type, path)}{required}{comment}"

    def _type(self, type: t.Type, path: _Path) -> str:
        match type:
            case t.Record(fields):
                return f"STRUCT<{', '.join(self.field(field, (*path, field.name), ': ') for field in fields)}>"
            case t.Array(element):
                return f"ARRAY<{self._inner(element, path)}>"
            case t.Map(key, value):
                return f"MAP<{self._inner(key, path)}, {self._inner(value, path)}>"
            case t.Union() | t.Vector():
                return self._type(plain(type), path)
            case t.Decimal(precision, scale):
                if precision > GREATEST_PRECISION:
                    expected = f"at most {GREATEST_PRECISION} digits for Spark"
                    raise SchemaError(".".join(path), expected=expected, found=text(type))
                return f"DECIMAL({precision},{scale})"
            case _:
                held = plain(type)
                assert held in _HELD, type
                return sql_name(held)

    def _inner(self, field: t.Field, path: _Path) -> str:
        inner = (*path, field.name)
        carry(field, plain, ".".join(inner), self.losses, keep=False, column=False)
        if not field.optional and field.name != "key":
            self.losses.append(ConversionLoss(".".join(inner), "required", "optional"))
        return self._type(field.type, inner)


class _Reader:
    """One reading of a text, and its losses."""

    def __init__(self, ddl: str, where: str) -> None:
        self._where = where
        self._cursor = Cursor(ddl, self._complaint)
        self.losses: list[ConversionLoss] = []

    def document(self) -> t.Record:
        cursor = self._cursor
        if cursor.token.key == "STRUCT" and cursor.following.key in (
            "<",
            "<>",
        ):  # a column called struct has a type next
            fields = parse_type_text(cursor).fields
        else:
            fields = () if cursor.at_end else self._columns()
        cursor.expect_end("a comma or the end")
        return t.Record(tuple(self._field(field, ()) for field in fields))

    def _columns(self) -> tuple[FieldText, ...]:
        columns = [parse_field_text(self._cursor, expected="a column name")]
        while self._cursor.take(","):
            columns.append(parse_field_text(self._cursor, expected="a column name"))
        return tuple(columns)

    def _field(self, field: FieldText, path: _Path) -> t.Field:
        logical = self._type(field.type, (*path, field.name))
        optional = not field.required
        return t.Field(0, field.name, logical, optional, field.comment, imply_default(optional))

    def _type(self, type: TypeText, path: _Path) -> t.Type:
        match type.name, type.fields:
            case "STRUCT", fields:
                return t.Record(tuple(self._field(field, path) for field in fields))
            case "ARRAY", (element,):
                return t.Array(self._inner(element, path))
            case "MAP", (key, value):
                return t.Map(replace(self._inner(key, path), optional=False), self._inner(value, path))
        if type.name == "VARIANT" and type.is_plain:
            return variant()
        return blob() if type.name == "BLOB" and type.is_plain else self._primitive(type, path)

    def _inner(self, part: FieldText, path: _Path) -> t.Field:
        return t.Field(0, part.name, self._type(part.type, (*path, part.name)), optional=not part.required)

    def _primitive(self, type: TypeText, path: _Path) -> t.Type:
        numbers = [parameter.value for parameter in type.parameters if isinstance(parameter.value, int)]
        plain_numbers = len(numbers) == len(type.parameters) and not (
            type.sizes or type.collation or type.fields or type.units
        )
        named = sql_type(type.name, *numbers) if plain_numbers else None
        if isinstance(named, t.Decimal):
            return replace(named, fixed=t.Fixed(smallest_size(named.precision)))
        if named is not None and named in _HELD and not numbers:
            return named
        stated = type.name
        if type.parameters:
            stated += f"({','.join(str(parameter.value) for parameter in type.parameters)})"
        vector = vector_of(stated)
        if vector is not None:
            return vector
        if plain_numbers and ((type.name in NARROW and not numbers) or (type.name in SIZED and len(numbers) == 1)):
            kept = t.Int() if type.name in NARROW else t.String()
            self.losses.append(ConversionLoss(".".join(path), stated, text(kept)))
            return kept
        return self._cursor.fail("a Spark type whose values hudi-core knows", type.token)

    def _complaint(self, span: Span, expected: str, found: str | None) -> SchemaError:
        shown = found or (repr(span.source) if span.source else "the end")
        return SchemaError(f"{self._where}: character {span.start + 1}", expected=expected, found=shown)


def _name(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000", "\x1a": "\\Z"}


def _quote(comment: str) -> str:
    return "'" + "".join(_ESCAPES.get(character, character) for character in comment) + "'"
