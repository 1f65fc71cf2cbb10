"""Secondary indexes as partitions of the metadata table: their names, definitions, rows. Rules META-34, META-110 to META-113."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hudi_core.columns.strings import concat_strings
from hudi_core.formats.secondary_key import split_secondary_key
from hudi_core.formats.secondary_keys import KeyChange, SecondaryKeys, concat_keys
from hudi_core.metadata.definitions import IndexDefinition
from hudi_core.metadata.kinds import SECONDARY_INDEX
from hudi_core.metadata_rows.rows import IndexRows, secondary_rows
from hudi_core.metadata_rows.statistics_rows import V1, V2
from hudi_core.types import nodes as t


def can_be_secondary(type: t.Type) -> bool:
    """Whether every writer spells the values of a type alike in keys of a secondary index. Rule META-111.

    Of the others that Apache Hudi indexes, floating-point numbers are spelled as the Java at hand does, and times of a wall
    clock or of other units as the engine does.
    """
    return isinstance(type, t.String | t.Int | t.Long | t.Date) or type == t.Timestamp(t.Unit.MICROS, zoned=True)


def secondary_definition(column: str, table_version: int) -> IndexDefinition:
    """The definition of a new secondary index, as Apache Hudi writes it."""
    return IndexDefinition(
        indexType=SECONDARY_INDEX,
        indexFunction="identity",
        sourceFields=(column,),
        version=V2 if table_version >= 9 else V1,
    )


def first_secondary_rows(keys: SecondaryKeys, version: str) -> IndexRows:
    """The rows that a secondary index begins with."""
    return secondary_rows(keys.keys, keys.prefixes if version == V2 else None)


def join_secondary_changes(changes: Sequence[KeyChange], version: str) -> IndexRows:
    """The changes of several file groups in a secondary index, joined. A key that one loses and another gets has moved, and
    stays."""
    added = concat_keys([change.added for change in changes]).distinct()
    removed = concat_keys([change.removed for change in changes]).distinct().without(added)
    prefixes = concat_strings([added.prefixes, removed.prefixes]) if version == V2 else None
    return replace(secondary_rows(added.keys, None), deletes=removed.keys, group_keys=prefixes)


def in_words(key: str, where: str) -> str:
    """A key as its value and record key, for people. Raises `CorruptFileError` where it is none."""
    value, record_key = split_secondary_key(key, where)
    return f"{'null' if value is None else repr(value)} of {record_key!r}"
