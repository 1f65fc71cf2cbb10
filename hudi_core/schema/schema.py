"""`Schema`: a record type whose fields have column ids, with lookups by id, by name path and by position."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from hudi_core.arguments import AnswersOtherWords
from hudi_core.errors import SchemaError, UnknownColumnError, UsageError, describe, list_names
from hudi_core.notebook import html_table, show_briefly
from hudi_core.portable import Portable
from hudi_core.types.nodes import NESTED, Array, Field, Map, Record, Type, children
from hudi_core.types.text import text as type_text

_SHOWN: Final = 4
"""Columns that `repr` shows."""

Path = tuple[str, ...]

MAX_DEPTH: Final = 100
"""Levels of nesting that any schema text may have; deeper ones are refused before they exhaust the stack."""


@show_briefly
@dataclass(frozen=True, slots=True)
class ColumnPlace:
    """Where a field is in a schema: names and positions from the root, and whether any ancestor or itself is optional."""

    field: Field
    path: Path
    positions: tuple[int, ...]
    optional: bool
    repeated: bool
    """Below an array or a map: one row holds any number of these values."""

    @property
    def name(self) -> str:
        """The dotted path, as evolution and InternalSchema write it (`a.b`, `list.element`, `m.value`)."""
        return ".".join(self.path)


@dataclass(frozen=True)
class Schema(Portable, AnswersOtherWords):
    """A table's, file's or query's schema. Column ids are unique at all depths, and never given twice in a table's life.

    It is a mapping of the names of its columns to their fields: `"fare" in schema`, `schema["fare"].type`, `len(schema)`,
    `list(schema)`. A path (`a.b`, `list.element`) finds a field inside a column. `find` and `get` also return where a field
    stands.

    `version` is the instant (as a number) of the commit that made it; 0 when unknown. `max_column_id` is the greatest id
    that was ever given, also to columns that are no longer there. Raises `SchemaError` when two fields share an id, or two
    fields of a record share a name.
    """

    record: Record
    version: int = 0
    max_column_id: int = -1
    key_ids: tuple[int, ...] = field(default=(), compare=False)
    """The columns of the record key. Two schemas are equal by their columns, whatever their keys are."""
    partition_ids: tuple[int, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        ids = _column_ids(self.record, ())
        if len(set(ids)) != len(ids):
            _ = self.places  # raises for columns that share an id
        greatest = max(ids, default=-1)
        if self.max_column_id < greatest:
            object.__setattr__(self, "max_column_id", greatest)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        """A few lines: the first columns with their types, and how many there are. Hudi's own columns come last."""
        ordered = sorted(self.fields, key=lambda field: field.name.startswith("_hoodie_"))
        shown = [f"  {field.name}: {type_text(field.type)}" for field in ordered[:_SHOWN]]
        more = [f"  and {len(self.fields) - _SHOWN} more"] if len(self.fields) > _SHOWN else []
        version = f", version {self.version}" if self.version else ""
        keys = f", key {', '.join(self.record_keys)}" if self.record_keys else ""
        partitions = f", partitioned by {', '.join(self.partition_keys)}" if self.partition_keys else ""
        return "\n".join([f"Schema of {len(self.fields)} columns{version}{keys}{partitions}", *shown, *more])

    def _repr_html_(self) -> str:
        """A notebook's table of all columns."""
        rows = ((field.id, field.name, type_text(field.type)) for field in self.fields)
        return html_table(rows, ("id", "column", "type"))

    @cached_property
    def _hash(self) -> int:
        return hash((self.record, self.version, self.max_column_id))

    @cached_property
    def places(self) -> dict[int, ColumnPlace]:
        """Every field at every depth by column id, parents before children."""
        places: dict[int, ColumnPlace] = {}
        for place in _places(self.record, (), (), False, False):
            if place.field.id in places:
                other = places[place.field.id].name
                raise SchemaError(
                    place.name, expected="a column id of its own", found=f"{place.field.id}, the id of {other}"
                )
            places[place.field.id] = place
        return places

    @cached_property
    def ids(self) -> dict[Path, int]:
        """Column id by path of names."""
        ids: dict[Path, int] = {}
        for column_id, place in self.places.items():
            ids[place.path] = column_id
        return ids

    @cached_property
    def _by_text(self) -> dict[str, ColumnPlace]:
        """Every field by its dotted path; where dots in names make two paths one, the deeper field."""
        by_name: dict[str, ColumnPlace] = {}
        for place in self.places.values():
            other = by_name.setdefault(place.name, place)
            if len(other.path) < len(place.path):
                by_name[place.name] = place
        return by_name

    @cached_property
    def _ids_lower(self) -> dict[Path, tuple[int, ...]]:
        ids: dict[Path, tuple[int, ...]] = {}
        for path, column_id in self.ids.items():
            key = tuple(part.lower() for part in path)
            ids[key] = (*ids.get(key, ()), column_id)
        return ids

    @property
    def fields(self) -> tuple[Field, ...]:
        """The top-level fields."""
        return self.record.fields

    @property
    def record_keys(self) -> tuple[str, ...]:
        """The columns of the record key, by dotted name. A renamed column is still one of them, a dropped one is not."""
        return tuple(self.places[column_id].name for column_id in self.key_ids if column_id in self.places)

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """The columns that the partition path is made of, by dotted name."""
        return tuple(self.places[column_id].name for column_id in self.partition_ids if column_id in self.places)

    def with_keys(
        self, record_keys: str | Iterable[str] | None = None, partition_keys: str | Iterable[str] | None = None
    ) -> Schema:
        """The schema with these columns as its keys; None leaves them as they are.

        Raises `UnknownColumnError` for a column that the schema does not have.
        """
        return replace(
            self,
            key_ids=self.key_ids if record_keys is None else self._ids_of(record_keys),
            partition_ids=self.partition_ids if partition_keys is None else self._ids_of(partition_keys),
        )

    def _ids_of(self, names: str | Iterable[str]) -> tuple[int, ...]:
        listed_names = [names] if isinstance(names, str) else names
        return tuple(dict.fromkeys(self.get(_as_path(name)).field.id for name in listed_names))

    def place(self, column_id: int) -> ColumnPlace:
        """The place of a column id. Raises `UnknownColumnError`."""
        place = self.places.get(column_id)
        if place is None:
            raise UnknownColumnError(f"column id {column_id}", message="not in the schema")
        return place

    def find(self, path: Path | str, *, case_sensitive: bool = True) -> ColumnPlace | None:
        """The place of a name path (a dotted text or a tuple of names), or None.

        A text is split at its dots. A column with a dot in its own name is found too, unless a nested field has that path.
        Without case sensitivity an exact match wins; several inexact ones raise `UnknownColumnError`.
        """
        if isinstance(path, str):
            place = self._by_text.get(path)
        else:
            column_id = self.ids.get(path)
            place = None if column_id is None else self.places[column_id]
        if place is not None or case_sensitive:
            return place
        names = tuple(path.split(".")) if isinstance(path, str) else path
        matches = self._ids_lower.get(tuple(part.lower() for part in names), ())
        if len(matches) > 1:
            listed = ", ".join(self.places[match].name for match in matches)
            raise UnknownColumnError(
                ".".join(names), expected="one column", found=f"several that differ by case: {listed}"
            )
        return self.places[matches[0]] if matches else None

    def list_spellings(self, path: Path) -> list[Path]:
        """The paths of columns that differ from this one at most in their letters' case."""
        matches = self._ids_lower.get(tuple(part.lower() for part in path), ())
        return [self.places[match].path for match in matches]

    def get(self, path: Path | str, *, case_sensitive: bool = True) -> ColumnPlace:
        """Like `find`, but raises `UnknownColumnError` that names the columns that come close."""
        place = self.find(path, case_sensitive=case_sensitive)
        if place is None:
            name = path if isinstance(path, str) else ".".join(path)
            raise UnknownColumnError(
                name if name.strip() else repr(name), message=f"no such column{self.suggestion(name)}"
            )
        return place

    def suggestion(self, name: str) -> str:
        """`; did you mean ...?` with up to three names that come close, or the columns there are."""
        names = [place.name for place in self.places.values()]
        lowered = {candidate.lower(): candidate for candidate in names}
        last = name.lower().rpartition(".")[2]  # as with the name of the table before it
        if last != name.lower() and last in lowered:
            return f"; did you mean {lowered[last]}?"
        close = difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)
        if close:
            return f"; did you mean {' or '.join(lowered[match] for match in close)}?"
        top = [candidate.name for candidate in self.fields if not candidate.name.startswith("_hoodie_")]
        return f"; columns are {list_names(top)}" if top else ""

    @property
    def names(self) -> list[str]:
        """The names of the top-level fields, in order."""
        return [field.name for field in self.fields]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, path: object) -> bool:
        return self.find(_as_path(path)) is not None

    def __getitem__(self, path: Path | str) -> Field:
        """The field of a name path. Raises `UnknownColumnError`, a `KeyError`."""
        return self.get(_as_path(path)).field

    def keys(self) -> list[str]:
        """As `names`; it lets `dict(schema)` be made."""
        return self.names

    def values(self) -> tuple[Field, ...]:
        """As `fields`."""
        return self.fields

    def items(self) -> list[tuple[str, Field]]:
        """The top-level fields with their names, in order."""
        return [(field.name, field) for field in self.fields]


def _as_path(path: object) -> Path | str:
    if isinstance(path, str) or (isinstance(path, tuple) and all(isinstance(part, str) for part in path)):
        return path
    raise UsageError("schema", expected="the name of a column, or a path as a tuple of names", found=describe(path))


def schema_at_place(where: str, record: Record, version: int = 0, max_column_id: int = -1) -> Schema:
    """The schema; errors name the place where the schema comes from before the column."""
    try:
        return Schema(record, version, max_column_id)
    except SchemaError as error:
        place = f"{where}: {error.where}"
        raise SchemaError(place, expected=error.expected, found=error.found, message=error.message) from None


def _column_ids(type: Type, path: Path) -> list[int]:
    """All column ids in a type. Raises `SchemaError` when two fields of a record share a name."""
    fields = children(type)
    if len({field.name for field in fields}) != len(fields):
        names = Counter(field.name for field in fields)
        twice = next(name for name, times in names.items() if times > 1)
        raise SchemaError(
            ".".join((*path, twice)), expected="each name once in a record", found="two fields of this name"
        )
    ids = [field.id for field in fields]
    for inner in fields:
        if isinstance(inner.type, NESTED):
            ids += _column_ids(inner.type, (*path, inner.name))
    return ids


def _places(
    type: Type, path: Path, positions: tuple[int, ...], optional: bool, repeated: bool
) -> Iterator[ColumnPlace]:
    inside = repeated or isinstance(type, Array | Map)
    for position, child in enumerate(children(type)):
        place = ColumnPlace(child, (*path, child.name), (*positions, position), optional or child.optional, inside)
        yield place
        if isinstance(child.type, NESTED):
            yield from _places(child.type, place.path, place.positions, place.optional, inside)
