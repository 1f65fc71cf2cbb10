"""Rows that are computed again between the steps of a write: others than before are refused, the same ones are written."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column
from hudi_core.errors import UsageError
from hudi_core.front.merging import Merge
from hudi_core.table.table import Table
from hudi_core.tagging.key_columns import KeyColumns, take_keys
from hudi_core.tagging.key_reader import key_columns
from hudi_core.writing.operations import write
from hudi_core.writing.spread.key_sums import KeySum, sum_keys
from hudi_core.writing.spread.operations import spread_write
from hudi_core.writing.spread.source_merge import spread_merge
from tests.core.writing.spread.test_operations import no_leftovers
from tests.support.local_flow import LocalRows, local_rows
from tests.support.spread_writes import assert_twins, cut, operation_rows, random_rows, rows_of, twins

OPERATIONS = ("append", "insert", "bulk_insert", "upsert", "delete", "insert_overwrite", "merge")


@dataclass
class ChangingParts(Sequence[Any]):
    """Parts of which one has other batches whenever all are looked at again."""

    parts: Callable[[], Sequence[Sequence[Any]]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts())

    def __getitem__(self, place: Any) -> Any:
        return self.parts()[place]

    def __len__(self) -> int:
        return len(self.parts())


def changing_rows(table: Table, rows: pa.Table, change: Callable[[pa.Table, int], pa.Table]) -> LocalRows:
    """Rows in three parts, of which `change` makes others by the number of times that they were computed."""
    times = 0

    def parts() -> Sequence[Sequence[Any]]:
        nonlocal times
        size = -(-rows.num_rows // 3)
        tables = [rows.slice(part * size, size) for part in range(3)]
        tables[1] = change(tables[1], times)
        times += 1
        return local_rows(table.engine, tables).batches

    return LocalRows(table.engine, local_rows(table.engine, [rows]).schema, ChangingParts(parts), forgets=True)


def other_keys(rows: pa.Table, times: int) -> pa.Table:
    keys = [f"{key}-{times}" for key in rows.column("id").to_pylist()]
    return rows.set_column(rows.column_names.index("id"), "id", pa.array(keys))


def fewer_rows(rows: pa.Table, times: int) -> pa.Table:
    return rows.slice(min(times, 3))


def other_partitions(rows: pa.Table, times: int) -> pa.Table:
    paths = [f"new{times}" for _ in range(rows.num_rows)]
    return rows.set_column(rows.column_names.index("p"), "p", pa.array(paths))


def swapped_partitions(rows: pa.Table, times: int) -> pa.Table:
    """The same keys and the same partitions, in other pairs."""
    paths = [f"p{(row + times) % 2}" for row in range(rows.num_rows)]
    return rows.set_column(rows.column_names.index("p"), "p", pa.array(paths))


def same_rows(rows: pa.Table, times: int) -> pa.Table:
    """In another order."""
    return rows.take(random.Random(times).sample(range(rows.num_rows), rows.num_rows))


def run(table: Table, rows: LocalRows, op: str) -> Any:
    if op == "merge":
        clauses = Merge(lambda made, options: spread_merge(table, rows, ["id", "p"], made, options))
        return clauses.when_matched_update().when_not_matched_insert().execute()
    return spread_write(table, rows, op)


@pytest.mark.each_value
@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("change", [other_keys, fewer_rows, other_partitions, swapped_partitions])
def test_rows_that_differ_when_they_are_computed_again_are_refused(tmp_path: Path, op: str, change: Any) -> None:
    """WRITE-1500: no row is lost, doubled or put into the files of another partition, and nothing is changed."""
    table, _ = twins(tmp_path, "mor", 9, ("column_stats",))
    write(table, random_rows(random.Random(1), 30, [0], distinct=True))
    before = rows_of(table)
    rows = random_rows(random.Random(2), 30, [0], distinct=True)
    with pytest.raises(UsageError, match=r"expected the same rows each time .*checkpoint"):
        run(table, changing_rows(table, rows, change), op)
    assert rows_of(table) == before
    assert no_leftovers(table)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("op", OPERATIONS)
def test_the_same_rows_may_be_computed_again(tmp_path: Path, op: str) -> None:
    """WRITE-1500: in any order, as rows of a shuffle come."""
    spread, whole = twins(tmp_path, "mor", 9, ("column_stats",))
    for table in (spread, whole):
        write(table, random_rows(random.Random(1), 30, [0], distinct=True))
    rows = operation_rows(random.Random(2), op, 0, None) if op != "merge" else random_rows(random.Random(2), 30, [0])
    rows = distinct_rows(rows)
    run(spread, changing_rows(spread, rows, same_rows), op)
    run(whole, local_rows(whole.engine, cut(random.Random(3), rows)), op)
    assert_twins(spread, whole)


def distinct_rows(rows: pa.Table) -> pa.Table:
    """The last row of each key: which of several counts goes by their order."""
    keys = list(zip(rows.column("id").to_pylist(), rows.column("p").to_pylist(), strict=True))
    return rows.take(sorted({key: row for row, key in enumerate(keys)}.values()))


KEYS = st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["", "p", "ü/q"])), max_size=20)


@given(KEYS, st.randoms())
def test_sums_have_no_order(given: list[tuple[str, str]], chance: random.Random) -> None:
    """WRITE-1500: however the keys are cut, and where others are between them."""
    keys = keys_of(given)
    order = chance.sample(range(len(given)), len(given))
    cut_at = chance.randrange(len(given) + 1)
    summed = KeySum()
    for rows in (order[:cut_at], order[cut_at:]):
        summed.add(take_keys(keys, np.array(rows, np.int64)))
    assert summed.value == sum_keys(keys) == sum_keys(keys_of(list(reversed(given))))


@given(KEYS, KEYS)
def test_other_keys_have_another_sum(one: list[tuple[str, str]], other: list[tuple[str, str]]) -> None:
    """WRITE-1500: also where partitions are exchanged between keys."""
    assert (sum_keys(keys_of(one)) == sum_keys(keys_of(other))) == (Counter(one) == Counter(other))


def test_keys_that_exchange_their_partitions_have_another_sum() -> None:
    """WRITE-1500."""
    assert sum_keys(keys_of([("a", "p"), ("b", "q")])) != sum_keys(keys_of([("a", "q"), ("b", "p")]))


def keys_of(given: list[tuple[str, str]]) -> KeyColumns:
    return key_columns(string_column([key for key, _ in given]), string_column([path for _, path in given]))
