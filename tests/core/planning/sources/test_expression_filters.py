"""META-120: slices left out by the bloom filters of expression indexes."""

from __future__ import annotations

from pathlib import Path

from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.table.open import refreshed
from hudi_core.writing.operations import write
from tests.support.expression_tables import (
    TYPES,
    Copies,
    decided,
    ids,
    indexed,
    rows,
)


def test_queries_leave_out_slices_by_filters(indexable: Copies, tmp_path: Path) -> None:
    """META-120: of base files and log files, not of a slice with a file without a filter."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", ordering="ts", type="mor")
    write(table, rows(range(20), 1, lambda number: "Even" if number % 2 == 0 else "Odd"))
    table = indexed(refreshed(table), "expr_index_sieve")
    assert decided(table, "upper(s) = 'ODD'") == {"expr_index_sieve": 1}
    assert decided(table, "upper(s) in ('EVEN', 'ODD')") == {"expr_index_sieve": 0}
    assert decided(table, "upper(s) = 'NOWHERE' and n = 1") == {"expr_index_sieve": 2}
    assert decided(table, "upper(s) > 'ODD' or upper(s) = ''") == {"expr_index_sieve": 0}
    write(table, rows([2, 4], 2, lambda _: "Odd"))
    assert decided(table, "upper(s) = 'ODD'") == {"expr_index_sieve": 0}
    assert ids(table, "upper(s) = 'ODD'") == ["k1", "k11", "k13", "k15", "k17", "k19", "k2", "k3", "k4", "k5", "k9"]
    write(refreshed(table), rows([6], 3, lambda _: ""))
    assert decided(table, "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 1}
    path = tmp_path / "t/.hoodie/hoodie.properties"
    path.write_text(path.read_text().replace("EVENT_TIME_ORDERING", "CUSTOM"))
    assert decided(open_table(tmp_path / "t"), "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 1}


def test_a_filter_of_integers_is_probed_with_their_digits(indexable: Copies, tmp_path: Path) -> None:
    """META-118, META-120."""
    options = IndexOptions(["day"], name="year", function="year", using="bloom_filters")
    table = build_indexes(indexable(tmp_path / "t", "cow"), ["expression_index"], options)
    assert decided(table, "year(day) = 2020") == {"expr_index_year": 1}
    assert ids(table, "year(day) = 2021") == sorted(f"k{number}" for number in range(24) if number % 2)


def test_damaged_filters_leave_nothing_out(indexable: Copies, tmp_path: Path) -> None:
    table = indexed(indexable(tmp_path / "t", "cow"), "expr_index_sieve")
    for file in (tmp_path / "t/.hoodie/metadata/expr_index_sieve").glob("*.hfile"):
        file.write_bytes(file.read_bytes()[:-9])
    table = refreshed(table)
    assert decided(table, "upper(s) = 'NOWHERE'") == {"expr_index_sieve": 0}
