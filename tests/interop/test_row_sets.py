"""Merges with clauses for rows that the source lacks, and overwrites with a predicate: Apache Hudi reads them and goes on."""

from __future__ import annotations

import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.rounds import ALL_INDEXES, INDEXES_BEFORE_8, Case, Rounds

pytestmark = pytest.mark.interop

CASES = [
    Case("mor", 9, indexes=("column_stats", "partition_stats")),
    Case("cow", 8, ("number", "id"), indexes=ALL_INDEXES),
    Case("mor", 6, indexes=INDEXES_BEFORE_8),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_apache_hudi_goes_on_with_what_replaces_rows(
    tmp_path: Path, judge: Any, oracle: ModuleType, case: Case
) -> None:
    """WRITE-1580, WRITE-1583; of version 9 under a partitioned record index, which was built before the first row: WRITE-1537,
    META-1586."""
    rounds = Rounds(judge, oracle, case, tmp_path, random.Random(f"{case}"))
    if case.version == 9:
        rounds.table = rounds.table.index("record_index", partitioned=True)
    for operation in ("insert", "insert", "merge", "overwrite_where"):
        rounds.write(operation)
    rounds.go_on("upsert")
    for operation in ("merge", "overwrite_where"):
        rounds.write(operation)
    rounds.verify()
