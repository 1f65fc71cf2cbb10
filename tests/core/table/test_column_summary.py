"""What statistics know of a column."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import UnknownColumnError, UnsupportedError
from hudi_core.front.opening import create_table
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.table.column_summary import column_summary
from hudi_core.table.open import open_table, refreshed
from hudi_core.writing.operations import write
from tests.support.commands import rides

SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int64()), ("m", pa.map_(pa.string(), pa.int64()))])


def test_overlap_is_what_plans_keep(tmp_path: Path) -> None:
    """TABLE-673: against the plans of queries for the values with which slices begin."""
    table, chance = create_table(tmp_path / "t", SCHEMA, "id"), random.Random(4)
    lows = []
    for part in range(12):
        start = chance.randrange(40)
        numbers = [start, start + chance.randrange(30), *([None] if part == 5 else [])]
        lows.append(start)
        rows = {"id": [f"{part}-{number}" for number in range(len(numbers))], "n": numbers, "m": [None] * len(numbers)}
        write(table, pa.table(rows, SCHEMA), "append")
        table = refreshed(table)
    kept = [len(table.scan(f"n = {low}").plan.kept()) for low in lows]
    summary = column_summary(table, "n")
    assert (summary.overlap, summary.deepest) == (round(sum(kept) / 12, 2), max(kept))
    assert (summary.slices, summary.unknown, summary.with_nulls, summary.without_values) == (12, 0, 1, 0)
    assert (summary.lower, summary.sorted_overlap) == (min(lows), 1.0)
    assert list(summary.as_dict()) == list(type(summary).__dataclass_fields__)


def test_slices_of_one_value_stay_together_when_sorted() -> None:
    """TABLE-673: a partition column cannot be sorted apart."""
    summary = column_summary(open_table(str(rides())), "city")
    assert summary.overlap == summary.sorted_overlap
    assert (summary.lower, summary.upper) == ("amsterdam", "vienna")


def test_few_values_cannot_be_sorted_apart() -> None:
    """TABLE-673: 287 slices of one to four passengers take at least 71.75 slices for each number."""
    summary = column_summary(open_table(str(rides())), "passengers")
    assert (summary.lower, summary.upper, summary.sorted_overlap) == (1, 4, 71.75)


def test_where_no_slice_has_bounds_nothing_is_said_of_sorting(tmp_path: Path) -> None:
    """TABLE-673: NaN leaves a file without an upper bound."""
    rows = [{"id": str(number), "km": value} for number, value in enumerate((1.0, float("nan"), 2.0))]
    schema = pa.schema([("id", pa.string()), ("km", pa.float64())])
    table = create_table(str(tmp_path / "t"), schema, key="id")
    write(table, rows, "insert")
    summary = column_summary(refreshed(table), "km")
    assert (summary.slices, summary.unknown, summary.overlap, summary.sorted_overlap) == (1, 1, 1.0, 1.0)


def test_footers_answer_without_a_metadata_table() -> None:
    table = open_table(str(rides()), metadata=MetadataMode.OFF)
    with_table = column_summary(open_table(str(rides())), "fare")
    assert column_summary(table, "fare") == with_table
    assert with_table.unknown == 0


def test_columns_without_an_order_are_refused(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", SCHEMA, "id")
    with pytest.raises(UnsupportedError, match="column m"):
        column_summary(table, "m")
    with pytest.raises(UnknownColumnError):
        column_summary(table, "nothing")
    assert column_summary(table, "n").overlap == 0
