"""The changes between two versions of a schema, column by column, by id.

And what a change makes of the columns that a table's properties name. Rule CHANGE-10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hudi_core.evolve.fields import brief
from hudi_core.schema.schema import ColumnPlace, Schema
from hudi_core.types.nodes import ABSENT, Decimal, Fixed, Nested, Type, Uuid, children


@dataclass(frozen=True, slots=True)
class Difference:
    """One column that is not what it was. `before` and `after` are its dotted names, None where it is not there."""

    before: str | None
    after: str | None
    what: str

    def __str__(self) -> str:
        return f"{self.after or self.before}: {self.what}"


def differences(before: Schema, after: Schema) -> tuple[Difference, ...]:
    """The changes: dropped columns in their old order, then columns new or changed in their new order.

    Only the top of what is new or gone as a whole is reported. Columns below one that was renamed are not renamed themselves.
    """
    return (*_find_dropped(before, after), *_new_or_changed(before, after))


def _find_dropped(before: Schema, after: Schema) -> Iterator[Difference]:
    for column_id, place in before.places.items():
        if column_id not in after.places and _has_parent(before, place, after):
            yield Difference(place.name, None, f"dropped, was {brief(place.field.type)}")


def _new_or_changed(before: Schema, after: Schema) -> Iterator[Difference]:
    moved = _find_moved(before, after)
    for column_id, place in after.places.items():
        was = before.places.get(column_id)
        if was is None:
            if _has_parent(after, place, before):
                yield Difference(None, place.name, f"added as {brief(place.field.type)}")
        else:
            for attribute in _changes(was, place, column_id in moved):
                yield Difference(was.name, place.name, attribute)


def _has_parent(schema: Schema, place: ColumnPlace, other: Schema) -> bool:
    return len(place.path) == 1 or schema.ids[place.path[:-1]] in other.places


def _changes(was: ColumnPlace, now: ColumnPlace, moved: bool) -> Iterator[str]:
    old, new = was.field, now.field
    if old.name != new.name:
        yield f"renamed from {old.name}"
    if moved:
        yield f"moved from place {was.positions[-1] + 1} to {now.positions[-1] + 1}"
    if type(old.type) is not type(new.type) or (
        not isinstance(new.type, Nested) and _drop_name(old.type) != _drop_name(new.type)
    ):
        was_type, now_type = brief(old.type), brief(new.type)
        # A type can differ in what its short text leaves out, such as the bytes that a decimal is stored in.
        yield f"type changed from {was_type} to {now_type}" if was_type != now_type else f"other form of {now_type}"
    if old.optional != new.optional:
        yield "null allowed" if new.optional else "null forbidden"
    if old.doc != new.doc:
        yield "comment dropped" if new.doc is None else f"comment {new.doc!r}"
    if (old.default is ABSENT) != (new.default is ABSENT) or old.default != new.default:
        yield "default dropped" if new.default is ABSENT else f"default {new.default!r}"


def _drop_name(data_type: Type) -> Type:
    """The type without the Avro name of its bytes, which persisted schemas leave out."""
    if isinstance(data_type, Fixed):
        return Fixed(data_type.size)
    if isinstance(data_type, Decimal | Uuid) and data_type.fixed is not None:
        return replace(data_type, fixed=Fixed(data_type.fixed.size))
    return data_type


def _find_moved(before: Schema, after: Schema) -> set[int]:
    """Columns whose order among the ones that stayed in their record changed: those outside the longest run in order."""
    moved_ids: set[int] = set()
    for column_id, place in [(None, None), *after.places.items()]:
        data_type = after.record if place is None else place.field.type
        old = (
            before.record
            if column_id is None
            else before.places[column_id].field.type
            if column_id in before.places
            else None
        )
        if old is None or not isinstance(data_type, Nested):
            continue
        order = {field.id: position for position, field in enumerate(children(old))}
        stayed = [field.id for field in children(data_type) if field.id in order]
        moved_ids |= set(stayed) - _longest_in_order(stayed, order)
    return moved_ids


def _longest_in_order(ids: list[int], order: dict[int, int]) -> set[int]:
    """The members of a longest increasing subsequence (patience sorting)."""
    tails: list[int] = []
    behind: dict[int, int | None] = {}
    for column_id in ids:
        start, stop = 0, len(tails)
        while start < stop:
            middle = (start + stop) // 2
            start, stop = (middle + 1, stop) if order[tails[middle]] < order[column_id] else (start, middle)
        behind[column_id] = tails[start - 1] if start else None
        tails[start : start + 1] = [column_id]
    in_order: set[int] = set()
    last = tails[-1] if tails else None
    while last is not None:
        in_order.add(last)
        last = behind[last]
    return in_order


def find_lost_names(before: Schema, after: Schema, named: Mapping[str, Sequence[str]]) -> list[str]:
    """A sentence for each column that properties name and that is dropped or renamed; `named` has columns by property.

    Ids identify columns, so that a column inside one that is renamed counts too.
    """
    lost = []
    for key, columns in named.items():
        for column in columns:
            place = before.find(column)
            if place is None:
                continue
            left = after.places.get(place.field.id)
            if left is None or left.name != place.name:
                became = "dropped" if left is None else f"renamed to {left.name}"
                lost.append(f"{column} is {became}, and {key} names it: the property has to change with the schema")
    return lost
