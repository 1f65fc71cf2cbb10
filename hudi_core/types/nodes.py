"""The types a Hudi column can have, as frozen data; a closed union.

Units, zone flags, decimal backing and size, enum symbols, record names, docs, defaults and aliases are part of a type:
losing them corrupts tables. Array elements, map keys and map values are `Field`s, so that everything that has a column id
is one kind of thing.

The number of digits that fit the bytes of a fixed-backed decimal is defined here, beside the decimals, and which names
fields may have, beside the fields: every commit stores the schema as Avro.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeGuard, get_args

from hudi_core.by_need import ModuleByNeed
from hudi_core.notebook import show_briefly


class Unit(Enum):
    """The unit of a time or timestamp; the value is how many make a second."""

    MILLIS = 1_000
    MICROS = 1_000_000
    NANOS = 1_000_000_000


class _Absent(Enum):
    ABSENT = "no default"


ABSENT: Final = _Absent.ABSENT
"""There is no default. Differs from a default of null, which is `None`."""


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false; false sorts first."""


@dataclass(frozen=True, slots=True)
class Int:
    """A signed integer of 32 bits."""


@dataclass(frozen=True, slots=True)
class Long:
    """A signed integer of 64 bits."""


@dataclass(frozen=True, slots=True)
class Float:
    """IEEE 754 binary32."""


@dataclass(frozen=True, slots=True)
class Double:
    """IEEE 754 binary64."""


@dataclass(frozen=True, slots=True)
class Date:
    """Days since 1970-01-01."""


@dataclass(frozen=True, slots=True)
class Time:
    """Time of day, in units since midnight."""

    unit: Unit = Unit.MICROS


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Units since 1970-01-01T00:00:00: in UTC when zoned (an instant), of a wall clock when not (Avro's `local-`)."""

    unit: Unit = Unit.MICROS
    zoned: bool = True


@dataclass(frozen=True, slots=True)
class String:
    """Text; sorts by unsigned UTF-8 bytes."""


@dataclass(frozen=True, slots=True)
class Binary:
    """Bytes of any length; sorts as unsigned bytes."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Exactly `size` bytes. `name` is the Avro full name, empty when none was given."""

    size: int
    name: str = ""
    aliases: tuple[str, ...] = ()
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class Uuid:
    """A UUID, in canonical lower-case text. Avro backs it by string, or by fixed(16) when `fixed` is given."""

    fixed: Fixed | None = None


LONGEST_DECIMAL: Final = 38
"""Digits of the longest decimal that Spark has, and so every reader."""


@dataclass(frozen=True, slots=True)
class Decimal:
    """An exact number of `precision` digits, `scale` of them after the point. Avro backs it by bytes or by `fixed`.

    `implied` only matters to the persisted schema: the size of `fixed` was not stored there, it follows from the precision.
    """

    precision: int
    scale: int = 0
    fixed: Fixed | None = None
    implied: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Enumeration:
    """One of `symbols`; a value is the symbol's text, and sorts as text."""

    symbols: tuple[str, ...]
    name: str = ""
    default: str | None = None
    aliases: tuple[str, ...] = ()
    doc: str | None = None


class VectorElement(Enum):
    """The number type of a vector's elements; the value is its size in bytes."""

    FLOAT = 4
    DOUBLE = 8
    INT8 = 1


@dataclass(frozen=True, slots=True)
class Vector:
    """`dimension` numbers, packed little-endian in an Avro fixed (Hudi 1.2, RFC-99)."""

    dimension: int
    element: VectorElement = VectorElement.FLOAT
    backing: str = "FIXED_BYTES"
    name: str = ""
    aliases: tuple[str, ...] = ()
    doc: str | None = None


@show_briefly
@dataclass(frozen=True, slots=True)
class Field:
    """A named, typed place with a column id: a record's field, an array's element, a map's key or value.

    `default` is a value in the form of `hudi_core.values`, None for null, or `ABSENT`. `properties` are the custom
    attributes of the Avro field, values as JSON; `type_properties` those of its type, for a type that has no
    `properties` of its own.
    """

    id: int
    name: str
    type: Type
    optional: bool = True
    doc: str | None = None
    default: object = field(default=ABSENT, hash=False)
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)
    type_properties: Mapping[str, object] = field(default_factory=dict, hash=False)


class RecordKind(Enum):
    """The kind of a record: plain, or one of Hudi 1.2's types that are stored as records."""

    PLAIN = ""
    VARIANT = "variant"
    BLOB = "blob"


@show_briefly
@dataclass(frozen=True, slots=True)
class Record:
    """Named fields. `name` is the Avro full name, empty when none was given."""

    fields: tuple[Field, ...]
    name: str = ""
    doc: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)
    kind: RecordKind = RecordKind.PLAIN


@dataclass(frozen=True, slots=True)
class Array:
    """A list; its element is a field called `element`."""

    element: Field
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Map:
    """Text keys with values; fields called `key` (never optional) and `value`."""

    key: Field
    value: Field
    properties: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Union:
    """A real union: a value of exactly one of two or more non-null branches. Branch i is a required field `member{i}`."""

    branches: tuple[Field, ...]


Primitive = (
    Boolean
    | Int
    | Long
    | Float
    | Double
    | Date
    | Time
    | Timestamp
    | String
    | Binary
    | Fixed
    | Uuid
    | Decimal
    | Enumeration
    | Vector
)
Nested = Record | Array | Map | Union
Type = Primitive | Nested

NESTED: Final = (Record, Array, Map, Union)
"""The types that have fields in them, for `isinstance`."""


_texts: Any = ModuleByNeed("hudi_core.types.text")  # which is about these types


def _print_type(type: Type) -> str:
    """A type as errors and tables name it; its `repr` has all fields."""
    text: str = _texts.text(type)
    return text


for _kind in (*get_args(Primitive), *NESTED):
    _kind.__str__ = _print_type


def children(type: Type) -> tuple[Field, ...]:
    """The fields directly inside a type, in order; none for a primitive."""
    match type:
        case Record(fields=fields) | Union(branches=fields):
            return fields
        case Array(element=element):
            return (element,)
        case Map(key=key, value=value):
            return (key, value)
        case _:
            return ()


_LOG10_2 = math.log10(2)


def greatest_precision(size: int) -> int:
    """The most digits that any number of `size` bytes (two's complement) can hold.

    >>> greatest_precision(8), greatest_precision(16)
    (18, 38)
    """
    return math.floor((8 * size - 1) * _LOG10_2) if size > 0 else 0


def smallest_size(precision: int) -> int:
    """The fewest bytes that hold every number of `precision` digits.

    >>> smallest_size(10), smallest_size(38)
    (5, 16)
    """
    return math.ceil((precision / _LOG10_2 + 1) / 8)


_NAME: Final = re.compile(r"[^\W\d]\w*")
"""Letters of any script, as Avro's Java library takes them; the specification has ASCII only, where Python's identifiers
are these names."""


def is_name(name: object) -> TypeGuard[str]:
    """A name that Avro allows: a letter or `_`, then letters, digits or `_`.

    >>> is_name("größe"), is_name("1a"), is_name("a-b")
    (True, False, False)
    """
    if not isinstance(name, str):
        return False
    return name.isidentifier() if name.isascii() else _NAME.fullmatch(name) is not None
