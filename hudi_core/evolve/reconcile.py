"""File schema × wanted schema → read plan: for every wanted field where it is stored and how it is read, or what stands for it.

Fields are matched by id where both schemas come from one history, which survives renames, swaps and columns that were
dropped and added again; by name where there is none. A plan is made once for each pair of schemas and run on every batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from hudi_core.errors import SchemaError
from hudi_core.evolve.fields import brief
from hudi_core.schema.schema import ColumnPlace, Path, Schema
from hudi_core.types.nodes import (
    ABSENT,
    Array,
    Field,
    Map,
    Nested,
    Primitive,
    Record,
    RecordKind,
    Timestamp,
    Type,
    Union,
)
from hudi_core.types.promote import CastKind, Promotion, is_mislabelled, promotion


class Match(Enum):
    """How a stored field is found for a wanted one."""

    ID = "by column id"
    NAME = "by name, else by an alias of the wanted field"
    NAME_ANY_CASE = "by name, else by an alias, else by name in any case of letters"


@dataclass(frozen=True, slots=True)
class AsStored:
    """The stored value is the wanted one: the types differ at most in ids, nullability, docs and defaults."""


@dataclass(frozen=True, slots=True)
class Convert:
    """A stored value of a primitive type, cast as `values.cast` does."""

    from_: Primitive
    to: Primitive
    promotion: Promotion


@dataclass(frozen=True, slots=True)
class Relabel:
    """Stored times under the label of another unit: their numbers count the wanted one. Rule RECON-260."""

    from_: Timestamp
    to: Timestamp


@dataclass(frozen=True, slots=True)
class ReadRecord:
    """A stored record, field by field as `wanted` has them. `stored` is the number of stored fields."""

    wanted: Record
    fields: tuple[Source, ...]
    stored: int

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the stored fields that are needed, in their stored order."""
        return tuple(sorted(source.position for source in self.fields if isinstance(source, Keep)))

    @property
    def as_stored(self) -> bool:
        """Whether the stored record has exactly the wanted fields in the wanted order."""
        return len(self.fields) == self.stored and all(
            isinstance(source, Keep) and source.position == position and isinstance(source.reading, AsStored)
            for position, source in enumerate(self.fields)
        )


@dataclass(frozen=True, slots=True)
class ReadArray:
    """A stored list, each element read again."""

    wanted: Array
    element: Reading


@dataclass(frozen=True, slots=True)
class ReadMap:
    """A stored map, each value read again; keys are text and stay."""

    wanted: Map
    value: Reading


@dataclass(frozen=True, slots=True)
class ReadUnion:
    """A stored union: for each stored branch the wanted branch and the reading of its values."""

    wanted: Union
    branches: tuple[tuple[int, Reading], ...]


@dataclass(frozen=True, slots=True)
class IntoUnion:
    """A stored value that becomes one of a wanted union's branch."""

    wanted: Union
    branch: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class OutOfUnion:
    """A stored union of which every branch can be read as the wanted type, which is no union."""

    branches: tuple[Reading, ...]


Reading = AsStored | Convert | Relabel | ReadRecord | ReadArray | ReadMap | ReadUnion | IntoUnion | OutOfUnion


@dataclass(frozen=True, slots=True)
class Keep:
    """The wanted field is stored at this position of the record."""

    position: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Default:
    """The wanted field is not stored; every row has its default."""

    value: object


@dataclass(frozen=True, slots=True)
class Null:
    """The wanted field is not stored and has no default; every row has null."""


Source = Keep | Default | Null


@dataclass(frozen=True, slots=True)
class Stored:
    """A column in a file: its place there (names, positions, stored type), and the promotion to the wanted type.

    `promotion` is None for a nested type, and where stored values cannot be read as the wanted type.
    """

    place: ColumnPlace
    promotion: Promotion | None


@dataclass(frozen=True, slots=True)
class Absent:
    """A column that a file does not have: all its rows have `value`, None for null. With `or_null` those have null in which a
    record around it is null."""

    value: object
    or_null: bool = False


_AS_STORED: Final = AsStored()
_NULL: Final = Null()


def reconcile(
    file: Schema,
    wanted: Schema,
    match: Match = Match.ID,
    *,
    nulls_for_required: bool = False,
    relabels: bool = True,
) -> ReadRecord:
    """How rows of a file become rows of the wanted schema.

    A wanted field that is not stored gets its default, else null when it is optional. One that is neither is refused,
    unless `nulls_for_required`: Apache Hudi's own readers give null. With `relabels` the file is one of a table, whose labels of
    times may be wrong (RECON-260). Raises `SchemaError` with the path and both types
    where stored values cannot be read as the wanted type.
    """
    return _Planner(match, nulls_for_required, relabels).record(file.record, wanted.record, ())


def find_stored_column(file: Schema, wanted: Schema, column_id: int, match: Match = Match.ID) -> Stored | Absent:
    """Where a column of the wanted schema is stored in a file, or what stands for it in all rows.

    The way from a query's column to the statistics of a file written under another schema version. Below a record that is
    absent, a column has its part of the record's default; below an absent array or map it has no values, which is null.
    Raises `UnknownColumnError` for an id that the wanted schema does not have.
    """
    want = wanted.place(column_id)
    column: ColumnPlace | None = None
    for depth in range(1, len(want.path) + 1):
        step = wanted.places[wanted.ids[want.path[:depth]]]
        column = _step(file, column.path if column else (), step.field, match)
        if column is None:
            value = _part(step.field, want.positions[depth:])
            return Absent(value, or_null=depth > 1 and value is not None)
    assert column is not None
    data_type, to = column.field.type, want.field.type
    primitive = not isinstance(data_type, Nested) and not isinstance(to, Nested)
    return Stored(column, promotion(data_type, to) if primitive else None)


def _step(file: Schema, parent: Path, wanted: Field, match: Match) -> ColumnPlace | None:
    """The place of a wanted field in the file, below the place that its parent was found at."""
    if match is Match.ID:
        return file.places.get(wanted.id)
    step = next((place for name in (wanted.name, *wanted.aliases) if (place := file.find((*parent, name)))), None)
    if step is None and match is Match.NAME_ANY_CASE:
        step = file.find((*parent, wanted.name), case_sensitive=False)
    return step


def _part(absent: Field, positions: tuple[int, ...]) -> object:
    """The value of all rows at a place below a field that is absent."""
    value = None if absent.default is ABSENT else absent.default
    data_type = absent.type
    for position in positions:
        if value is None or not isinstance(data_type, Record) or not isinstance(value, tuple):
            return None
        value, data_type = value[position], data_type.fields[position].type
    return value


class _Planner:
    """One making of a plan."""

    def __init__(self, match: Match, nulls_for_required: bool, relabels: bool) -> None:
        self._match = match
        self._nulls_for_required = nulls_for_required
        self._relabels = relabels

    def record(self, stored: Record, wanted: Record, path: Path) -> ReadRecord:
        find = self._finder(stored, wanted)
        fields = tuple(self._source(find(field), field, (*path, field.name)) for field in wanted.fields)
        return ReadRecord(wanted, fields, len(stored.fields))

    def _source(self, match: tuple[int, Field] | None, wanted: Field, path: Path) -> Source:
        if match is not None:
            position, stored = match
            return Keep(position, self._reading(stored.type, wanted.type, path))
        if wanted.default is not ABSENT and wanted.default is not None:
            return Default(wanted.default)
        if wanted.optional or self._nulls_for_required:
            return _NULL
        raise SchemaError(
            ".".join(path), expected="a stored column, a default or an optional column", found="none of them"
        )

    def _reading(self, stored: Type, wanted: Type, path: Path) -> Reading:
        if stored is wanted:
            return _AS_STORED
        match stored, wanted:
            case Record(), Record():
                plan = self.record(stored, wanted, path)
                return _AS_STORED if plan.as_stored and _same_names(stored, wanted) else plan
            case Array(element=had), Array(element=want):
                element = self._reading(had.type, want.type, (*path, want.name))
                return element if element is _AS_STORED else ReadArray(wanted, element)
            case Map(value=had), Map(value=want):
                value = self._reading(had.type, want.type, (*path, want.name))
                return value if value is _AS_STORED else ReadMap(wanted, value)
            case Union(), Union():
                return self._union(stored, wanted, path)
            case _, Union():
                return IntoUnion(wanted, *self._branch(stored, wanted, path))
            case Union(branches), _:
                return OutOfUnion(tuple(self._reading(branch.type, wanted, path) for branch in branches))
            case Timestamp(), Timestamp() if self._relabels and is_mislabelled(stored, wanted):
                return Relabel(stored, wanted)
            case _:
                return _primitive(stored, wanted, path)

    def _union(self, stored: Union, wanted: Union, path: Path) -> Reading:
        branches = tuple(self._branch(branch.type, wanted, path) for branch in stored.branches)
        is_same = len(stored.branches) == len(wanted.branches) and all(
            position == branch and reading is _AS_STORED for position, (branch, reading) in enumerate(branches)
        )
        return _AS_STORED if is_same else ReadUnion(wanted, branches)

    def _branch(self, stored: Type, wanted: Union, path: Path) -> tuple[int, Reading]:
        """The branch of the wanted union for a stored type: one of the very type, else the first it can be read as, text last."""
        candidates: list[tuple[int, int, Reading]] = []
        for position, branch in enumerate(wanted.branches):
            try:
                reading = self._reading(stored, branch.type, (*path, branch.name))
            except SchemaError:
                continue
            candidates.append((_distance(reading), position, reading))
        if not candidates:
            raise _unreadable(stored, wanted, path)
        _, position, reading = min(candidates, key=lambda candidate: candidate[:2])
        return position, reading

    def _finder(self, stored: Record, wanted: Record) -> Callable[[Field], tuple[int, Field] | None]:
        disguised = stored.kind is not RecordKind.PLAIN or wanted.kind is not RecordKind.PLAIN
        if self._match is Match.ID and not disguised:
            by_id = {field.id: (position, field) for position, field in enumerate(stored.fields)}
            return lambda field: by_id.get(field.id)
        by_name = {field.name: (position, field) for position, field in enumerate(stored.fields)}
        if self._match is not Match.NAME_ANY_CASE or disguised:
            return lambda field: _find_named(field, by_name)
        folded: dict[str, list[str]] = {}
        for name in by_name:
            folded.setdefault(name.lower(), []).append(name)
        return lambda field: _find_named(field, by_name) or _find_named_any_case(field, by_name, folded)


_ByName = Mapping[str, tuple[int, Field]]


def _find_named(wanted: Field, stored: _ByName) -> tuple[int, Field] | None:
    position = stored.get(wanted.name)
    if position is None and wanted.aliases:
        position = next((stored[alias] for alias in wanted.aliases if alias in stored), None)
    return position


def _find_named_any_case(wanted: Field, stored: _ByName, folded: Mapping[str, list[str]]) -> tuple[int, Field] | None:
    names = folded.get(wanted.name.lower(), [])
    if len(names) > 1:
        raise SchemaError(
            wanted.name, expected="one stored column", found=f"several that differ by case: {', '.join(names)}"
        )
    return stored[names[0]] if names else None


def _distance(reading: Reading) -> int:
    match reading:
        case AsStored():
            return 0
        case Convert(promotion=Promotion(cast=CastKind.TO_TEXT)):
            return 2
        case _:
            return 1


def _primitive(stored: Type, wanted: Type, path: Path) -> Reading:
    if isinstance(stored, Nested) or isinstance(wanted, Nested):
        raise _unreadable(stored, wanted, path)
    if type(stored) is type(wanted) and stored == wanted:
        return _AS_STORED
    rule = promotion(stored, wanted)
    if rule is None:
        raise _unreadable(stored, wanted, path)
    return Convert(stored, wanted, rule)


def _same_names(stored: Record, wanted: Record) -> bool:
    return all(had.name == want.name for had, want in zip(stored.fields, wanted.fields, strict=True))


def _unreadable(stored: Type, wanted: Type, path: Path) -> SchemaError:
    return SchemaError(
        ".".join(path), expected=f"stored values that can be read as {brief(wanted)}", found=brief(stored)
    )
