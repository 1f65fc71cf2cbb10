"""Merges of a source into a table: each row becomes what the clauses say, whatever the table's type and merge rule.

Also covers: `writing/source_merge/bound.py`, `writing/source_merge/matched.py`, `writing/source_merge/clauses.py`,
`front/merging.py`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core import col
from hudi_core.errors import ExpressionError, HudiError, RowError, SchemaError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table
from hudi_core.front.table import Table
from hudi_core.validation.validate import validate

TYPES = pa.schema(
    [("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int32()), ("l", pa.list_(pa.int32()))]
)
SOURCE = pa.schema(
    [("ride", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int64()), ("gone", pa.bool_())]
)
KINDS = [
    ("cow", 9, (), {}),
    ("mor", 9, (), {}),
    ("mor", 8, ("record_index",), {}),
    ("mor", 6, (), {}),
    ("cow", 6, ("record_index",), {}),
    ("cow", 8, (), {"hoodie.populate.meta.fields": "false"}),
]
Rows = dict[str, dict[str, Any]]


def new_table(folder: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str]) -> Table:
    return create_table(
        folder / "t", TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version,
        indexes=indexes or None, options=options,
    )  # fmt: skip


def on_of(table: Table) -> str:
    if "record_index" in table.config.kept_partitions:
        return "target.id = source.ride"
    return "target.id = source.ride AND target.p = source.p"


def stored(table: Table) -> Rows:
    return {row["id"]: row for row in table.refresh().scan(meta=False).to_json_rows()}


def row(number: int, ts: int, v: int | None) -> dict[str, Any]:
    return {"id": f"k{number}", "p": "xyz"[number % 3], "ts": ts, "v": v, "l": [number]}


def change(number: int, ts: int, v: int | None, gone: bool = False) -> dict[str, Any]:
    return {"ride": f"k{number}", "p": "xyz"[number % 3], "ts": ts, "v": v, "gone": gone}


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("kind", "version", "indexes", "options"), KINDS)
def test_the_first_clause_decides(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str]
) -> None:
    """WRITE-612, WRITE-613: also where a row is older than the stored one by its ordering value."""
    table = new_table(tmp_path, kind, version, indexes, options)
    table.upsert(pa.Table.from_pylist([row(n, 5, n) for n in range(6)], TYPES))
    source = [change(0, 1, 10), change(1, 1, 11, gone=True), change(2, 9, -1), change(7, 1, 17), change(8, 1, -8)]
    result = (
        table.merge(pa.Table.from_pylist(source, SOURCE), on_of(table))
        .when_matched_delete("source.gone")
        .when_matched_update({"v": col("source.v") + col("target.v"), "ts": col("source.ts")}, "source.v > 0")
        .when_not_matched_insert(
            {"id": col("source.ride"), "p": col("source.p"), "ts": 1, "v": col("source.v")}, "source.v > 0"
        )
        .execute()
    )
    assert (result.operation, result.inserted, result.updated, result.deleted) == ("UPSERT", 1, 1, 1)
    wanted = {f"k{n}": row(n, 5, n) for n in (2, 3, 4, 5)}
    wanted["k0"] = row(0, 1, 10)
    wanted["k7"] = {"id": "k7", "p": "y", "ts": 1, "v": 17, "l": None}
    assert stored(table) == wanted
    assert [finding for finding in validate(table.refresh()) if finding.severity != "info"] == []


@pytest.mark.each_value
@pytest.mark.parametrize(("kind", "version", "indexes", "options"), KINDS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 8))])
def test_a_merge_is_what_its_clauses_say_row_by_row(
    tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...], options: Mapping[str, str], seed: int
) -> None:
    """WRITE-612: the rows of a model of a few lines, after some merges."""
    chance = random.Random(f"{kind}{version}{seed}")
    table = new_table(tmp_path, kind, version, indexes, options)
    model: Rows = {}
    for _ in range(3):
        numbers = chance.sample(range(12), chance.randrange(1, 9))
        source = [
            change(n, chance.randrange(9), chance.choice((None, *range(5))), chance.random() < 0.3) for n in numbers
        ]
        least = chance.randrange(4)
        (
            table.merge(pa.Table.from_pylist(source, SOURCE), on_of(table))
            .when_matched_update({"v": col("source.v")}, f"source.v > target.v + {least}")
            .when_matched_delete("source.gone")
            .when_matched_update({"ts": col("target.ts") - 1})
            .when_not_matched_insert({"id": col("source.ride"), "p": col("source.p"), "v": col("source.v"), "ts": 3})
            .execute()
        )
        for given in source:
            key, old = given["ride"], model.get(given["ride"])
            if old is None:
                model[key] = {"id": key, "p": given["p"], "ts": 3, "v": given["v"], "l": None}
            elif given["v"] is not None and old["v"] is not None and given["v"] > old["v"] + least:
                old["v"] = given["v"]
            elif given["gone"]:
                del model[key]
            else:
                old["ts"] -= 1
        assert stored(table) == model


def test_all_columns_come_from_the_source(tmp_path: Path) -> None:
    """WRITE-611: without values, by name."""
    table = new_table(tmp_path, "mor", 9, (), {})
    table.upsert(pa.Table.from_pylist([row(1, 5, 1), row(2, 5, 2)], TYPES))
    source = pa.Table.from_pylist([row(2, 1, 20), row(3, 1, 30)], TYPES)
    table.merge(source, ["id", "p"]).when_matched_update().when_not_matched_insert().execute()
    assert stored(table) == {"k1": row(1, 5, 1), "k2": row(2, 1, 20), "k3": row(3, 1, 30)}


def test_several_rows_for_one_are_an_error(tmp_path: Path) -> None:
    """WRITE-612: where a clause holds for two of them; but a delete of all that are matched has one outcome."""
    table = new_table(tmp_path, "cow", 9, (), {})
    table.upsert(pa.Table.from_pylist([row(n, 5, n) for n in range(4)], TYPES))
    before = sorted((tmp_path / "t").rglob("*"))
    twice = table.merge(pa.Table.from_pylist([change(1, 1, 7), change(0, 1, 7), change(1, 1, 8)], SOURCE), on_of(table))
    with pytest.raises(RowError, match=r"row 3: expected one row of the source for each row of the table .* key 'k1'"):
        twice.when_matched_update({"v": col("source.v")}).execute()
    new = table.merge(pa.Table.from_pylist([change(9, 1, 7), change(9, 1, 8)], SOURCE), on_of(table))
    with pytest.raises(RowError, match="one row of the source for each new row"):
        new.when_not_matched_insert({"id": col("source.ride"), "v": 1}).execute()
    assert sorted((tmp_path / "t").rglob("*")) == before
    twice.when_matched_update({"v": col("source.v")}, "source.v = 8").execute()
    assert stored(table)["k1"]["v"] == 8
    twice.when_matched_delete().execute()
    assert sorted(stored(table)) == ["k2", "k3"]


def test_what_cannot_be_merged_is_refused_by_name(tmp_path: Path) -> None:
    """WRITE-610, WRITE-611, WRITE-1592: before anything is written."""
    table = new_table(tmp_path, "cow", 9, (), {})
    table.upsert(pa.Table.from_pylist([row(n, 5, n) for n in range(4)], TYPES))
    indexed = new_table(tmp_path / "indexed", "cow", 9, ("record_index",), {})
    indexed.upsert(pa.Table.from_pylist([row(1, 5, 1)], TYPES))
    before = sorted(tmp_path.rglob("*"))
    source = pa.Table.from_pylist([change(1, 1, 7)], SOURCE)
    merge = table.merge(source, on_of(table))
    refused: list[tuple[Any, type[HudiError], str]] = [
        (merge, UsageError, "a clause"),
        (table.merge(source, "p").when_matched_delete(), UnsupportedError, "columns of the table's keys, id, p"),
        (table.merge(source, "target.v > source.v").when_matched_delete(), UnsupportedError, "equalities of columns"),
        (table.merge(source, ["id", "p"]).when_matched_delete(), ExpressionError, "id"),
        (
            table.merge(source, ["id", "p", "ID"]).when_matched_delete(),
            UsageError,
            "on: expected each column once, found id, ID",
        ),
        (
            table.merge(
                source, "target.id = source.ride AND target.p = source.p AND target.id = source.v"
            ).when_matched_delete(),
            UsageError,
            "on: expected each column once, found id, id",
        ),
        (
            indexed.merge(source, on_of(table)).when_matched_delete(),
            UnsupportedError,
            "the columns of the table's keys, id",
        ),
        (merge.when_matched_update({"id": "z"}), UsageError, "outside of the record key"),
        (merge.when_matched_update({"v": col("source.none")}), ExpressionError, "none"),
        (merge.when_matched_update({"v": col("v")}), ExpressionError, "v"),
        (merge.when_matched_update({}), UsageError, "values by column"),
        (merge.when_matched_update(), ExpressionError, "^l: expected a column of this name in the source"),
        (merge.when_matched_delete().when_matched_update(), UsageError, "that no row reaches"),
        (merge.when_not_matched_insert({"v": col("target.v")}), ExpressionError, "target"),
        (merge.when_not_matched_insert({"id": "z"}), UsageError, "by which the row was looked for"),
    ]
    for refusing, error, text in refused:
        with pytest.raises(error, match=text):
            refusing.execute()
    with pytest.raises(UsageError, match="expected some of"):
        merge.when_matched_delete().execute(speed=1)
    with pytest.raises(RowError, match="v: row 1: expected a value of type int"):
        big = pa.Table.from_pylist([change(1, 1, 2**40)], SOURCE)
        table.merge(big, on_of(table)).when_matched_update({"v": col("source.v")}).execute()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_key_that_the_column_cannot_have_matches_no_row(tmp_path: Path) -> None:
    """WRITE-1295: a cast to the type of the key would make it the key of another row."""
    types = pa.schema([("id", pa.int32()), ("at", pa.timestamp("ms", "UTC")), ("v", pa.int64())])
    table = create_table(tmp_path / "t", types, "id,at")
    table.append(pa.table({"id": [1], "at": [0], "v": [7]}, types))
    before = sorted(tmp_path.rglob("*"))
    for ids, times, column in [
        ([1, 2**32 + 1], [0, 0], "id"),
        ([1.0, 1.5], [0, 0], "id"),
        (["1", "1.5"], [0, 0], "id"),
        (["1", "x"], [0, 0], "id"),
        ([1, 1], [0, 1], "at"),
    ]:
        source = pa.table({"id": ids, "at": pa.array(times, pa.timestamp("us", "UTC")), "v": [8, 9]})
        for merge in (
            table.merge(source, ["id", "at"]).when_matched_update({"v": 9}),
            table.merge(source, ["id", "at"]).when_matched_delete(),
            table.merge(source, ["id", "at"]).when_not_matched_insert(),
        ):
            with pytest.raises(RowError, match=rf"^{column}: row 2: expected a value of type"):
                merge.execute()
    with pytest.raises(SchemaError, match="id: expected an expression of type int, found one of type boolean"):
        table.merge(pa.table({"id": [True], "at": [0]}), ["id", "at"]).when_matched_delete().execute()
    assert sorted(tmp_path.rglob("*")) == before
    whole = pa.table({"id": ["1"], "at": pa.array([0], pa.timestamp("us", "UTC")), "v": [8]})
    assert table.merge(whole, ["id", "at"]).when_matched_update({"v": col("source.v")}).execute().updated == 1
    assert [one["v"] for one in table.refresh().scan(meta=False).to_json_rows()] == [8]
