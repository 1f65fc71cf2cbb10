"""What a schema change makes of the columns that keys, partition paths, the order of records and marks of deletes come from.

Rules: CHANGE-10, CHANGE-1540, CHANGE-1542.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias

from hudi_core.engine import Storage
from hudi_core.errors import UnsupportedError
from hudi_core.evolve.diff import find_lost_names
from hudi_core.evolve.fields import brief
from hudi_core.keys.strings import keeps_key_text
from hudi_core.merge.rules import merge_rules
from hudi_core.options import KeyGeneratorType as Kind
from hudi_core.options import TableConfig, TableType
from hudi_core.reading.merge_columns import IS_DELETED
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice
from hudi_core.types import nodes as t
from hudi_core.types.promote import CastLoss, promotion

_BY_VALUE: Final = (Kind.SIMPLE, Kind.COMPLEX, Kind.NON_PARTITION, Kind.GLOBAL_DELETE)
"""Generators that make a partition path of the strings of values; others examine the type too."""

_Keeps: TypeAlias = Callable[[t.Type, t.Type], bool]
"""Whether values of a type stay, under another one, what keys, paths or the order of records are made of."""


class ChangedTable(Protocol):
    """A table as it is before the change."""

    @property
    def config(self) -> TableConfig: ...
    @property
    def storage(self) -> Storage: ...
    @property
    def schema(self) -> Schema: ...
    def slices(self) -> Sequence[FileSlice]: ...


def find_effects(table: ChangedTable, after: Schema) -> list[str]:
    """A sentence for each column that the table's properties name and that a change of the schema drops or renames, or gives a
    type under which stored rows would have other keys or partition paths, or records another order; and for each column by which
    other rows would be deleted."""
    lost = find_lost_names(table.schema, after, table.config.named_columns)
    return [*lost, *_find_other_values(table, after), *_find_other_deletes(table, after)]


def refuse_effects(table: ChangedTable, after: Schema) -> None:
    """Raises `UnsupportedError` for the first of `find_effects`."""
    effects = find_effects(table, after)
    if effects:
        expected = "changes that keep the columns that the table's properties name, and what stored rows have there"
        raise UnsupportedError(table.storage.uri, expected=expected, found=effects[0])


def _find_other_values(table: ChangedTable, after: Schema) -> Iterator[str]:
    config, before = table.config, table.schema
    effects: dict[str, tuple[_Keeps, str]] = {
        "hoodie.table.recordkey.fields": (keeps_key_text, "stored rows would have other keys"),
        "hoodie.table.partition.fields": (partial(_keeps_path, config), "stored rows would have other partition paths"),
        "hoodie.table.ordering.fields": (_keeps_order, "records of one key could change their order"),
    }
    for key, columns in config.named_columns.items():
        keeps, became = effects[key]
        for column in columns:
            place = before.find(column)
            left = None if place is None else after.places.get(place.field.id)
            if place is None or left is None or place.field.type == left.field.type:
                continue
            had, has = place.field.type, left.field.type
            if not keeps(had, has):
                yield f"{column} changes from {brief(had)} to {brief(has)}, and {key} names it: {became}"


def _find_other_deletes(table: ChangedTable, after: Schema) -> Iterator[str]:
    before, marks = table.schema, after.find((IS_DELETED,))
    if marks is not None and marks.field.id not in before.places:
        if not isinstance(marks.field.type, t.Boolean):
            yield f"{IS_DELETED} is a {brief(marks.field.type)}, and marks of deletes are booleans"
        elif marks.field.default is True:
            yield f"{IS_DELETED} has the default true: all rows of log files would be deleted"
    if table.config.type is not TableType.MERGE_ON_READ:
        return
    if marks is not None and before.places.get(marks.field.id, marks).path != marks.path:
        renamed = before.places[marks.field.id].name
        yield f"{renamed} is renamed to {IS_DELETED}: rows of log files that have true there would be deleted"
    for name, keeps in _list_merged_by(table):
        place = before.find(name)
        left = None if place is None else after.places.get(place.field.id)
        if place is None or (left and left.path == place.path and keeps(place.field.type, left.field.type)):
            continue
        if any(file_slice.logs for file_slice in table.slices()):
            became = "is dropped" if left is None else f"changes to {left.name} of {brief(left.field.type)}"
            yield f"{name} {became}, and rows of log files are merged by it: a compaction has to come first"


def _list_merged_by(table: ChangedTable) -> Iterator[tuple[str, _Keeps]]:
    """The columns by which rows of log files are merged beside those that properties name, and whether a type keeps what they
    say. Where records are merged by code of users, log files are not read here."""
    yield IS_DELETED, keeps_key_text
    try:
        rules = merge_rules(table.config, table.storage.uri)
    except UnsupportedError:
        return
    if rules.delete_field:
        yield rules.delete_field, keeps_key_text
    for name in rules.ordering_fields:
        if name not in table.config.ordering_fields:
            yield name, _keeps_order


def _keeps_order(had: t.Type, has: t.Type) -> bool:
    """Whether of two values the greater one stays the greater one. Enumerations are in the order of their symbols."""
    rule = promotion(had, has)
    return rule is not None and rule.keeps_order and rule.loss is CastLoss.EXACT and not isinstance(had, t.Enumeration)


def _keeps_path(config: TableConfig, had: t.Type, has: t.Type) -> bool:
    by_value = config.key_generator in _BY_VALUE and not config.slash_separated_dates
    return keeps_key_text(had, has) and (by_value or not isinstance(has, t.String))
