"""Types as they are written: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`, `interval day to second`.

One grammar for CAST, for changes of columns and for definitions of columns; which names there are, and what they mean, is the
readers'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hudi_core.sql.cursor import Cursor
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, Token

MAX_DEPTH: Final = 100
"""Levels of nesting that are read; deeper texts are refused before they exhaust the stack."""

ARRAYS: Final = frozenset({"ARRAY", "LIST"})
STRUCTS: Final = frozenset({"STRUCT", "RECORD"})
MAP: Final = "MAP"
INTERVAL: Final = "INTERVAL"


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of a type, in brackets behind its name: a number, a word in upper case, or a quoted string."""

    value: int | str
    token: Token
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class FieldText:
    """A field of a struct. Elements, keys and values have no name of their own."""

    name: str
    type: TypeText
    token: Token
    required: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class TypeText:
    """A type as it is written.

    `name` is in upper case, `parameters` are in `( )` or `[ ]` behind it, `sizes` in `[ ]` behind these. `fields` are what
    stands between `< >`; empty where there are none. `units` are the units of an interval, `collation` is a string's.
    """

    name: str
    span: Span
    token: Token
    parameters: tuple[Parameter, ...] = ()
    sizes: tuple[Parameter, ...] = ()
    fields: tuple[FieldText, ...] = ()
    units: tuple[str, ...] = ()
    collation: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the type is a name and nothing else."""
        return not (self.parameters or self.sizes or self.fields or self.units or self.collation)


def parse_type_text(cursor: Cursor, *, depth: int = 0) -> TypeText:
    """The type that comes next. Raises the cursor's error with the place."""
    start = cursor.token
    if start.kind is not Kind.WORD:
        cursor.fail("a type")
    if depth > MAX_DEPTH:
        cursor.fail(f"at most {MAX_DEPTH} nested types")
    name = cursor.read_hyphenated("a type").upper()
    parameters: tuple[Parameter, ...] = ()
    sizes: tuple[Parameter, ...] = ()
    fields: tuple[FieldText, ...] = ()
    units: tuple[str, ...] = ()
    collation: str | None = None
    if name in ARRAYS or name in STRUCTS or name == MAP:
        fields = _fields(cursor, name, depth)
    elif name == INTERVAL:
        units = _units(cursor)
    elif name == "DOUBLE":
        cursor.take("PRECISION")
    else:
        parameters = _parameters(cursor)
        sizes = _parameters(cursor) if parameters else ()
        if name == "STRING" and cursor.take("COLLATE"):
            collation = cursor.name("a collation")
    return TypeText(name, cursor.span(start), start, parameters, sizes, fields, units, collation)


def parse_field_text(cursor: Cursor, *, depth: int = 0, expected: str = "a field") -> FieldText:
    """`name [:] type [NOT NULL] [COMMENT 'text']`."""
    start = cursor.token
    name = cursor.read_hyphenated(expected)
    cursor.take(":")
    data_type = parse_type_text(cursor, depth=depth)
    required = _not_null(cursor)
    comment = cursor.string("a quoted comment") if cursor.take("COMMENT") else None
    return FieldText(name, data_type, start, required, comment)


def _fields(cursor: Cursor, name: str, depth: int) -> tuple[FieldText, ...]:
    if cursor.take("<>"):  # one symbol of predicates
        if name not in STRUCTS:
            cursor.fail("a type", cursor.last)
        return ()
    cursor.expect("<")
    if name in STRUCTS:
        fields = [] if cursor.token.key == ">" else [parse_field_text(cursor, depth=depth + 1)]
        while fields and cursor.take(","):
            fields.append(parse_field_text(cursor, depth=depth + 1))
        cursor.expect(">", "`,` or `>`")
        return tuple(fields)
    parts = ["key", "value"] if name == MAP else ["element"]
    fields = []
    for index, part in enumerate(parts):
        if index:
            cursor.expect(",")
        start = cursor.token
        data_type = parse_type_text(cursor, depth=depth + 1)
        fields.append(FieldText(part, data_type, start, part != "key" and _not_null(cursor)))
    cursor.expect(">")
    return tuple(fields)


def _not_null(cursor: Cursor) -> bool:
    if not cursor.take("NOT"):
        return False
    cursor.expect("NULL")
    return True


def _parameters(cursor: Cursor) -> tuple[Parameter, ...]:
    if cursor.token.key not in ("(", "["):
        return ()
    closing = ")" if cursor.advance().key == "(" else "]"
    parameters = [_parameter(cursor)]
    while cursor.take(","):
        parameters.append(_parameter(cursor))
    cursor.expect(closing, f"`,` or `{closing}`")
    return tuple(parameters)


def _parameter(cursor: Cursor) -> Parameter:
    token = cursor.token
    match token.kind:
        case Kind.NUMBER:
            return Parameter(cursor.integer("a whole number"), token)
        case Kind.STRING:
            return Parameter(cursor.string("a string"), token, quoted=True)
        case Kind.WORD | Kind.NAME:
            return Parameter(cursor.name(), token)
        case _:
            return cursor.fail("a number")


def _units(cursor: Cursor) -> tuple[str, ...]:
    """The units of `INTERVAL DAY TO SECOND`; none for an interval of any."""
    if cursor.token.key not in _UNITS:
        return ()
    first = cursor.advance().key
    if not cursor.take("TO"):
        return (first,)
    if cursor.token.key not in _UNITS:
        cursor.fail("a unit of an interval")
    return first, cursor.advance().key


_UNITS: Final = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
