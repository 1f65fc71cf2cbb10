"""Expression indexes that this library builds and keeps, judged by Apache Hudi, which queries by them and goes on with them.

Rules META-114 to META-119, WRITE-60.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hudi_core.index_kinds.build_plan import IndexOptions
from tests.support.built_indexes import IndexedTable

pytestmark = pytest.mark.interop

LONG = "Z" * 300
STRINGS = ["A", "aB", "É", LONG, "Ü𝄞", "0"]
# One index a column: Apache Hudi 1.2.0 answers any function of the column by it (META-119).
LOWER = IndexOptions(["s"], name="low", function="lower")
YEAR = IndexOptions(["day"], name="year", function="year")
SIEVE = IndexOptions(["w"], name="sieve", function="upper", using="bloom_filters")
FILTERS = [
    *(f"lower(s) = '{value}'" for value in ("a", "ab", "é", LONG.lower(), "ü𝄞", "new", "none of them")),
    "lower(s) in ('a', 'new')",
    "lower(s) = 'a' and x = 1.5",
    "lower(s) is null",
    *(f"year(day) = {year}" for year in (1969, 1970, 1971)),
    *(f"upper(w) = '{value}'" for value in ("A", "AB", "NEW", "NONE OF THEM")),
    "upper(w) in ('A', 'NEW')",
]


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_apache_hudi_loses_no_row_by_an_index_of_a_table_without_meta_columns(
    judge: Any, tmp_path: Path, kind: str
) -> None:
    """TIME-230: with data skipping on, after writes that update, widen and reorder columns."""
    indexed = IndexedTable.create(judge, tmp_path, kind, 9, STRINGS, FILTERS[:9], meta=False)
    indexed.build("expression_index", [LOWER])
    indexed.write(30, 80, 1, "New")
    indexed.delete(0, 9, 2)
    indexed.verify()


@pytest.mark.parametrize(("kind", "version"), [("mor", 8), ("cow", 8), ("mor", 9), ("cow", 9)])
def test_apache_hudi_queries_with_built_indexes_and_maintains_them(
    judge: Any, tmp_path: Path, kind: str, version: int
) -> None:
    indexed = IndexedTable.create(judge, tmp_path, kind, version, STRINGS, FILTERS)
    # Of version V1 Apache Hudi reads statistics of values of the column's own type alone (META-115), and it writes no log file
    # beside filters (META-119).
    options = [LOWER, *([YEAR] if version == 9 else []), *([SIEVE] if kind == "cow" else [])]
    indexed.build("expression_index", options)
    indexed.write(30, 80, 1, "New")
    indexed.delete(0, 9, 2)
    indexed.verify()
    indexed.go_on(kind)
