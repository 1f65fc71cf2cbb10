"""Records of metadata tables, encoded for tests: batches as a base file or a log block would give them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import fastavro
import numpy as np

from hudi_core.formats.hfile.cells import Cells
from hudi_core.metadata.records import RecordBatch


def record_of(name: str, **fields: object) -> dict[str, object]:
    """An Avro record schema."""
    return {"type": "record", "name": name, "fields": [{"name": key, "type": of} for key, of in fields.items()]}


_WRAPPERS = [
    record_of("BooleanWrapper", value="boolean"),
    record_of("IntWrapper", value="int"),
    record_of("LongWrapper", value="long"),
    record_of("FloatWrapper", value="float"),
    record_of("DoubleWrapper", value="double"),
    record_of("BytesWrapper", value="bytes"),
    record_of("StringWrapper", value="string"),
    record_of("DateWrapper", value={"type": "int"}),
    record_of("DecimalWrapper", value="bytes"),
    record_of("TimeMicrosWrapper", value={"type": "long"}),
    record_of("TimestampMicrosWrapper", value={"type": "long"}),
    record_of("LocalDateWrapper", value={"type": "int"}),
]
_NAMES = [wrapper["name"] for wrapper in _WRAPPERS]
_COUNTS: dict[str, object] = {
    name: ["null", "long"] for name in ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")
}
_TYPE = record_of("HoodieValueTypeInfo", typeOrdinal="int", additionalInfo=["null", "string"])


def _schema(*, newest: bool) -> dict[str, Any]:
    statistics = record_of(
        "HoodieMetadataColumnStats",
        fileName=["null", "string"],
        columnName=["null", "string"],
        minValue=["null", *_WRAPPERS],
        maxValue=["null", *_NAMES],
        **_COUNTS,
        isDeleted="boolean",
        **({"isTightBound": "boolean", "valueType": ["null", _TYPE]} if newest else {}),
    )
    file = record_of("HoodieMetadataFileInfo", size="long", isDeleted="boolean")
    return record_of(
        "HoodieMetadataRecord",
        key="string",
        type="int",
        filesystemMetadata=["null", {"type": "map", "values": file}],
        ColumnStatsMetadata=["null", statistics],
    )


NEWEST, OLDEST = _schema(newest=True), _schema(newest=False)
_PARSED = {id(schema): fastavro.parse_schema(json.loads(json.dumps(schema))) for schema in (NEWEST, OLDEST)}


def statistics(
    low: tuple[str, object] | None = None,
    high: tuple[str, object] | None = None,
    *,
    nulls: int | None = 0,
    rows: int | None = 1,
    size: int = 50,
    deleted: bool = False,
    tight: bool = False,
    ordinal: int | None = None,
    detail: str | None = None,
) -> dict[str, Any]:
    """A record of column statistics; bounds are a wrapper's name and a value."""
    reported = None if ordinal is None else {"typeOrdinal": ordinal, "additionalInfo": detail}
    payload = {
        "fileName": "f",
        "columnName": "c",
        "minValue": None if low is None else (low[0], {"value": low[1]}),
        "maxValue": None if high is None else (high[0], {"value": high[1]}),
        "valueCount": rows,
        "nullCount": nulls,
        "totalSize": size,
        "totalUncompressedSize": size,
        "isDeleted": deleted,
        "isTightBound": tight,
        "valueType": reported,
    }
    return {"key": "", "type": 3, "filesystemMetadata": None, "ColumnStatsMetadata": payload}


def files(**sizes: int | None) -> dict[str, Any]:
    """A record of files with their sizes; None for a file that is deleted."""
    listed = {name: {"size": size or 0, "isDeleted": size is None} for name, size in sizes.items()}
    return {"key": "", "type": 2, "filesystemMetadata": listed, "ColumnStatsMetadata": None}


def batch(
    records: Mapping[bytes, Mapping[str, Any]] | Sequence[tuple[bytes, Mapping[str, Any]]],
    order: int = 0,
    schema: dict[str, Any] = NEWEST,
) -> RecordBatch:
    """The records by key, as cells."""
    data = bytearray()
    places: list[tuple[int, int, int, int]] = []
    for key, record in records.items() if isinstance(records, Mapping) else records:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, _PARSED[id(schema)], record)
        places.append((len(data), len(key), len(data) + len(key), out.tell()))
        data += key + out.getvalue()
    columns = np.array(places, np.int64).reshape(-1, 4).T
    cells = Cells(np.frombuffer(bytes(data), np.uint8), *columns)
    return RecordBatch(cells, json.dumps(schema), order, f"source {order}")
