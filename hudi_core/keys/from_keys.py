"""Record keys and the columns they are made of: which key a row has whose key columns have certain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from hudi_core.expr.predicate import Column, OneOf, Predicate
from hudi_core.keys.composite import composite_key
from hudi_core.options import KeyGeneratorType, TableConfig
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Int, Long, String

_PLAIN = (KeyGeneratorType.SIMPLE, KeyGeneratorType.TIMESTAMP, KeyGeneratorType.CUSTOM, KeyGeneratorType.NON_PARTITION)
"""Generators whose key of one field is the value's text."""
_NAMED = (KeyGeneratorType.COMPLEX, KeyGeneratorType.CUSTOM, KeyGeneratorType.NON_PARTITION)
"""Generators whose key of several fields is `name:value,name:value`."""

_MOST_KEYS = 10_000
"""Combinations of the values of several key columns that are looked for one by one."""


@dataclass(frozen=True, slots=True)
class RecordKeys:
    """The key columns of a table, as far as it is certain how keys are made of them.

    `named` are the forms a key may have: with names of fields, without. Only columns whose values all writers spell alike
    count: strings and whole numbers.
    """

    names: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()
    named: tuple[bool, ...] = ()
    texts_only: bool = False
    key_column: int | None = None
    """The id of Hudi's own key column, when rows have it."""

    def of_column(self, leaf: OneOf) -> frozenset[str] | None:
        """The keys of rows in which a column has one of the values; None when that does not determine their keys."""
        if not isinstance(leaf.term, Column):
            return None
        if leaf.term.id == self.key_column:
            return frozenset(map(str, leaf.values))
        if self.columns != (leaf.term.id,):
            return None
        return frozenset(self._key((value,), named) for value in leaf.values for named in self.named)

    def of_columns(self, parts: Sequence[Predicate]) -> tuple[tuple[int, ...], frozenset[str]] | None:
        """The keys of rows in which all parts hold, and the parts that determine them; None when they do not.

        Each of several key columns has to be compared with values.
        """
        part_of_column = {
            part.term.id: index
            for index, part in enumerate(parts)
            if isinstance(part, OneOf) and isinstance(part.term, Column)
        }
        if len(self.columns) < 2 or not part_of_column.keys() >= set(self.columns):
            return None
        indexes = tuple(part_of_column[column] for column in self.columns)
        choices = [part.values for index in indexes if isinstance(part := parts[index], OneOf)]
        if prod(map(len, choices)) > _MOST_KEYS:
            return None
        return indexes, frozenset(self._key(values, named) for values in product(*choices) for named in self.named)

    @property
    def twins(self) -> Mapping[int, str]:
        """The column whose values are also those of Hudi's own key column, by id, with that column's name."""
        if not self.texts_only or self.key_column is None or self.named != (False,) or len(self.columns) != 1:
            return {}
        return {self.columns[0]: RECORD_KEY}

    def _key(self, values: Sequence[object], named: bool) -> str:
        return composite_key(self.names, [str(value) for value in values]) if named else str(values[0])


def record_keys(config: TableConfig, wanted: Schema, versions: Sequence[Schema]) -> RecordKeys:
    """How keys are made of columns in a table, whose files were written under these versions of its schema."""
    key_place = wanted.find(RECORD_KEY) if config.populate_meta_fields else None
    key_column = key_place.field.id if key_place else None
    unknown = RecordKeys(key_column=key_column)
    places = [wanted.find(name, case_sensitive=False) for name in config.record_key_fields]
    ids = tuple(place.field.id for place in places if place is not None)
    if not ids or len(ids) != len(places):
        return unknown
    versions_of_ids = ((schema, column_id) for schema in (wanted, *versions) for column_id in ids)
    types = [schema.places[column_id].field.type for schema, column_id in versions_of_ids if column_id in schema.places]
    if not all(isinstance(column_type, String | Int | Long) for column_type in types):
        return unknown
    generator = config.key_generator
    if len(ids) == 1 and generator is KeyGeneratorType.COMPLEX:
        named: tuple[bool, ...] = (False, True)  # releases differ on whether one field is named
    elif len(ids) == 1 and generator in _PLAIN:
        named = (False,)
    elif len(ids) > 1 and generator in _NAMED:
        named = (True,)
    else:
        return unknown
    texts_only = all(isinstance(column_type, String) for column_type in types)
    return RecordKeys(config.record_key_fields, ids, named, texts_only, key_column)
