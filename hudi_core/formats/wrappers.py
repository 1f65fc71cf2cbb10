"""Records of Apache Hudi's Avro model that hold one value each: the branches of unions for values of several types.

Bounds in the metadata table and ordering values in delete blocks are such unions. Source: `HoodieMetadata.avsc` and
`HoodieDeleteRecord.avsc` of Apache Hudi 1.2.0. Rules LOG-10, META-50.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

STRING: Final = {"type": "string", "avro.java.string": "String"}
"""The type of strings in the model."""

WRAPPERS: Final[Mapping[str, Any]] = {
    "BooleanWrapper": "boolean",
    "IntWrapper": "int",
    "LongWrapper": "long",
    "FloatWrapper": "float",
    "DoubleWrapper": "double",
    "BytesWrapper": "bytes",
    "StringWrapper": STRING,
    "DateWrapper": "int",
    "DecimalWrapper": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 15},
    "TimeMicrosWrapper": {"type": "long", "logicalType": "time-micros"},
    "TimestampMicrosWrapper": "long",
}
"""The wrappers in the order of the unions, with the Avro type of the field `value`."""

LOCAL_DATE: Final = "LocalDateWrapper"
"""A wrapper of the number of a day, which is behind the others in the metadata table, and in `ArrayWrapper` alone in
delete blocks."""


def physical_type(avro: Any) -> str:
    """The Avro type below a logical type.

    >>> physical_type(WRAPPERS["DecimalWrapper"]), physical_type("long")
    ('bytes', 'long')
    """
    return str(avro["type"]) if isinstance(avro, dict) else str(avro)
