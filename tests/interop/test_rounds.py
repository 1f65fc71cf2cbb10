"""Ten rounds on each kind of table: we write, Apache Hudi reads and writes, we read and write again. `support/rounds.py`."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.rounds import ALL_INDEXES, CYCLE, INDEXES_BEFORE_8, Case, Rounds

pytestmark = pytest.mark.interop

ROUNDS = int(os.environ.get("ROUNDS") or 10)
VIRTUAL = {"hoodie.populate.meta.fields": "false"}
HIVE = {
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.datasource.write.partitionpath.urlencode": "true",
}
CASES = [
    Case("cow", 9, indexes=ALL_INDEXES),
    Case("mor", 9, indexes=ALL_INDEXES),
    Case("mor", 8, indexes=("column_stats", "partition_stats")),
    Case("cow", 8, ("number", "id"), ("p", "q"), indexes=("bloom_filters", "column_stats"), options=HIVE),
    Case("mor", 6, indexes=INDEXES_BEFORE_8),
    Case("cow", 6, partition_by=(), indexes=None),
    Case("mor", 9, partition_by=(), ordering="", indexes=("record_index",)),
    Case("mor", 9, ordering="", indexes=("column_stats",), options=VIRTUAL),
]


BY_TIME = {
    "hoodie.keygen.timebased.timestamp.type": "DATE_STRING",
    "hoodie.keygen.timebased.input.dateformat": "yyyy-MM-dd",
    "hoodie.keygen.timebased.output.dateformat": "yyyyMM",
    "hoodie.keygen.timebased.timezone": "UTC",
}
"""The partition path is the month of a day. The column is a string: of any other type Apache Hudi makes one when it reads."""
TIMESTAMP = {**BY_TIME, "hoodie.table.keygenerator.type": "TIMESTAMP"}
PARTITIONS: list[tuple[Sequence[str], Mapping[str, str], Mapping[str, str]]] = [
    ((), {}, {}),
    (("p",), {}, {}),
    (("p", "q"), HIVE, {}),
    (("day_text",), TIMESTAMP, {**BY_TIME, "hoodie.datasource.write.keygenerator.type": "TIMESTAMP"}),
    (
        ("p:SIMPLE", "day_text:TIMESTAMP"),
        BY_TIME,
        {**BY_TIME, "hoodie.datasource.write.partitionpath.field": "p:SIMPLE,day_text:TIMESTAMP"},
    ),
]
"""Partition columns, options of the table, and what Apache Hudi is told of them: each key generator."""
INDEXES: list[Sequence[str] | None] = [None, (), ("column_stats",), ("record_index",), ALL_INDEXES]
EVERY = [
    Case(
        kind, version, ("number", "id") if len(columns) > 1 and (version < 9 or is_virtual) else ("number",), columns, ordering,
        [name for name in chosen if version > 6 or name != "partition_stats"] if chosen is not None else None,
        {**options, **(VIRTUAL if is_virtual else {})}, theirs,
    )
    for (kind, version), (columns, options, theirs), chosen, ordering, is_virtual in product(
        product(("cow", "mor"), (6, 8, 9)), PARTITIONS, INDEXES, ("ts", ""), (False, True)
    )
    if not is_virtual or (chosen in (None, (), ("column_stats",)) and options is not TIMESTAMP and columns != PARTITIONS[4][0])
]  # fmt: skip
SOME = random.Random(int(os.environ.get("SEED") or 1)).sample(EVERY, 40)
"""As many as a night takes; another seed takes others."""


def played(case: Case, folder: Path, judge: Any, oracle: ModuleType, rounds: int, seed: int = 1) -> None:
    """Fewer rounds than a cycle has begin anywhere in it: of a few cases all operations are met."""
    drawn = random.Random(f"{case} {seed}")
    first = drawn.randrange(CYCLE) if rounds < CYCLE else 0
    Rounds(judge, oracle, case, folder, drawn).run(rounds, first)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_write_and_read_the_same_rows(tmp_path: Path, judge: Any, oracle: ModuleType, case: Case) -> None:
    played(case, tmp_path, judge, oracle, ROUNDS)


@pytest.mark.soak
@pytest.mark.parametrize("case", SOME, ids=str)
def test_both_write_and_read_the_same_rows_of_every_kind(
    tmp_path: Path, judge: Any, oracle: ModuleType, case: Case
) -> None:
    played(case, tmp_path, judge, oracle, ROUNDS)
