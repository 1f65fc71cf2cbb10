"""Tables with expression indexes, and rows for them."""

from __future__ import annotations

import datetime
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.snapshot.snapshot import MetadataMode
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write

TYPES = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("n", pa.int64()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("x", pa.float64()),
        ("ts", pa.int64()),
    ]
)
LOWER = "expr_index_low"
INDEXES: dict[str, IndexOptions] = {
    LOWER: IndexOptions(["s"], name="low", function="lower"),
    "expr_index_year": IndexOptions(["day"], name="year", function="year"),
    "expr_index_x": IndexOptions(["x"], name="x"),
    "expr_index_part": IndexOptions(["s"], name="part", function="substring", arguments={"pos": "1", "len": "2"}),
    "expr_index_sieve": IndexOptions(["s"], name="sieve", function="upper", using="bloom_filters"),
}
LONG = "É" + "z" * 300
"""A string whose column no footer has statistics of once it is repeated, and that recorded statistics hold in whole."""


def rows(numbers: Sequence[int], ts: int, s: Callable[[int], str | None] = lambda number: f"V{number % 3}") -> pa.Table:
    listed = [
        {
            "id": f"k{number}",
            "p": "xy"[number % 2],
            "s": None if number % 7 == 0 else s(number),
            "n": number % 5 - 2,
            "day": datetime.date(2020 + number % 2, 1, 1),
            "at": datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
            "x": [math.nan, -0.0, 1.5, None][number % 4],
            "ts": ts,
        }
        for number in numbers
    ]
    return pa.Table.from_pylist(listed, TYPES)


class Copies:
    """Copies of a table with rows, by kind and version, from one that is made under `folder` when it is wanted first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, folder: Path, kind: str = "mor", version: int = 9) -> Table:
        source = self.folder / f"{kind}-{version}"
        if not source.exists():
            table = create_table(source, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version)
            write(
                table, rows(range(20), 1, lambda number: ["A", "b", LONG, "Ü", "" if number > 9 else "C"][number % 5])
            )
            write(refreshed(table), rows(range(16, 24), 2))
        shutil.copytree(source, folder)
        return open_table(folder)


def indexed(table: Table, *partitions: str) -> Table:
    for partition in partitions or INDEXES:
        table = build_indexes(table, ["expression_index"], INDEXES[partition])
    return table


CONDITIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "lower(s) = 'w1'": lambda row: row["s"] is not None and row["s"].lower() == "w1",
    f"lower(s) in ('late', '{LONG.lower()}')": lambda row: row["s"] is not None and row["s"].lower() in ("late", LONG.lower()),
    "lower(s) is null": lambda row: row["s"] is None,
    "lower(s) = 'nowhere'": lambda _: False,
    "year(day) = 2021": lambda row: row["day"].year == 2021,
    "year(day) > 2021": lambda _: False,
    "substring(s, 1, 2) = 'V1'": lambda row: row["s"] is not None and row["s"][:2] == "V1",
    "x = 0.0": lambda row: row["x"] == 0,
    "x > 1e300": lambda row: row["x"] is not None and math.isnan(row["x"]),
}  # fmt: skip


def assert_kept(table: Table) -> None:
    """Queries of indexed values give the rows that listing folders gives, and the check of indexes finds nothing."""
    table = refreshed(table)
    live = open_table(table.storage.uri, metadata=MetadataMode.OFF).scan().to_arrow().to_pylist()
    for condition, holds in CONDITIONS.items():
        expected = sorted(row["id"] for row in live if holds(row))
        assert sorted(row["id"] for row in table.scan(where=condition).to_arrow().to_pylist()) == expected, condition
    assert [str(finding) for finding in validate(table, ["expression_index"])] == []


def decided(table: Table, where: str) -> dict[str, int]:
    """By expression index how many slices it left out."""
    steps = refreshed(table).scan(where=where).plan.steps
    return {step.source: step.removed for step in steps if step.source.startswith("expr_index_")}


def ids(table: Table, where: str) -> list[str]:
    return sorted(row["id"] for row in refreshed(table).scan(where=where).to_arrow().to_pylist())


def statistics(table: Table, partition: str) -> dict[tuple[int, str], dict[str, Any]]:
    """The records of an index by type and name of the file or partition."""
    return {
        (record["type"], record["ColumnStatsMetadata"]["fileName"]): record["ColumnStatsMetadata"]
        for record in refreshed(table).metadata_records(partition)
    }


def bound(record: dict[str, Any], name: str) -> Any:
    return None if record[name] is None else record[name]["value"]


@pytest.fixture(scope="session")
def indexable(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """Copies of a table with rows, made once for all tests of a process."""
    return Copies(tmp_path_factory.mktemp("indexable"))
