"""Every operation on every kind of table ends in a result or in an error of this library's own. Rule WRITE-200."""

from __future__ import annotations

import datetime
import itertools
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import HudiError
from hudi_core.writing.result import WriteResult
from tests.support.drawing import cases, each_pair, seed

TYPES: Final = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("n", pa.int32()), ("s", pa.string()),
        ("d", pa.decimal128(12, 2)), ("day", pa.date32()), ("at", pa.timestamp("us", "UTC")), ("f", pa.float64()),
        ("flag", pa.bool_()), ("b", pa.binary()), ("inner", pa.struct([("a", pa.int64())])),
    ]
)  # fmt: skip
ORDERINGS: Final = (
    [], ["ts"], ["n"], ["s"], ["d"], ["day"], ["at"], ["f"], ["flag"], ["b"], ["inner.a"], ["ts", "n"], ["day", "d"],
    ["s", "at", "b"], ["_hoodie_commit_time"],
)  # fmt: skip
OPTIONS: Final = (
    {},
    {"hoodie.table.cdc.enabled": "true"},
    {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"},
    {"hoodie.populate.meta.fields": "false"},
)
INDEXES: Final = (None, ["record_index"], ["column_stats"])
SETTINGS: Final = list(itertools.product(("cow", "mor"), (6, 8, 9), OPTIONS, ORDERINGS, INDEXES, (True, False)))


def rows(ids: str, value: int) -> pa.Table:
    day = datetime.datetime(2024, 1, value, tzinfo=datetime.UTC)
    return pa.Table.from_pylist(
        [
            {
                "id": name, "p": "xy"[number % 2], "ts": value, "n": value, "s": str(value), "d": Decimal(value),
                "day": day.date(), "at": day, "f": float(value), "flag": value > 2, "b": bytes([value]),
                "inner": {"a": value},
            }
            for number, name in enumerate(ids)
        ],
        TYPES,
    )  # fmt: skip


OPERATIONS: Final[dict[str, Callable[[hudi_core.Table], WriteResult]]] = {
    "upsert": lambda table: table.upsert(rows("abz", 3)),
    "upsert of older rows": lambda table: table.upsert(rows("ab", 1)),
    "upsert of nothing": lambda table: table.upsert(rows("", 1)),
    "upsert of some columns": lambda table: table.upsert(rows("ab", 3).select(["id", "p", "s"])),
    "upsert of kept values": lambda table: table.upsert(rows("ab", 3).drop_columns(["s"]), missing_columns="keep"),
    "insert": lambda table: table.insert(rows("uv", 2)),
    "append": lambda table: table.append(rows("q", 2)),
    "bulk_insert": lambda table: table.write(rows("r", 2), "bulk_insert"),
    "delete of keys": lambda table: table.delete(rows("ab", 2).select(["id", "p"])),
    "delete of rows": lambda table: table.delete(rows("b", 2)),
    "delete of an unknown key": lambda table: table.delete(pa.table({"id": ["none"], "p": ["x"]})),
    "delete of nothing": lambda table: table.delete(rows("", 2)),
    "delete by predicate": lambda table: table.delete(where="id <= 'b'"),
    "update": lambda table: table.update({"flag": None}, where="id = 'c'"),
    "update of all": lambda table: table.update({"ts": 1, "n": 1, "s": "0", "d": 0, "f": None}),
    "overwrite of partitions": lambda table: table.overwrite_partitions(rows("a", 2)),
    "overwrite": lambda table: table.overwrite(rows("ae", 2)),
    "delete of a partition": lambda table: table.delete_partitions(["x"]),
}


DRAWN: Final = random.Random(seed(7)).sample(SETTINGS, cases(120, part=6))


@pytest.mark.one_of(3)
@pytest.mark.parametrize(("kind", "version", "options", "ordering", "indexes", "partitioned"), DRAWN)
def test_whatever_an_operation_refuses_is_an_error_of_our_own(
    tmp_path: Path,
    kind: str,
    version: int,
    options: dict[str, str],
    ordering: list[str],
    indexes: Any,
    partitioned: bool,
) -> None:
    """WRITE-200."""
    path = tmp_path / "t"
    try:
        hudi_core.create(
            path, TYPES, "id", partition_by="p" if partitioned else (), ordering=ordering, type=kind, version=version,
            options=options, indexes=indexes,
        )  # fmt: skip
    except HudiError:
        assert not path.exists()
        return
    hudi_core.open(path).insert(rows("abcdef", 2))
    drawn_operations = random.Random(str((kind, version, options, ordering, indexes, partitioned)))
    for name in drawn_operations.sample(sorted(OPERATIONS), len(OPERATIONS)):
        before = hudi_core.open(path).scan(meta=False).to_arrow()
        try:
            assert OPERATIONS[name](hudi_core.open(path)).operation
        except HudiError:
            assert hudi_core.open(path).scan(meta=False).to_arrow().equals(before)


@pytest.mark.each_value
@each_pair(kind=["cow", "mor"], version=[6, 8, 9], options=OPTIONS[:3])
def test_rows_are_deleted_whatever_their_ordering_values(
    tmp_path: Path, kind: str, version: int, options: dict[str, str]
) -> None:
    """WRITE-7, WRITE-25: with several ordering fields too."""
    path = tmp_path / "t"
    hudi_core.create(path, TYPES, "id", ordering=["ts", "n"], type=kind, version=version, options=options)
    hudi_core.open(path).insert(rows("abcdef", 2))
    hudi_core.open(path).upsert(rows("ab", 3))
    assert hudi_core.open(path).delete(pa.table({"id": ["a"]})).deleted == 1
    assert hudi_core.open(path).delete(rows("b", 1)).deleted == 1
    assert hudi_core.open(path).delete(where="id = 'c'").deleted == 1
    assert hudi_core.open(path).scan(columns=["id"]).to_arrow()["id"].to_pylist() == ["d", "e", "f"]
    hudi_core.open(path).upsert(rows("b", 3))
    assert sorted(hudi_core.open(path).scan(columns=["id"]).to_arrow()["id"].to_pylist()) == ["b", "d", "e", "f"]
