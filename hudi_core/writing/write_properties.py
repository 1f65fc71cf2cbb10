"""Properties of Apache Hudi that a table or a writer states for writes. Rule WRITE-206."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from hudi_core.data_files.file_properties import BLOCK_SIZE, CODEC, block_bytes, codec_of
from hudi_core.errors import UsageError
from hudi_core.keys.options import OPTIONS_OF_TIMES, is_time_option, select_time_options
from hudi_core.service_properties import is_of_service, refuse_unknown
from hudi_core.stated_properties import FLAGS, StatedProperties
from hudi_core.tagging.bucket_layout import BUCKET, BUCKET_PROPERTIES, INDEX_TYPE
from hudi_core.transactions.early_conflicts import EARLY_DETECTION
from hudi_core.writing.duplicates import DROP_DUPLICATES, INSERT_DUPLICATES, duplicate_policy
from hudi_core.writing.task_rows import RowOrder
from hudi_core.writing.timestamp_types import TIMESTAMP_TYPES, timestamp_types

NULL_FOR_MISSING: Final = "hoodie.write.set.null.for.missing.columns"
RECONCILE_SCHEMA: Final = "hoodie.datasource.write.reconcile.schema"
"""An older name of the same: columns that a batch lacks get their default, else null."""
ALLOW_EMPTY: Final = "hoodie.allow.empty.commit"
UPDATE_PARTITION_PATH: Final = "hoodie.record.index.update.partition.path"
"""Under a record index: whether rows move that come with another partition than the stored row of their key."""
BULK_SORT: Final = "hoodie.bulkinsert.sort.mode"
"""How a bulk insert puts its rows in order."""
BULK_ORDERS: Final[Mapping[str, RowOrder]] = MappingProxyType(
    {
        "NONE": RowOrder.NONE,
        "GLOBAL_SORT": RowOrder.GLOBAL,
        "PARTITION_SORT": RowOrder.PARTITION,
        "PARTITION_PATH_REPARTITION": RowOrder.NONE,
        "PARTITION_PATH_REPARTITION_AND_SORT": RowOrder.GLOBAL,
    }
)
"""The orders by Apache Hudi's names. A new file has rows of one partition in any case."""
WRITE_PROPERTIES: Final = (
    NULL_FOR_MISSING,
    RECONCILE_SCHEMA,
    ALLOW_EMPTY,
    UPDATE_PARTITION_PATH,
    EARLY_DETECTION,
    CODEC,
    BLOCK_SIZE,
    TIMESTAMP_TYPES,
    BULK_SORT,
    INSERT_DUPLICATES,
    DROP_DUPLICATES,
)

OF_ONE_PARTITION: Final = ("BLOOM", "SIMPLE")
OF_WHOLE_TABLE: Final = (
    "RECORD_INDEX",
    "GLOBAL_RECORD_LEVEL_INDEX",
    "RECORD_LEVEL_INDEX",
    "GLOBAL_BLOOM",
    "GLOBAL_SIMPLE",
)
"""Indexes by Apache Hudi's names: those that look for a key in the partition of its row, and those for which this library needs
the record index, which has the place of each key."""

INLINE_SERVICES: Final = (
    "hoodie.clean.automatic",
    "hoodie.archive.automatic",
    "hoodie.compact.inline",
    "hoodie.compact.schedule.inline",
    "hoodie.log.compaction.inline",
    "hoodie.clustering.inline",
)
"""Properties that ask for a service after each write."""


def refuse_other_properties(stated: Mapping[str, str]) -> None:
    """Raises `UsageError` for a property of a write or of services that has no effect, and for a value that it does not take."""
    if stated == {}:
        return
    refuse_unknown(stated, "properties")
    select_time_options(stated)
    for name, value in stated.items():
        if name == INDEX_TYPE and value.strip().upper() not in (BUCKET, *OF_ONE_PARTITION, *OF_WHOLE_TABLE):
            known = ", ".join((BUCKET, *OF_ONE_PARTITION, *OF_WHOLE_TABLE))
            raise UsageError(name, expected=f"one of {known}", found=repr(value))
        if is_of_service(name) or name in BUCKET_PROPERTIES or is_time_option(name):
            continue
        if name not in WRITE_PROPERTIES:
            near = difflib.get_close_matches(name, (*WRITE_PROPERTIES, *sorted(OPTIONS_OF_TIMES)), n=1)
            expected = f"one of {', '.join(near or WRITE_PROPERTIES)}"
            raise UsageError("properties", expected=expected, found=name)
        if name == TIMESTAMP_TYPES:
            timestamp_types(value)
        elif name in _OTHER_VALUES:
            _OTHER_VALUES[name]({name: value})
        elif value.strip().lower() not in FLAGS:
            raise UsageError(name, expected="true or false", found=repr(value))


def bulk_order(*stated: Mapping[str, str]) -> RowOrder | None:
    """The order of a bulk insert that the first of these properties names which name one; None where none does. Raises
    `UsageError` for one that Apache Hudi does not have."""
    return StatedProperties.join(*stated).choice(BULK_SORT, BULK_ORDERS)


_OTHER_VALUES: Final[Mapping[str, Callable[[Mapping[str, str]], object]]] = MappingProxyType(
    {CODEC: codec_of, BLOCK_SIZE: block_bytes, BULK_SORT: bulk_order, INSERT_DUPLICATES: duplicate_policy}
)
"""What reads the properties that are no flags, and refuses what they cannot take."""


def flag(name: str, *stated: Mapping[str, str]) -> bool | None:
    """The value of the first that states a property; None where none does, or not as true or false."""
    for properties in stated:
        value = FLAGS.get(properties.get(name, "").strip().lower())
        if value is not None:
            return value
    return None


def needs_record_index(properties: Mapping[str, str]) -> bool:
    """Whether a write asks for an index that finds keys in other partitions too."""
    return properties.get(INDEX_TYPE, "").strip().upper() in OF_WHOLE_TABLE


def asks_for_services(*stated: Mapping[str, str]) -> bool:
    """Whether properties ask for a service after each write."""
    return any(flag(name, *stated) for name in INLINE_SERVICES)


def refuse_idle_services(stated: Mapping[str, str], of_table: Mapping[str, str]) -> None:
    """Raises `UsageError` for a property of services among those of a write after which none runs: it would have no effect. What
    is false asks for nothing. Rule WRITE-1329."""
    if asks_for_services(stated, of_table):
        return
    idle = (name for name, value in stated.items() if is_of_service(name) and value.strip().lower() != "false")
    if name := next(idle, None):
        expected = f"with it a service that follows the write, as {INLINE_SERVICES[0]}=true asks for"
        raise UsageError("properties", expected=expected, found=f"{name} alone")
