"""How many slices are kept beyond those that hold a match, over every recorded filter, and which of them statistics exclude.

A slice that is kept and holds no match is *undecidable* when the exact bounds, null counts and NaN of just its rows leave the
filter possible: ranges that overlap, patterns, functions that keep no order. No statistics of files can do better there. Nor can
they where none are recorded of a slice's log files: a footer tells of a base file alone; and rows of a base file count that
log files wrote again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cmp_to_key
from itertools import chain
from typing import Any

import numpy as np
import pytest

from hudi_core.expr.predicate import Column, Predicate
from hudi_core.metadata.table import COLUMN_STATS
from hudi_core.planning.plan import SKIP
from hudi_core.pruning.statistics import from_values
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.schema.meta import RECORD_KEY
from hudi_core.schema.schema import Schema
from hudi_core.table.table import Table
from hudi_core.types import nodes as t
from hudi_core.values.order import less
from tests.conformance.test_filters import row_of
from tests.conformance.test_tables import filters, opened
from tests.support.conformance import TableEntry, tables
from tests.support.drawing import SOAK

pytestmark = pytest.mark.filterwarnings("ignore::hudi_core.errors.ConditionWarning")
"""Recorded filters are any that Apache Hudi answers, also those that nobody would mean."""

SURPLUS = 0.10
"""Slices that are kept although statistics could rule them out, as a part of those that hold a match."""

LONG = 2048
"""Two such bounds are no longer written, by rule META-21."""

_EMPTY_TYPES = (t.Record, t.Array, t.Map, t.Union, t.Vector)


@dataclass
class Counts:
    """Slices over all filters."""

    matching: int = 0
    kept: int = 0
    undecidable: int = 0

    @property
    def surplus(self) -> int:
        """Kept, without a match, although the exact statistics of the slice's rows rule it out."""
        return self.kept - self.matching - self.undecidable


def rows_of_slices(entry: TableEntry, table: Table) -> list[list[tuple[Any, ...]]]:
    """The recorded rows of each slice, and the rows of its base file that log files wrote again: statistics tell of these too."""
    numbers = {(element.partition, element.file_id): number for number, element in enumerate(table.slices())}
    found: list[list[tuple[Any, ...]]] = [[] for _ in numbers]
    in_base_files = table.scan(read_optimized=True).to_json_rows() if with_logs(table) else ()
    for row in chain(entry.expected["snapshot"]["rows"], in_base_files):
        place = row["_hoodie_partition_path"] or "", row["_hoodie_file_name"].partition("_")[0]
        found[numbers[place]].append(row_of(row, table.schema))
    return found


def exact(rows: list[list[tuple[Any, ...]]], schema: Schema) -> FileStatistics:
    """The tightest statistics that there can be of these slices: of columns outside lists and maps."""

    def load(column: Column) -> Iterable[StatisticsPart]:
        if column.id not in schema.places or schema.place(column.id).repeated or isinstance(column.type, _EMPTY_TYPES):
            return
        place = schema.place(column.id)
        reported = [_told([_at(row, place.positions) for row in element], place.field.type) for element in rows]
        statistics = from_values(place.field.type, *zip(*reported, strict=True))  # type: ignore[arg-type]
        yield StatisticsPart(np.arange(len(rows), dtype=np.int64), statistics)

    return FileStatistics(len(rows), load)


def _at(row: Any, positions: tuple[int, ...]) -> Any:
    for position in positions:
        row = None if row is None else row[position]
    return row


def _told(values: list[Any], of: t.Type) -> tuple[Any, Any, int | None, int, bool]:
    """Least and greatest value, nulls, rows, and whether NaN is there. Writers tell nothing of columns with long texts."""
    known = [value for value in values if value is not None]
    if isinstance(of, t.String) and any(len(value.encode()) >= LONG for value in known):
        return None, None, None, len(values), False
    ordered = sorted((value for value in known if value == value), key=cmp_to_key(_order(of)))
    nans = len(ordered) < len(known)
    low, high = (ordered[0], ordered[-1]) if ordered else (None, None)
    return low, high, len(values) - len(known), len(values), nans


def _order(of: t.Type) -> Callable[[Any, Any], int]:
    return lambda a, b: -1 if less(a, b, of) else int(less(b, a, of))


def with_logs(table: Table) -> set[int]:
    return {number for number, element in enumerate(table.slices()) if element.logs}


@cache
def planned(name: str) -> dict[str, tuple[Predicate, set[int]]]:
    """The recorded filters of a table, as they are bound, and the slices that are kept for each."""
    (entry,) = (element for element in tables() if element.name == name)
    table = opened(entry)
    scans = {where: table.scan(where=where) for where, *_ in filters(entry)}
    return {
        where: (scan.predicate, set(np.flatnonzero(scan.plan.codes != SKIP).tolist())) for where, scan in scans.items()
    }


def counted(entry: TableEntry) -> Counts:
    table = opened(entry)
    rows = rows_of_slices(entry, table)
    statistics = exact(rows, table.schema)
    untold = set() if COLUMN_STATS in table.config.metadata_partitions else with_logs(table)
    found = Counts()
    for where, keys, holding, _ in filters(entry):
        predicate, kept = planned(entry.name)[where]
        matching = {number for number, element in enumerate(table.slices()) if element.file_id in holding}
        possible = set(statistics.plan(predicate).possible().tolist())
        found.matching += len(matching)
        found.kept += len(kept)
        found.undecidable += len((kept & (possible | untold)) - matching)
        assert bool(keys) == bool(matching), where
    return found


def test_few_slices_are_kept_that_statistics_could_rule_out() -> None:
    if not tables():
        pytest.skip("corpus and golden tables not present")
    by_table: dict[str, Counts] = defaultdict(Counts)
    for entry in tables()[:: 1 if SOAK else 4]:
        if entry.requires or any(row.get(RECORD_KEY) is None for row in entry.expected["snapshot"]["rows"]):
            continue
        by_table[entry.name] = counted(entry)
    matching = sum(element.matching for element in by_table.values())
    undecidable = sum(element.undecidable for element in by_table.values())
    surplus = sum(element.surplus for element in by_table.values())
    worst = sorted(by_table.items(), key=lambda item: -item[1].surplus)[:5]
    print(
        f"{matching} slices hold a match; kept beside them: {undecidable} undecidable, {surplus} others; most in {worst}"
    )
    assert surplus <= SURPLUS * matching, worst


def test_fewer_slices_are_kept_than_by_apache_hudi() -> None:
    """Over all predicates for which Apache Hudi is right, table by table, we keep no more slices than it does."""
    if not tables():
        pytest.skip("corpus and golden tables not present")
    worse = {}
    for entry in tables():
        if entry.requires:
            continue
        ours = theirs = 0
        for where, _, _, kept in filters(entry):
            if kept is not None:
                ours += len(planned(entry.name)[where][1])
                theirs += kept
        if ours > theirs:
            worse[entry.name] = (ours, theirs)
    assert not worse
