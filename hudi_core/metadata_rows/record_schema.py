"""The Avro schema of the metadata table's records, one for all its partitions and table versions. Rule META-50."""

from __future__ import annotations

import json
from typing import Any, Final

from hudi_core.formats.wrappers import LOCAL_DATE, STRING, WRAPPERS
from hudi_core.schema.meta import META_COLUMNS

_NAMESPACE: Final = "org.apache.hudi.avro.model"
_WRAPPERS: Final = (*WRAPPERS.items(), (LOCAL_DATE, "int"))
WRAPPER_NAMES: Final = tuple(name for name, _ in _WRAPPERS)
"""Branches of a bound after null, in their order; behind them stands `ArrayWrapper`, which no statistics have."""

_REQUIRED: Final = object()


def _field(name: str, avro: Any, default: object = _REQUIRED) -> dict[str, Any]:
    return {"name": name, "type": avro} | ({} if default is _REQUIRED else {"default": default})


def _record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def _optional(name: str, avro: Any) -> dict[str, Any]:
    return _field(name, ["null", avro], None)


def _payloads() -> list[dict[str, Any]]:
    file = _record("HoodieMetadataFileInfo", _field("size", "long"), _field("isDeleted", "boolean"))
    bloom = _record(
        "HoodieMetadataBloomFilter",
        _field("type", STRING),
        _field("timestamp", STRING),
        _field("bloomFilter", "bytes"),
        _field("isDeleted", "boolean"),
    )
    array = _record(
        "ArrayWrapper",
        _optional("wrappedValues", {"type": "array", "items": ["null", *WRAPPER_NAMES]}),
    )
    wrappers = [_record(name, _field("value", avro)) for name, avro in _WRAPPERS]
    value_type = _record("HoodieValueTypeInfo", _field("typeOrdinal", "int"), _optional("additionalInfo", STRING))
    statistics = _record(
        "HoodieMetadataColumnStats",
        _optional("fileName", STRING),
        _optional("columnName", STRING),
        _field("minValue", ["null", *wrappers, array], None),
        _field("maxValue", ["null", *WRAPPER_NAMES, "ArrayWrapper"], None),
        *(_optional(name, "long") for name in ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")),
        _field("isDeleted", "boolean"),
        _field("isTightBound", "boolean", False),
        _optional("valueType", value_type),
    )
    location = _record(
        "HoodieRecordIndexInfo",
        _optional("partitionName", STRING),
        _optional("fileIdHighBits", "long"),
        _optional("fileIdLowBits", "long"),
        _optional("fileIndex", "int"),
        _optional("fileId", STRING),
        _optional("instantTime", "long"),
        _field("fileIdEncoding", "int", 0),
        _optional("position", "long"),
    )
    secondary = _record("HoodieSecondaryIndexInfo", _field("isDeleted", "boolean"))
    return [
        _field("key", STRING),
        _field("type", "int"),
        _field("filesystemMetadata", ["null", {"type": "map", "values": file, "avro.java.string": "String"}]),
        _optional("BloomFilterMetadata", bloom),
        _optional("ColumnStatsMetadata", statistics),
        _optional("recordIndexMetadata", location),
        _optional("SecondaryIndexMetadata", secondary),
    ]


def _text(fields: list[dict[str, Any]]) -> str:
    schema = {"type": "record", "name": "HoodieMetadataRecord", "namespace": _NAMESPACE, "fields": fields}
    return json.dumps(schema, separators=(",", ":"))


STORED_SCHEMA: Final = _text([*(_optional(name, "string") for name in META_COLUMNS), *_payloads()])
"""The schema of records in files, with the meta columns first, which are null."""
COMMIT_SCHEMA: Final = _text(_payloads())
"""The schema that commits of the metadata table record."""
