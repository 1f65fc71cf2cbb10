"""Random rows and operations that are written twice: spread over parts, and as a whole; and what must be equal then."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.creating.create import create_table
from hudi_core.errors import RowError
from hudi_core.metadata.table import FILES
from hudi_core.schema.meta import is_meta
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.metadata_records import metadata_records
from hudi_core.table.open import open_table
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.result import WriteResult

POINT = pa.struct([("x", pa.float64()), ("tags", pa.list_(pa.string()))])
TYPES = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("f", pa.float64()), ("d", pa.decimal128(20, 3)),
        ("b", pa.binary()), ("at", pa.timestamp("us", "UTC")), ("day", pa.date32()), ("point", POINT),
        ("m", pa.map_(pa.string(), pa.int32())), ("_hoodie_is_deleted", pa.bool_()),
    ]
)  # fmt: skip
_ITEM = pa.struct([("x", pa.float32()), ("d", pa.decimal128(9, 2)), ("at", pa.timestamp("us", "UTC"))])
OTHERS = pa.schema(
    [
        ("extra", pa.int32()), ("f4", pa.float32()), ("flag", pa.bool_()), ("d38", pa.decimal128(38, 10)),
        ("local", pa.timestamp("us")), ("items", pa.list_(_ITEM)), ("by_name", pa.map_(pa.string(), _ITEM)),
    ]
)  # fmt: skip
"""Columns that some batches have alone."""
WIDER = pa.schema([*TYPES, *OTHERS])
_CHANGED = {
    "point": pa.struct([("z", pa.decimal128(6, 1)), *POINT]), "extra": pa.int64(), "f4": pa.float64(), "d38": None,
    "b": None,
}  # fmt: skip
EVOLVED = pa.schema(
    [(field.name, kind) for field in reversed(WIDER) if (kind := _CHANGED.get(field.name, field.type)) is not None]
)
"""Wider types, a new field within a struct, fewer columns, and these in another order."""
FLOATS = (0.0, -0.0, 1.5, float("nan"), float("-inf"), float("inf"), None)
_DAYS, _MICROS = 700_000, 60 * 10**15
"""Days and times from the first century to the 39th: before and after calendars and zones changed their rules."""
OPERATIONS = ("upsert", "insert", "append", "bulk_insert", "delete", "insert_overwrite", "insert_overwrite_table")
ADDS = frozenset(OPERATIONS) - {"upsert", "delete"}
_OF_FILES = ("fileName", "totalSize", "totalUncompressedSize")
_BY_TIME = ("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name")
KINDS = [(kind, version) for kind in ("cow", "mor") for version in (6, 8, 9)]


def random_rows(
    chance: random.Random,
    count: int,
    numbers: Sequence[int],
    *,
    distinct: bool = False,
    wide: bool = False,
    keys: int = 30,
) -> pa.Table:
    """Rows with all kinds of values, and keys of these operations. With `distinct` no key comes twice."""
    names = [f"k{chance.choice(numbers)}-{chance.randrange(keys):02}é" for _ in range(count)]
    if distinct:
        names = list(dict.fromkeys(names))
    schema = WIDER if wide else TYPES
    return pa.Table.from_pylist([_row(chance, name, wide=wide) for name in names], schema)


def _row(chance: random.Random, key: str, *, wide: bool) -> dict[str, Any]:
    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.2 else value

    return {
        "id": key,
        "p": f"p{hash_of(key) % 3 if chance.random() < 0.8 else chance.randrange(3)}",
        "ts": chance.randrange(6),
        "f": chance.choice(FLOATS),
        "d": maybe(Decimal(chance.randrange(-(10**6), 10**6)).scaleb(-3)),
        "b": maybe(chance.randbytes(chance.randrange(4))),
        "at": maybe(chance.randrange(-_MICROS, _MICROS)),
        "day": maybe(chance.randrange(-_DAYS, _DAYS)),
        "point": maybe({"x": chance.choice(FLOATS), "tags": maybe([maybe("t"), "ü", ""][: chance.randrange(4)])}),
        "m": maybe([("a", chance.randrange(9)), ("", None)][: chance.randrange(3)]),
        "_hoodie_is_deleted": chance.random() < 0.1,
        **(_others(chance) if wide else {}),
    }


def _others(chance: random.Random) -> dict[str, Any]:
    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.2 else value

    def item() -> Any:
        return maybe(
            {
                "x": chance.choice(FLOATS),
                "d": maybe(Decimal(chance.randrange(-(10**9) + 1, 10**9)).scaleb(-2)),
                "at": maybe(chance.randrange(-(10**15), 10**15)),
            }
        )

    return {
        "extra": maybe(chance.randrange(-(1 << 31), 1 << 31)),
        "f4": chance.choice(FLOATS),
        "flag": maybe(chance.random() < 0.5),
        "d38": maybe(Decimal(chance.randrange(-(10**38) + 1, 10**38)).scaleb(-10)),
        "local": maybe(chance.randrange(-(10**15), 10**15)),
        "items": maybe([item() for _ in range(chance.randrange(3))]),
        "by_name": maybe([(name, item()) for name in "ab"[: chance.randrange(2)]]),
    }


def evolve(chance: random.Random, rows: pa.Table) -> pa.Table:
    """Rows of `WIDER` in the form of `EVOLVED`, with values that the earlier types do not have."""
    changed = rows.to_pylist()
    for row in changed:
        row["extra"] = chance.choice([row["extra"], -(1 << 63), (1 << 63) - 1])
        row["f4"] = chance.choice([row["f4"], 0.1, -1e300])
        if row["point"] is not None:
            row["point"]["z"] = chance.choice([None, Decimal("-99999.9")])
    return pa.Table.from_pylist(changed, EVOLVED)


def hash_of(key: str) -> int:
    """A number of a key that is the same in every process."""
    return sum(key.encode())


def twins(folder: Path, kind: str, version: int, indexes: Sequence[str] | None, **options: Any) -> tuple[Table, Table]:
    """Two tables of the same definition."""
    first, second = (
        create_table(
            folder / name, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version,
            indexes=indexes, **options,
        )
        for name in ("spread", "whole")
    )  # fmt: skip
    return first, second


def operation_rows(
    chance: random.Random, op: str, number: int, indexes: Sequence[str] | None = None, wide: bool = False
) -> pa.Table:
    """Rows for an operation, of which so many went before. Rows that are added have keys of their own: which of two rows with
    one key a later operation finds depends on the names of files. Where the record index takes each key once, they come once."""
    distinct = op in ADDS and indexes is not None and "record_index" in indexes
    numbers = [number] if op in ADDS else range(number + 1)
    rows = random_rows(chance, chance.randrange(1, 60), numbers, distinct=distinct, wide=wide)
    return rows if op != "delete" else rows.select(["id", "p"])


def cut(chance: random.Random, rows: pa.Table) -> list[pa.Table]:
    """The rows in parts, some of them empty."""
    bounds = sorted(chance.randrange(rows.num_rows + 1) for _ in range(3))
    return [rows.slice(start, end - start) for start, end in zip([0, *bounds], [*bounds, rows.num_rows], strict=True)]


def assert_twins(spread: Table, whole: Table) -> None:
    """The rows, statistics and indexes of two tables are equal, but for names of files and times."""
    first, second = (open_table(table.storage.uri) for table in (spread, whole))
    assert rows_of(first) == rows_of(second)
    indexes = [name for name in first.config.kept_partitions if name != FILES]
    assert indexes == [name for name in second.config.kept_partitions if name != FILES]
    for name in indexes:
        assert index_of(first, name) == index_of(second, name), name
    if first.config.kept_partitions:
        plain = [open_table(table.storage.uri, metadata=MetadataMode.OFF) for table in (spread, whole)]
        assert rows_of(plain[0]) == rows_of(plain[1])
    assert [finding for finding in validate(first) if finding.severity != "info"] == []


def contents(table: Table) -> dict[str, bytes]:
    """All files of a table on a local disk."""
    root = Path(table.storage.uri.removeprefix("file://"))
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def rows_of(table: Table) -> list[str]:
    """The rows, as text."""
    columns = [*(field.name for field in table.schema.fields if not is_meta(field.name)), "_hoodie_record_key"]
    return sorted(str(row) for row in table.scan(columns=columns).to_json_rows())


def index_of(table: Table, name: str) -> Counter[str]:
    """What an index holds, as far as it does not depend on how rows are distributed to files."""
    return Counter(text for record in metadata_records(table, name) if (text := _text_of_record(record)) is not None)


def _text_of_record(record: dict[str, Any]) -> str | None:
    if (place := record.get("recordIndexMetadata")) is not None:
        return f"{record['key']} {place['partitionName']}"
    if (sieve := record.get("BloomFilterMetadata")) is not None:
        return str(sieve["bloomFilter"])
    if (stats := record.get("ColumnStatsMetadata")) is not None:
        text = str({part: value for part, value in stats.items() if part not in _OF_FILES})
        return text if stats["columnName"] not in _BY_TIME else None
    assert "SecondaryIndexMetadata" in record
    return str(record["key"])


def assert_alike(spread: Callable[[], WriteResult], whole: Callable[[], WriteResult]) -> None:
    """Both writes have the same results, or refuse a row for the same reason, as WRITE-1443 states."""
    try:
        expected = whole()
    except RowError as refused:
        with pytest.raises(RowError, match=re.escape(str(refused.expected))):
            spread()
        return
    assert_results(spread(), expected)


def assert_results(spread: WriteResult, whole: WriteResult) -> None:
    """The counts of rows of two writes are equal."""
    for name in ("operation", "inserted", "updated", "deleted"):
        assert getattr(spread, name) == getattr(whole, name), name
