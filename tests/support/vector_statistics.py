"""Records of column statistics as the vectors write them: a range of values, an Avro type and the version of the index."""

from __future__ import annotations

import decimal
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from hudi_core.columns.hashes import column_stats_key
from hudi_core.metadata.records import MetadataRecords
from hudi_core.metadata.statistics import FILE_KEY, read_statistics
from hudi_core.pruning.statistics import WIDE_OFFSET, ColumnStatistics
from hudi_core.types import nodes as t
from hudi_core.values.domain import to_binary32
from tests.support.metadata_records import batch, statistics

Avro = str | Mapping[str, Any]
Wrapped = tuple[str, object]
Range = Mapping[str, Any]
Told = tuple[object, object, int, int]

_KEY = column_stats_key("c", "p", "f").encode()
_EPOCH = datetime(1970, 1, 1)
_ORDINALS = {
    "boolean": 2,
    "int": 3,
    "long": 4,
    "float": 5,
    "double": 6,
    "string": 7,
    "bytes": 8,
    "fixed": 9,
    "decimal": 10,
    "uuid": 11,
    "date": 12,
    "time-millis": 13,
    "time-micros": 14,
    "timestamp-millis": 15,
    "timestamp-micros": 16,
    "local-timestamp-millis": 18,
    "local-timestamp-micros": 19,
}
"""The numbers of the types that records tell, as `value_types` of the vectors lists them."""


def type_name(avro: Avro) -> str:
    """The logical type, or else the type."""
    return avro if isinstance(avro, str) else avro.get("logicalType", avro["type"])


def carried(typed: Mapping[str, Any] | None, avro: Avro) -> Any:
    """The value that a column of the Avro type holds for a tagged value: a number, `Decimal`, `str` or bytes; None for null."""
    if typed is None:
        return None
    ((tag, value),) = ((tag, value) for tag, value in typed.items() if tag != "bits")
    match tag:
        case "float":
            return to_binary32(float(value))
        case "double":
            return float(value)
        case "bytes" | "fixed" | "bytearray":
            return bytes.fromhex(value)
        case "decimal":
            return Decimal(value)
        case "localdate" | "sqldate":
            return (date.fromisoformat(value) - _EPOCH.date()).days
        case "localtime":
            return _units(datetime.combine(_EPOCH, time.fromisoformat(value)) - _EPOCH, avro)
        case "instant" | "localdatetime":
            return _units(datetime.fromisoformat(value).replace(tzinfo=None) - _EPOCH, avro)
        case "sqltimestamp":  # is always stored in microseconds
            return (datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None) - _EPOCH) // timedelta(
                microseconds=1
            )
        case _:
            return value


def _units(since: timedelta, avro: Avro) -> int:
    return since // timedelta(**{"milliseconds" if type_name(avro).endswith("millis") else "microseconds": 1})


def wrapped(typed: Mapping[str, Any] | None, avro: Avro, version: str) -> Wrapped | None:
    """A bound as an index of the version stores it (META-12)."""
    value, name = carried(typed, avro), type_name(avro)
    match value:
        case None:
            return None
        case Decimal() if version == "V1":
            return "DecimalWrapper", _unscaled(value, 15)
        case Decimal():
            assert isinstance(avro, Mapping)
            return "BytesWrapper", _unscaled(value, avro["scale"])
        case bool():
            return "BooleanWrapper", value
        case str():
            return "StringWrapper", value
        case bytes():
            return "BytesWrapper", value
        case float():
            return ("FloatWrapper" if name == "float" else "DoubleWrapper"), value
        case _ if name == "date" and version == "V1":
            return "LocalDateWrapper", value
        case _:
            return ("IntWrapper" if name in ("int", "date", "time-millis") else "LongWrapper"), value


def _unscaled(value: Decimal, scale: int) -> bytes:
    unscaled = int(value.scaleb(scale))
    return unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)


def recorded_wrapper(wrapper: Mapping[str, Any] | None) -> Wrapped | None:
    """A wrapper of an output, with the value in it."""
    return None if wrapper is None else (wrapper["wrapper"], carried(wrapper["fields"]["value"], "bytes"))


def record_of(of: Range, low: Wrapped | None, high: Wrapped | None, avro: Avro, version: str) -> dict[str, Any]:
    """The record of a range whose bounds are wrapped."""
    typed = version == "V2"
    is_decimal = typed and isinstance(avro, Mapping) and type_name(avro) == "decimal"
    return statistics(
        low,
        high,
        nulls=of["nulls"],
        rows=of["values"],
        size=of["uncompressed"],
        deleted=of.get("deleted", False),
        tight=of.get("tight", False),
        ordinal=_ORDINALS[type_name(avro)] if typed else None,
        detail=f"{avro['precision']},{avro['scale']}" if is_decimal else None,  # type: ignore[index]
    )


def reported(*records: Mapping[str, Any]) -> Told | None:
    """Least and greatest value (None: unknown), nulls and rows of the records of one key, the last one written last; None
    where none is left."""
    batches = [batch({_KEY: record}, order) for order, record in enumerate(records)]
    groups = read_statistics(MetadataRecords(batches, []), ["c"], FILE_KEY)["c"]
    left = [entry.statistics for entry in groups if len(entry)]
    if not left:
        return None
    (of,) = left
    return _bound(of, low=True), _bound(of, low=False), int(of.nulls[0]), int(of.rows[0])


def _bound(of: ColumnStatistics, *, low: bool) -> object:
    if not (of.lower_known if low else of.upper_known)[0]:
        return None
    value = (of.lower if low else of.upper)[0]
    match of.type:
        case t.Decimal(scale=scale):
            unscaled = int.from_bytes(value, "big") - WIDE_OFFSET if isinstance(value, bytes) else int(value)
            return Decimal(unscaled).scaleb(-scale, decimal.Context(prec=40))
        case t.String() | t.Uuid() if isinstance(value, bytes):
            return value.decode()
        case t.Boolean():
            return bool(value)
        case _:
            return value if isinstance(value, bytes) else value.item()
