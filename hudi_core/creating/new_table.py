"""The properties of a new table, as Apache Hudi writes them for the same options. Rules: CREATE-1 to CREATE-7."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hudi_core.creating.creation_options import MERGE_MODE, refuse_options, select_persisted_options
from hudi_core.errors import UsageError, list_names
from hudi_core.keys.options import GENERATOR_CLASS, GENERATOR_TYPE, select_time_options
from hudi_core.options import (
    CdcMode,
    KeyGeneratorType,
    MergeMode,
    TableType,
    generator_of_class,
    infer_generator,
    table_checksum,
)
from hudi_core.reading.merge_columns import IS_DELETED
from hudi_core.schema.names import refuse_repeated
from hudi_core.schema.schema import Schema
from hudi_core.transactions.schema_commit import schema_text
from hudi_core.types import nodes as t
from hudi_core.types.text import text
from hudi_core.types.walk import walk

WRITABLE_VERSIONS: Final = (6, 8, 9)
_TYPES: Final = {"cow": TableType.COPY_ON_WRITE, "mor": TableType.MERGE_ON_READ}
_FIELD_TYPES: Final = ("SIMPLE", "TIMESTAMP")

_STRATEGIES: Final = {
    MergeMode.EVENT_TIME_ORDERING: "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
    MergeMode.COMMIT_TIME_ORDERING: "ce9acb64-bde0-424c-9b91-f6ebba25356d",
}
_PAYLOADS: Final = {
    MergeMode.EVENT_TIME_ORDERING: "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
    MergeMode.COMMIT_TIME_ORDERING: "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
}
_STORES_KEYS: Final = "hoodie.populate.meta.fields"
_VIRTUAL: Final = (KeyGeneratorType.SIMPLE, KeyGeneratorType.COMPLEX, KeyGeneratorType.NON_PARTITION)
"""The key generators that Apache Hudi's writers take where keys are virtual."""
_IN_CAPITALS: Final = (
    "hoodie.table.base.file.format",
    "hoodie.table.cdc.supplemental.logging.mode",
    "hoodie.table.complex.keygenerator.encoding",
    "hoodie.table.keygenerator.type",
    "hoodie.table.log.file.format",
    "hoodie.table.partial.update.mode",
    "hoodie.table.storage.layout",
    "hoodie.table.timeline.timezone",
)
"""Properties with values that are names of Java's constants: Apache Hudi opens no table where one is in small letters."""
_NAME: Final = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class NewTable:
    """The choices for a new table. `options` are `hoodie.*` properties, which take precedence."""

    name: str
    schema: Schema
    """Without the meta columns."""
    key: Sequence[str] = ()
    """Columns of the record key; none: keys are generated for appended rows."""
    partition_by: Sequence[str] = ()
    """Columns, with `:TIMESTAMP` or `:SIMPLE` for a custom key generator."""
    ordering: Sequence[str] = ()
    type: str = "cow"
    version: int = 9
    options: Mapping[str, str] = field(default_factory=dict)


def table_name(uri: str) -> str:
    """The name that a table gets from its folder."""
    return _NAME.sub("_", uri.rstrip("/").rpartition("/")[2]) or "table"


def new_properties(table: NewTable) -> dict[str, str]:
    """The table's properties in Apache Hudi's words. Raises `UsageError` for what no table can be."""
    _refuse(table)
    partition_fields = tuple(table.partition_by)
    generator = _generator(table, partition_fields)
    properties = {
        "hoodie.table.name": table.name,
        "hoodie.table.type": _TYPES[table.type.lower()].value,
        "hoodie.table.version": str(table.version),
        "hoodie.timeline.layout.version": "1" if table.version < 8 else "2",
        "hoodie.timeline.path": "timeline",
        "hoodie.timeline.history.path": "history",
        "hoodie.archivelog.folder": "history",
        "hoodie.table.format": "native",
        "hoodie.table.base.file.format": "PARQUET",
        "hoodie.table.keygenerator.type": generator.value,
        "hoodie.table.partition.fields": ",".join(partition_fields),
        "hoodie.datasource.write.hive_style_partitioning": "false",
        "hoodie.datasource.write.partitionpath.urlencode": "false",
        "hoodie.datasource.write.drop.partition.columns": "false",
        _STORES_KEYS: "true",
        "hoodie.partition.metafile.use.base.format": "false",
        "hoodie.table.cdc.enabled": "false",
        "hoodie.table.timeline.timezone": "UTC",
        "hoodie.table.create.schema": schema_text(table.schema, table.name),
    }
    if table.key:
        properties["hoodie.table.recordkey.fields"] = ",".join(table.key)
    if table.ordering:
        properties["hoodie.table.ordering.fields"] = ",".join(table.ordering)
    if table.version >= 8:
        properties["hoodie.table.initial.version"] = str(table.version)
        properties["hoodie.table.multiple.base.file.formats.enable"] = "false"
    properties |= _merging(table)
    properties |= select_persisted_options(table.options)
    properties |= {name: properties[name].strip().upper() for name in _IN_CAPITALS if name in properties}
    if properties["hoodie.table.cdc.enabled"].strip().lower() == "true":
        properties.setdefault("hoodie.table.cdc.supplemental.logging.mode", CdcMode.DATA_BEFORE_AFTER.value)
    database = properties.get("hoodie.database.name")
    properties["hoodie.table.checksum"] = str(table_checksum(database, properties["hoodie.table.name"]))
    return properties


def _merging(table: NewTable) -> Mapping[str, str]:
    mode = _merge_mode(table)
    properties = {}
    if table.version >= 8:
        properties[MERGE_MODE] = mode.value
    if table.version < 9:
        properties["hoodie.record.merge.strategy.id"] = _STRATEGIES[mode]
        properties["hoodie.compaction.payload.class"] = _PAYLOADS[mode]
    return properties


def _merge_mode(table: NewTable) -> MergeMode:
    stated = table.options.get(MERGE_MODE, "").upper()
    if not stated:
        return MergeMode.EVENT_TIME_ORDERING if table.ordering else MergeMode.COMMIT_TIME_ORDERING
    known = [mode.value for mode in _STRATEGIES]
    if stated not in known:
        raise UsageError(MERGE_MODE, expected=f"one of {', '.join(known)}", found=stated)
    if stated == MergeMode.EVENT_TIME_ORDERING.value and not table.ordering:
        raise UsageError(MERGE_MODE, expected="an ordering column", found=f"{stated} without one")
    return MergeMode(stated)


def _generator(table: NewTable, partition_fields: Sequence[str]) -> KeyGeneratorType:
    stated = table.options.get("hoodie.table.keygenerator.type") or table.options.get(GENERATOR_TYPE)
    generator = infer_generator(tuple(table.key), partition_fields)
    if stated:
        try:
            generator = KeyGeneratorType(stated.upper().removesuffix("_AVRO"))
        except ValueError:
            raise UsageError(
                "key generator", expected=f"one of {', '.join(known.value for known in KeyGeneratorType)}", found=stated
            ) from None
    if stated_class := table.options.get(GENERATOR_CLASS):
        of_class = generator_of_class(stated_class)
        if of_class is None or (stated and of_class is not generator):
            expected = f"the class of {generator.value}" if stated else "a key generator of Apache Hudi's"
            raise UsageError(GENERATOR_CLASS, expected=expected, found=stated_class)
        generator = of_class
    _refuse_idle_times(table, generator)
    if table.options.get(_STORES_KEYS, "true").strip().lower() == "false":
        _refuse_virtual(table, generator)
    return generator


def _refuse_idle_times(table: NewTable, generator: KeyGeneratorType) -> None:
    """Raises `UsageError` for options of times of a table that prints none into its paths: they were meant to have an effect."""
    is_printed = any(column.rpartition(":")[2].upper() == "TIMESTAMP" for column in table.partition_by)
    if generator is KeyGeneratorType.TIMESTAMP or is_printed or "hoodie.table.keygenerator.class" in table.options:
        return
    if times := select_time_options(table.options):
        expected = (
            f"{GENERATOR_TYPE}=TIMESTAMP or a column:TIMESTAMP in partition_by, for a table with times in its paths"
        )
        raise UsageError(min(times), expected=expected, found=f"the key generator {generator.value}")


def _refuse_virtual(table: NewTable, generator: KeyGeneratorType) -> None:
    """Virtual keys that Apache Hudi's writers stop at, or read from stored rows in another form than they give to new ones."""
    if not table.key:
        raise UsageError(_STORES_KEYS, expected="key columns where the value is false", found="none")
    if generator not in _VIRTUAL:
        allowed = ", ".join(known.value for known in _VIRTUAL)
        raise UsageError(
            _STORES_KEYS,
            expected=f"one of the key generators {allowed} where the value is false",
            found=generator.value,
        )
    if generator is KeyGeneratorType.COMPLEX and len(table.key) == 1:
        # Its merges take the bare value for the key of a stored row, and name:value for that of a new one: both rows stay.
        raise UsageError(
            "key",
            expected="several key columns or stored keys with the COMPLEX key generator",
            found="one key column and virtual keys",
        )


def _refuse(table: NewTable) -> None:
    if table.version not in WRITABLE_VERSIONS or not isinstance(table.version, int):
        expected = f"one of {', '.join(map(str, WRITABLE_VERSIONS))}"
        raise UsageError("version", expected=expected, found=repr(table.version))
    if table.type.lower() not in _TYPES:
        raise UsageError("type", expected=f"one of {', '.join(_TYPES)}", found=repr(table.type))
    names = {column.name for column in table.schema.record.fields}
    roles = (("key", table.key), ("partition_by", table.partition_by), ("ordering", table.ordering))
    for role, columns in roles:
        for column in columns:
            name, _, kind = column.partition(":")
            if kind and (role != "partition_by" or kind.upper() not in _FIELD_TYPES):
                raise UsageError(role, expected=f"a column, or with :{' or :'.join(_FIELD_TYPES)}", found=column)
            if name.partition(".")[0] not in names:
                expected = f"a column of the schema ({list_names(sorted(names))})"
                raise UsageError(role, expected=expected, found=repr(name))
    own = sorted(name for name in names if name.lower().startswith("_hoodie_") and name != IS_DELETED)
    if own:
        raise UsageError("schema", expected="no column that Hudi itself adds", found=own[0])
    if not names:
        raise UsageError("schema", expected="columns", found="none")
    for column in table.ordering:
        place = table.schema.find(column)
        if place is None:
            expected = f"a column of the schema ({list_names(sorted(names))}), or a part of one"
            raise UsageError("ordering", expected=expected, found=repr(column))
        if isinstance(place.field.type, t.NESTED):
            raise UsageError(
                "ordering", expected="a column of values with an order", found=f"{column} of {text(place.field.type)}"
            )
    for path, part in walk(table.schema.record):
        if isinstance(part.type, t.Decimal) and part.type.precision > t.LONGEST_DECIMAL:
            found = f"{'.'.join(path)} of {part.type.precision}"
            raise UsageError("schema", expected=f"decimals of at most {t.LONGEST_DECIMAL} digits", found=found)
        if isinstance(part.type, t.Fixed) and part.type.size < 1:
            raise UsageError(
                "schema", expected="fixed bytes of at least one, as Parquet has them", found=f"{'.'.join(path)} of none"
            )
        if isinstance(part.type, t.Record) and not part.type.fields:
            raise UsageError(
                "schema", expected="structs with parts, as Parquet has them", found=f"{'.'.join(path)} without"
            )
        if isinstance(part.type, t.Record):
            _refuse_alike([field.name for field in part.type.fields], path)
    _refuse_alike(names, ())
    for role, columns in roles:
        refuse_repeated(role, columns, (column.partition(":")[0] for column in columns))
    refuse_options(table.options, _arguments(table))


def _refuse_alike(names: Iterable[str], path: tuple[str, ...]) -> None:
    """Raises `UsageError` for names of columns, or of parts of a struct at a path, that other readers cannot tell apart.
    Rule CREATE-1578."""
    alike = next((name for name, count in Counter(name.lower() for name in names).items() if count > 1), None)
    if alike is not None:
        found = f"two of {'.'.join((*path, alike))}"
        raise UsageError("schema", expected="names that differ in more than case", found=found)


def _arguments(table: NewTable) -> dict[str, str]:
    """The arguments of `create` beside which an option of the same meaning may stand, as the option has them."""
    return {
        "key": ",".join(table.key),
        "partition_by": ",".join(table.partition_by),
        "ordering": ",".join(table.ordering),
        "type": _TYPES[table.type.lower()].value,
        "version": str(table.version),
    }
