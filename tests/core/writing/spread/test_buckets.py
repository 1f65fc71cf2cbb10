"""Writes of rows in parts to tables of buckets: rows, statistics, indexes and file groups are those of a write of the whole.

Also covers: `writing/bucket_places.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from hudi_core.errors import HudiError, UnsupportedError, UsageError
from hudi_core.expr.build import col
from hudi_core.table.open import refreshed
from hudi_core.table.scan import Scan
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where, update
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.spread.by_predicate import spread_delete_where, spread_update
from hudi_core.writing.spread.operations import spread_write
from tests.core.writing.spread.test_source_merge import merged
from tests.support.drawing import SOAK
from tests.support.local_flow import LocalRows, local_rows, scan_rows
from tests.support.spread_writes import (
    OPERATIONS,
    assert_alike,
    assert_results,
    assert_twins,
    contents,
    cut,
    operation_rows,
    random_rows,
    twins,
)

SIMPLE = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}
CONSISTENT = {**SIMPLE, "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
LAYOUTS = {"simple": SIMPLE, "consistent": CONSISTENT}
WITH_INDEXES = ("column_stats", "bloom_filters")
IN_EACH_RUN = [("mor", 8, "consistent", None)]
EACH = [
    pytest.param(*case, marks=() if case in IN_EACH_RUN else pytest.mark.soak)
    for kind, layouts in (("cow", ("simple",)), ("mor", ("simple", "consistent")))
    for version in (6, 8, 9)
    for layout in layouts
    for indexes in (WITH_INDEXES, None)
    for case in [(kind, version, layout, indexes)]
]
OF_RUN = OPERATIONS if SOAK else ("insert",)
_OVERWRITES = ("insert_overwrite", "insert_overwrite_table")


def file_groups(table: Table) -> list[tuple[str, str, int]]:
    """The file groups: of simple buckets the number, of nodes the whole id; with the number of log files of each."""
    return sorted(
        (one.partition, one.file_id[:8] if one.file_id.startswith("0000") else one.file_id, len(one.logs))
        for one in refreshed(table).slices()
    )


def assert_same(spread: Table, whole: Table) -> None:
    assert_twins(spread, whole)
    assert file_groups(spread) == file_groups(whole)


@pytest.mark.parametrize(("kind", "version", "layout", "indexes"), EACH)
def test_rows_come_to_the_buckets_of_their_keys(
    tmp_path: Path, kind: str, version: int, layout: str, indexes: Sequence[str] | None
) -> None:
    """WRITE-1151: by every operation, update, delete and merge, with steps that run twice."""
    spread, whole = twins(tmp_path, kind, version, indexes, options=LAYOUTS[layout])
    chance = random.Random(f"{kind}{version}{layout}")
    for number, op in enumerate(["upsert", *OF_RUN, "upsert"]):
        if layout == "consistent" and op in _OVERWRITES:
            continue
        rows = operation_rows(chance, op, number, indexes, wide=False)
        expected = write(whole, rows, op)
        assert_results(
            spread_write(spread, local_rows(spread.engine, cut(chance, rows), number % 2 == 1), op), expected
        )
        if SOAK:
            assert_same(spread, whole)

    def rows_of_scan(scan: Scan) -> LocalRows:
        return scan_rows(scan, repeats=True)

    assigned = {"ts": col("ts") + 100, "f": 0.5}
    assert_alike(
        lambda: spread_update(spread, assigned, "ts > 2", rows_of_scan), lambda: update(whole, assigned, "ts > 2")
    )
    assert_alike(lambda: spread_delete_where(spread, "ts < 1", rows_of_scan), lambda: delete_where(whole, "ts < 1"))
    rows = random_rows(chance, 30, [0], distinct=True, keys=50)
    on = ["id", "p"]
    assert_results(merged(spread, rows, on, chance, repeats=True), merged(whole, rows, on, None))
    assert_same(spread, whole)


def test_what_is_refused_of_the_whole_is_refused_in_parts(tmp_path: Path) -> None:
    """WRITE-1151, WRITE-582, INDEX-577: with the same words, and nothing is changed."""
    spread, whole = twins(tmp_path, "mor", 9, None, options=CONSISTENT)
    rows = random_rows(random.Random(1), 40, [0], distinct=True)
    for table in (spread, whole):
        write(table, rows)
    before = contents(spread)
    refused: list[tuple[str, dict[str, str], type[HudiError]]] = [
        ("insert_overwrite", {}, UnsupportedError),
        ("upsert", {"hoodie.index.bucket.engine": "SIMPLE"}, UnsupportedError),
        ("upsert", {"hoodie.bucket.index.hash.field": "ts"}, UsageError),
    ]
    for op, properties, kind in refused:
        texts = []
        for run in (
            lambda op, options: spread_write(spread, local_rows(spread.engine, [rows]), op, options),
            lambda op, options: write(whole, rows, op, options),
        ):
            with pytest.raises(kind) as error:
                run(op, WriteOptions(properties=properties))
            texts.append(str(error.value).replace(spread.storage.uri, whole.storage.uri))
        assert texts[0] == texts[1]
    assert contents(spread) == before
