"""Types of columns of times that a write corrects: `hoodie.write.timestamp.logical.type.overrides`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import HudiError, SchemaError, UnknownColumnError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.types import nodes as t
from hudi_core.writing.timestamp_types import TIMESTAMP_TYPES, timestamp_types
from tests.support.commands import fingerprint
from tests.support.drawing import SOAK

SECONDS = 1_720_631_224
"""A moment of 2024, of which a number says what it counts."""
STORED: dict[str, pa.DataType] = {
    "long": pa.int64(),
    "timestamp-millis": pa.timestamp("ms", "UTC"),
    "timestamp-micros": pa.timestamp("us", "UTC"),
    "local-timestamp-millis": pa.timestamp("ms"),
    "local-timestamp-micros": pa.timestamp("us"),
}


def batch(ids: str, at: list[int], kind: pa.DataType, p: str = "x") -> pa.Table:
    return pa.table({"id": list(ids), "p": [p] * len(ids), "t": pa.array(at, pa.int64()).cast(kind)})


def made(folder: Path, rows: pa.Table, **options: Any) -> Table:
    table = create_table(folder, rows, key="id", partition_by="p", **options)
    table.insert(rows)
    return open_table(folder)


def seconds(table: Table, where: str | None = None, since: str | None = None) -> dict[str, int]:
    rows = table.scan(where, columns=["id", "t"], since=since).to_arrow()
    per_second = {"ms": 1_000, "us": 1_000_000}[rows.schema.field("t").type.unit]
    numbers = rows["t"].cast(pa.int64()).to_pylist()
    return {key: number // per_second for key, number in zip(rows["id"].to_pylist(), numbers, strict=True)}


CORRECTIONS = [
    ("timestamp-micros", "timestamp-millis", 1_000, "ms"),
    ("timestamp-millis", "timestamp-micros", 1_000, "us"),
    ("long", "timestamp-millis", 1_000, "us"),
    ("long", "local-timestamp-micros", 1_000_000, "ms"),
    ("local-timestamp-micros", "local-timestamp-millis", 1_000, "ms"),
]
TABLES: list[tuple[int, str, list[str] | None]] = [
    (8, "mor", ["files", "column_stats"]),
    (9, "cow", ["files", "column_stats"]),
    (6, "cow", None),
]


@pytest.mark.parametrize(
    ("version", "type_", "indexes", "had", "to", "counts", "brings"),
    [
        (*TABLES[place], *one)
        for number, one in enumerate(CORRECTIONS)
        for place in (range(3) if SOAK else [number % 3])
    ],
)
def test_stored_numbers_are_read_as_the_stated_type_counts(
    tmp_path: Path, version: int, type_: Any, indexes: Any, had: str, to: str, counts: int, brings: str
) -> None:
    """WRITE-830."""
    options = {"type": type_, "version": version, "indexes": indexes}
    folder = tmp_path / "t"
    table = made(
        folder, batch("abc", [SECONDS * counts, (SECONDS + 1) * counts, SECONDS * counts], STORED[had]), **options
    )
    table.upsert(batch("c", [(SECONDS + 2) * counts], STORED[had]))
    zone = None if to.startswith("local") else "UTC"
    per_second = {"ms": 1_000, "us": 1_000_000}[brings]
    rows = batch("bd", [(SECONDS + 5) * per_second, (SECONDS + 9) * per_second], pa.timestamp(brings, zone))
    open_table(folder).upsert(rows, properties={TIMESTAMP_TYPES: f"t:{to}"})
    table = open_table(folder)
    assert table.schema.get("t").field.type == timestamp_types(f"t:{to}")["t"]
    expected = {"a": 0, "b": 5, "c": 2, "d": 9}
    for mode in ("auto", "off"):
        opened = open_table(folder, metadata=mode)
        assert seconds(opened) == {key: SECONDS + more for key, more in expected.items()}
        assert set(seconds(opened, "t >= '2024-07-10 17:07:06'")) == {"b", "c", "d"}
        assert seconds(opened, "t < '2000-01-01' OR t > '2025-01-01'") == {}
    assert [str(finding) for finding in table.validate()] == []
    earlier = table.timeline.commits[-2]
    before = earlier.requested_time if version == 6 else earlier.completion_time
    assert table.scan(as_of=before).to_arrow().num_rows == 3
    assert seconds(table, since=before) == {"b": SECONDS + 5, "d": SECONDS + 9}
    table.upsert(batch("a", [(SECONDS + 7) * per_second], pa.timestamp(brings, zone)))
    if type_ == "mor":
        open_table(folder).compact()
    open_table(folder).cluster(columns=["t"])
    assert seconds(open_table(folder)) == {key: SECONDS + more for key, more in {**expected, "a": 7}.items()}
    assert [str(finding) for finding in open_table(folder).validate()] == []


def test_the_type_stays_where_rows_have_it(tmp_path: Path) -> None:
    """WRITE-830: as in Apache Hudi, nothing differs then."""
    kind = STORED["timestamp-micros"]
    table = made(tmp_path / "t", batch("a", [SECONDS * 1_000_000], kind))
    table.upsert(batch("a", [(SECONDS + 1) * 1_000_000], kind), properties={TIMESTAMP_TYPES: "t:timestamp-millis"})
    assert seconds(open_table(tmp_path / "t")) == {"a": SECONDS + 1}
    assert open_table(tmp_path / "t").schema.get("t").field.type == t.Timestamp(t.Unit.MICROS)


def test_columns_within_others_are_corrected(tmp_path: Path) -> None:
    """WRITE-830."""
    kind, finer = (pa.struct([("at", pa.timestamp(unit, "UTC"))]) for unit in ("us", "ms"))
    rows = pa.table({"id": ["a"], "s": pa.array([{"at": SECONDS * 1000}], kind)})
    table = create_table(tmp_path / "t", rows, key="id")
    table.insert(rows)
    more = pa.table({"id": ["b"], "s": pa.array([{"at": SECONDS * 1000 + 1}], finer)})
    open_table(tmp_path / "t").insert(more, properties={TIMESTAMP_TYPES: "s.at:timestamp-millis"})
    read = open_table(tmp_path / "t").scan(columns=["s"]).to_arrow()["s"].combine_chunks().field("at")
    assert sorted(read.cast(pa.int64()).to_pylist()) == [SECONDS * 1000, SECONDS * 1000 + 1]


MS, US = pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")
REFUSED: dict[str, tuple[str, pa.DataType, int, pa.DataType, type[HudiError], str]] = {
    "zone": ("t:local-timestamp-millis", US, 1_000, MS, SchemaError, "local"),
    "zone of the rows": ("t:local-timestamp-millis", US, 1_000, pa.timestamp("ms"), SchemaError, "local"),
    "text": ("p:timestamp-millis", US, 1_000, MS, SchemaError, "string"),
    "none": ("tt:timestamp-millis", US, 1_000, MS, UnknownColumnError, "did you mean t"),
    "micros": ("t:timestamp-millis", US, 1_000_000, MS, SchemaError, "counts microseconds"),
    "micros under milliseconds": ("t:timestamp-micros", MS, 1_000_000, US, SchemaError, "counts microseconds"),
    "long of micros": ("t:timestamp-millis", pa.int64(), 1_000_000, MS, SchemaError, "counts microseconds"),
    "long of millis": ("t:timestamp-micros", pa.int64(), 1_000, MS, SchemaError, "counts milliseconds"),
    "no type": ("t:timestamp", US, 1_000, MS, UsageError, "timestamp-millis"),
    "no column": (":timestamp-millis", US, 1_000, MS, UsageError, "column:type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_right_is_refused(tmp_path: Path, name: str) -> None:
    """WRITE-831: and changes nothing."""
    stated, had, counts, brings, error, found = REFUSED[name]
    table = made(tmp_path / "t", batch("a", [SECONDS * counts], had))
    before = fingerprint(tmp_path / "t")
    with pytest.raises(error, match=found):
        table.upsert(batch("b", [SECONDS * 1000], brings), properties={TIMESTAMP_TYPES: stated})
    assert fingerprint(tmp_path / "t") == before


@pytest.mark.parametrize("use", ["key", "partition_by", "ordering"])
def test_columns_that_files_are_found_by_are_not_corrected(tmp_path: Path, use: str) -> None:
    """WRITE-832."""
    rows = batch("a", [SECONDS * 1000], US)
    encoded = {"hoodie.datasource.write.partitionpath.urlencode": "true"}  # the colons of times
    options: dict[str, Any] = {"key": "id", "type": "mor", "options": encoded, use: "t"}
    table = create_table(tmp_path / "t", rows, **options)
    table.insert(rows)
    open_table(tmp_path / "t").upsert(rows)
    before = fingerprint(tmp_path / "t")
    with pytest.raises(UnsupportedError, match=TIMESTAMP_TYPES):
        open_table(tmp_path / "t").upsert(
            batch("b", [SECONDS * 1000], MS), properties={TIMESTAMP_TYPES: "t:timestamp-millis"}
        )
    assert fingerprint(tmp_path / "t") == before


@pytest.mark.parametrize("text", ["", " , ", "a:TIMESTAMP-MICROS ,b.c : local-timestamp-millis,"])
def test_the_property_is_read_as_apache_hudi_reads_it(text: str) -> None:
    """WRITE-830."""
    expected = {"a": t.Timestamp(t.Unit.MICROS), "b.c": t.Timestamp(t.Unit.MILLIS, zoned=False)}
    assert timestamp_types(text) == (expected if ":" in text else {})
