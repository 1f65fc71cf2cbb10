"""What the record key has to do with the columns it is made of."""

from __future__ import annotations

from collections.abc import Sequence

from hudi_core.options import KeyGenerator, TableConfig
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import String

_PLAIN = (KeyGenerator.SIMPLE, KeyGenerator.TIMESTAMP, KeyGenerator.CUSTOM, KeyGenerator.NON_PARTITION)
"""Generators whose key of one field is the value's text."""


def key_twins(config: TableConfig, wanted: Schema, versions: Sequence[Schema]) -> dict[int, str]:
    """The column, by id, that has the same values as the record key column, and that column's name; empty when there is none.

    So it is where the key is one text column, and the generator adds nothing to it.
    """
    if not config.populate_meta_fields or len(config.record_key_fields) != 1 or config.key_generator not in _PLAIN:
        return {}
    place = wanted.find(config.record_key_fields[0], case_sensitive=False)
    if place is None:
        return {}
    stored = [version.places[place.field.id] for version in versions if place.field.id in version.places]
    if any(not isinstance(each.field.type, String) for each in (place, *stored)):
        return {}
    return {place.field.id: RECORD_KEY}
