"""Merges, updates and deletes of DataFrames that are refused: by the error that they have on Arrow, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

import hudi_spark
from hudi_core.errors import HudiError, RowError
from hudi_core.expr.build import col
from hudi_core.front.merging import Merge
from hudi_core.front.opening import create_table
from hudi_core.writing.by_predicate import parse_assignments
from tests.core.writing.test_assignments import KEPT, LITERALS, LOST, ROW, TYPES
from tests.engines.spark.test_writing import frame_of
from tests.support.drawing import SOAK
from tests.support.spread_writes import assert_results, contents

_KEYED = pa.schema([("id", pa.int32()), ("at", pa.timestamp("ms", "UTC")), ("v", pa.int64())])
_MICROS = pa.timestamp("us", "UTC")
WRONG_KEYS: list[tuple[list[Any], list[int]]] = [
    ([1, 2**32 + 1], [0, 0]), ([1.0, 1.5], [0, 0]), (["1", "1.5"], [0, 0]), (["1", "x"], [0, 0]), ([1, 1], [0, 1]),
    ([1, None], [0, 0]),
]  # fmt: skip
CLAUSES: list[Callable[[Merge], Merge]] = [
    lambda merge: merge.when_matched_update({"v": 9}),
    lambda merge: merge.when_matched_delete(),
    lambda merge: merge.when_not_matched_insert(),
]
WRONG_CLAUSES: list[Callable[[Merge], Merge]] = [
    lambda merge: merge,
    lambda merge: merge.when_matched_update({"id": 3}),
    lambda merge: merge.when_matched_update({"v": col("source.none")}),
    lambda merge: merge.when_matched_update({"v": col("source.v") + 0.5}),
    lambda merge: merge.when_matched_update({"v": "7.9"}),
    lambda merge: merge.when_matched_update({"v": 2**63}),
    lambda merge: merge.when_matched_delete().when_matched_update(),
    lambda merge: merge.when_not_matched_insert({"v": col("target.v")}),
    lambda merge: merge.when_matched_delete("source.v"),
]
PREDICATES = ["nothing = 1", "i = 'x y'", "i +", "i", "SUM(i) > 1", "CAST(x AS INT) = 1"]


class Pair:
    """One table twice: written by Spark, and by Arrow."""

    def __init__(self, folder: Path, spark: Any, schema: pa.Schema, key: str, rows: pa.Table) -> None:
        self.spark = spark
        self.whole, spread = (create_table(folder / name, schema, key) for name in ("whole", "spread"))
        self.whole.append(rows)
        spread.append(rows)
        self.spread = hudi_spark.open(spark, spread.storage.uri)

    def assert_refused(self, run: Callable[[Any], object]) -> HudiError:
        """Both refuse the same with the same words, and change nothing. Returns the error."""
        before = contents(self.spread.table)
        texts = []
        for table, uri in ((self.whole, self.whole.storage.uri), (self.spread, self.spread.table.storage.uri)):
            with pytest.raises(HudiError) as raised:
                run(table)
            texts.append((type(raised.value), str(raised.value).replace(uri, "TABLE")))
        assert texts[0] == texts[1]
        assert contents(self.spread.table) == before
        return raised.value

    def assert_same(self, run: Callable[[Any], Any]) -> None:
        """Both have the same result, and the same rows then."""
        results = [run(self.spread), run(self.whole)]
        assert_results(*results)
        self.whole, self.spread = self.whole.refresh(), self.spread.refresh()
        rows = [sorted(map(str, table.scan(meta=False).to_json_rows())) for table in (self.whole, self.spread.table)]
        assert rows[0] == rows[1]

    def merge(self, table: Any, source: pa.Table, on: list[str]) -> Merge:
        merge: Merge = table.merge(source if table is self.whole else frame_of(self.spark, source, 2), on)
        return merge


def keyed(folder: Path, spark: Any) -> Pair:
    return Pair(folder, spark, _KEYED, "id,at", pa.table({"id": [1], "at": [0], "v": [7]}, _KEYED))


def source_of(ids: list[Any], times: list[int]) -> pa.Table:
    return pa.table({"id": ids, "at": pa.array(times, _MICROS), "v": [8, 9][: len(ids)]})


@pytest.mark.parametrize("clause", CLAUSES if SOAK else CLAUSES[:1])
@pytest.mark.parametrize(("ids", "times"), WRONG_KEYS if SOAK else WRONG_KEYS[:1])
def test_a_key_that_the_column_cannot_have_is_refused(
    spark: Any, tmp_path: Path, ids: list[Any], times: list[int], clause: Callable[[Merge], Merge]
) -> None:
    """WRITE-1295, WRITE-1400: by the number of the row in the DataFrame."""
    pair = keyed(tmp_path, spark)
    source = source_of(ids, times)
    error = pair.assert_refused(lambda table: clause(pair.merge(table, source, ["id", "at"])).execute())
    assert isinstance(error, RowError)
    assert error.row == 1


@pytest.mark.soak
@pytest.mark.parametrize("clause", WRONG_CLAUSES)
def test_a_clause_that_is_refused(spark: Any, tmp_path: Path, clause: Callable[[Merge], Merge]) -> None:
    """WRITE-611, WRITE-1294, WRITE-1400."""
    pair = keyed(tmp_path, spark)
    source = source_of([1, 2], [0, 0])
    pair.assert_refused(lambda table: clause(pair.merge(table, source, ["id", "at"])).execute())


@pytest.mark.soak
@pytest.mark.parametrize("ids", [[1, 2], [1.0, 2.0], ["1", "3"]])
def test_keys_of_other_types_are_those_that_they_equal(spark: Any, tmp_path: Path, ids: list[Any]) -> None:
    """WRITE-1295, WRITE-614."""
    pair = keyed(tmp_path, spark)
    source = source_of(ids, [0, 0])
    pair.assert_same(
        lambda table: (
            pair.merge(table, source, ["id", "at"])
            .when_matched_update({"v": col("target.v") + col("source.v")})
            .when_not_matched_insert()
            .execute()
        )
    )


def values(folder: Path, spark: Any) -> Pair:
    return Pair(folder, spark, TYPES, "id", pa.Table.from_pylist([ROW], TYPES))


@pytest.mark.parametrize(("column", "text"), LOST if SOAK else LOST[:1])
def test_a_value_that_its_column_cannot_have_is_refused(spark: Any, tmp_path: Path, column: str, text: str) -> None:
    """WRITE-1294, WRITE-1400: an update names the row as on Arrow."""
    pair = values(tmp_path, spark)
    error = pair.assert_refused(lambda table: table.update(dict(parse_assignments(f"{column} = {text}"))))
    assert isinstance(error, RowError)


@pytest.mark.soak
@pytest.mark.parametrize(("column", "value"), LITERALS)
def test_a_value_of_python_that_its_column_cannot_have(spark: Any, tmp_path: Path, column: str, value: object) -> None:
    """WRITE-1294, WRITE-1400."""
    values(tmp_path, spark).assert_refused(lambda table: table.update({column: value}))


@pytest.mark.soak
@pytest.mark.parametrize("predicate", PREDICATES)
def test_a_predicate_that_is_refused(spark: Any, tmp_path: Path, predicate: str) -> None:
    """WRITE-1400: of `update` and `delete`."""
    pair = values(tmp_path, spark)
    pair.assert_refused(lambda table: table.delete(where=predicate))
    pair.assert_refused(lambda table: table.update({"i": 1}, predicate))


_FIRST = {column: text for column, text, _ in reversed(KEPT)}
"""For each column one of the values that it can have."""


@pytest.mark.soak
@pytest.mark.parametrize("assigned", [_FIRST, {column: text for column, text, _ in KEPT}])
def test_values_that_columns_can_have_are_stored(spark: Any, tmp_path: Path, assigned: dict[str, str]) -> None:
    """WRITE-1294, WRITE-425."""
    parsed = {column: dict(parse_assignments(f"x = {text}"))["x"] for column, text in assigned.items()}
    values(tmp_path, spark).assert_same(lambda table: table.update(parsed))
