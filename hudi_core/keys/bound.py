"""Keys and partition paths of rows, nulls included: a generator bound to a schema, over any engine's columns.

For one row, a batch, a cluster. Rules KEY-4 to KEY-12.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, assert_never

from hudi_core.engine import Values
from hudi_core.errors import SchemaError, UsageError
from hudi_core.functions.scalar.like import AnyRun, Pattern
from hudi_core.keys.composite import EMPTY, NULL
from hudi_core.keys.generator import (
    AnyGenerator,
    AutoKey,
    BareKey,
    CompositeKey,
    Generator,
    PathPart,
    TimePart,
    UserGenerator,
    WritePath,
)
from hudi_core.keys.path_values import HIVE_DEFAULT, escape
from hudi_core.keys.records import HoodieKey
from hudi_core.keys.strings import TEXT, key_text, no_string
from hudi_core.keys.times import time_text
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

V = TypeVar("V")
M = TypeVar("M")

_EMPTY_TEXT: Pattern = ()
_UPWARDS: tuple[Pattern, ...] = (
    ("..",),
    ("../", AnyRun()),
    (AnyRun(), "/.."),
    (AnyRun(), "/../", AnyRun()),
)
"""Paths with a step to the folder above."""

_OUT = frozenset(("", ".", ".."))
"""Names that no folder of a partition has."""


@dataclass(frozen=True, slots=True)
class KeyStrings(Generic[V]):
    """The keys of rows, as two columns of strings without nulls."""

    record_key: V
    partition_path: V


@dataclass(frozen=True, slots=True)
class _Column:
    """A field of the generator in the schema: how to get to it, and its type."""

    name: str
    positions: tuple[int, ...]
    type: t.Type


class KeyGenerator(Generic[V, M]):
    """Makes the keys of rows of a schema.

    Raises `UnknownColumnError` for a field that the schema lacks and `SchemaError` for one of a type that makes no string or
    no time: when it is made where that can be seen, whatever the writer would do (Avro's takes such a field for null).
    """

    def __init__(self, generator: AnyGenerator, schema: Schema, values: Values[V, M]) -> None:
        self.generator, self.schema, self._values = generator, schema, values
        self._columns: dict[str, _Column] = {}
        if isinstance(generator, Generator):
            names = [*generator.key.fields, *(part.field for part in generator.parts)]
            self._columns = {name: _column(schema, name) for name in names}

    def keys(self, root: V, first_row: int = 0) -> KeyStrings[V]:
        """The keys of rows of the schema. `first_row` is the number of the first, which keys that are made up count from.

        Raises `RowError` for a row without a key.
        """
        if isinstance(self.generator, Generator):
            return KeyStrings(
                self._record_key(self.generator.for_keys, root, first_row), self._path(self.generator, root)
            )
        return self._own(self.generator, root)

    def key(self, row: V, row_number: int = 0) -> HoodieKey:
        """The key of one row, for engines whose column is the value of one row."""
        keys: KeyStrings[Any] = self.keys(row, row_number)
        return HoodieKey(keys.record_key, keys.partition_path)

    def refuse_default_texts(self, root: V) -> None:
        """Raises `RowError` for a row with a text that stands for null in partition paths: it would be read as null. Rule
        WRITE-1680."""
        parts = self.generator.parts if isinstance(self.generator, Generator) else ()
        for part in parts:
            if isinstance(part, TimePart) or not self._is_text(part.field):
                continue
            text = self._at(root, self._columns[part.field].positions)
            taken = self._values.matches(text, (HIVE_DEFAULT,))
            expected = f"null, or another value of the partition column {part.field}"
            self._values.refuse(text, taken, expected, f"{HIVE_DEFAULT!r}, which is read as null")

    def _record_key(self, generator: Generator, root: V, first_row: int) -> V:
        values = self._values
        match generator.key:
            case BareKey(field):
                string = self._text(generator, root, field)
                missing = values.some([values.is_null(string), values.matches(string, _EMPTY_TEXT)], root)
                return values.refuse(
                    values.join([string]), missing, f"a record key in {field}", "null or an empty text"
                )
            case CompositeKey(fields, all_required):
                return self._composite(generator, root, fields, all_required)
            case AutoKey(instant, task):
                return values.number_rows(root, first_row, f"{instant}_{task}_")
            case _:
                assert_never(generator.key)

    def _composite(self, generator: Generator, root: V, fields: tuple[str, ...], all_required: bool) -> V:
        values = self._values
        parts: list[str | V] = []
        missing = []
        for position, field in enumerate(fields):
            string = self._text(generator, root, field)
            null, empty = values.is_null(string), values.matches(string, _EMPTY_TEXT)
            shown = values.replace(values.replace(string, empty, EMPTY, TEXT), null, NULL, TEXT)
            parts += [f"{',' if position else ''}{field}:", shown]
            missing.append(values.some([null, empty], root))
        key = values.join(parts)
        if generator.writer is WritePath.AVRO:
            key = self._with_parents(key, root, fields)
        refused = values.some(missing, root) if all_required else values.every(missing, root)
        which = "each of" if all_required else "one of"
        return values.refuse(key, refused, f"a record key in {which} {', '.join(fields)}", "null or an empty text")

    def _with_parents(self, key: V, root: V, fields: tuple[str, ...]) -> V:
        """Avro's path takes a key field below a null record for one that does not exist."""
        for field in fields:
            parents = self._columns[field].positions[:-1]
            if parents:
                lacking = self._values.is_null(self._at(root, parents))
                key = self._values.refuse(key, lacking, f"a record around the key field {field}", "null")
        return key

    def _path(self, generator: Generator, root: V) -> V:
        values = self._values
        if not generator.parts:
            return values.literal("", TEXT, root)
        shown = [self._part(generator, part, root) for part in generator.parts]
        pieces: list[str | V] = []
        for position, (prefix, string) in enumerate(shown):
            before = f"{'/' if position else ''}{prefix}"
            pieces += [before, string] if before else [string]
        path = values.join(pieces)
        if all(isinstance(part, TimePart) or not self._is_text(part.field) for part in generator.parts):
            return path
        upwards = values.some([values.matches(path, pattern) for pattern in _UPWARDS], root)
        return values.refuse(path, upwards, "a partition path below the table", "a step `..` in it")

    def _part(self, generator: Generator, part: PathPart, root: V) -> tuple[str, V]:
        """What comes before the string of a part, and the string."""
        values, style = self._values, generator.style
        prefix = f"{part.field}=" if style.hive else ""
        if isinstance(part, TimePart):
            column = self._columns[part.field]
            string = time_text(values, self._at(root, column.positions), column.type, part, generator, root)
            string = values.map(string, escape, TEXT, TEXT) if style.escaped else string
            return prefix, string
        string = self._text(generator, root, part.field)
        missing = values.some([values.is_null(string), values.matches(string, _EMPTY_TEXT)], root)
        slashed = style.slashes and _takes_slashes(generator)
        if style.escaped and not (slashed and generator.writer is not WritePath.AVRO):
            string = values.map(string, escape, TEXT, TEXT)
        if slashed:
            string, prefix = values.map(string, slash_date, TEXT, TEXT), slash_date(prefix)
        return prefix, values.replace(string, missing, HIVE_DEFAULT, TEXT)

    def _is_text(self, field: str) -> bool:
        return isinstance(self._columns[field].type, t.String | t.Enumeration)

    def _text(self, generator: Generator, root: V, field: str) -> V:
        column = self._columns[field]
        return key_text(self._values, self._at(root, column.positions), column.type, field, generator)

    def _at(self, root: V, positions: tuple[int, ...]) -> V:
        for position in positions:
            root = self._values.field(root, position)
        return root

    def _own(self, generator: UserGenerator, root: V) -> KeyStrings[V]:
        record, names = self.schema.record, tuple(field.name for field in self.schema.fields)
        key = self._values.map(root, _OwnText(generator.record_key, names, "record_key"), record, TEXT)
        path = self._values.map(root, _OwnText(generator.partition_path, names, "partition_path"), record, TEXT)
        empty = self._values.matches(key, _EMPTY_TEXT)
        return KeyStrings(self._values.refuse(key, empty, "a record key", "an empty text"), path)


def slash_date(string: str) -> str:
    """`2024-03-01` as `2024/03/01`: every dash, unless a part would be no name of a folder. KEY-710."""
    return string if _OUT.intersection(string.split("-")) else string.replace("-", "/")


def _takes_slashes(generator: Generator) -> bool:
    """Where dates with slashes are wanted, and a part gets them. Rule KEY-12."""
    if generator.writer is WritePath.AVRO:
        return len(generator.parts) == 1 or generator.kind is Kind.CUSTOM
    return not generator.style.hive


def _column(schema: Schema, name: str) -> _Column:
    place = schema.get(name)
    if place.repeated:
        raise SchemaError(name, expected="a field with one value in each row", found="a field inside an array or a map")
    if isinstance(place.field.type, t.Nested):
        raise no_string(name, place.field.type)
    return _Column(name, place.positions, place.field.type)


@dataclass(frozen=True, slots=True)
class _OwnText:
    """A method of a user's generator, put to rows as mappings."""

    method: Callable[[Mapping[str, object]], str]
    names: tuple[str, ...]
    called: str

    def __call__(self, row: tuple[object, ...]) -> str:
        try:
            result = self.method(dict(zip(self.names, row, strict=True)))
        except Exception as problem:  # of code that is not ours: any
            raise UsageError(
                f"key generator's {self.called}", expected="a text", found=f"{type(problem).__name__}: {problem}"
            ) from problem
        if not isinstance(result, str):
            raise UsageError(f"key generator's {self.called}", expected="a text", found=repr(result)[:80])
        return result
