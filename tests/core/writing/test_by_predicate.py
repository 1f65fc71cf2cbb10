"""Deletes and updates of the rows that match a predicate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.errors import ExpressionError, RowError, SchemaError, UnknownColumnError, UsageError
from hudi_core.expr.build import col
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.by_predicate import delete_where, parse_assignments, update
from hudi_core.writing.operations import write

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("v", pa.int32()), ("l", pa.list_(pa.int32()))])
KINDS = pytest.mark.parametrize(
    ("kind", "version", "virtual"),
    [("cow", 9, False), ("mor", 9, False), ("mor", 6, False), ("cow", 6, True), ("mor", 8, True)],
)


def new_table(folder: Path, kind: str = "cow", version: int = 9, virtual: bool = False) -> Table:
    options = {"hoodie.populate.meta.fields": "false"} if virtual else {}
    table = create_table(folder / "t", TYPES, "id", partition_by="p", type=kind, version=version, options=options)
    rows = [{"id": f"{n}", "p": "xy"[n % 2], "v": n, "l": [n]} for n in range(6)]
    write(table, pa.Table.from_pylist(rows, TYPES))
    return table


def values(table: Table) -> dict[str, Any]:
    return {row["id"]: row["v"] for row in refreshed(table).scan(columns=["id", "v"]).to_json_rows()}


@pytest.mark.one_of(2)
@KINDS
def test_rows_that_match_are_deleted(tmp_path: Path, kind: str, version: int, virtual: bool) -> None:
    """WRITE-25."""
    table = new_table(tmp_path, kind, version, virtual)
    result = delete_where(table, "v > 3 OR id = '1'")
    assert (result.operation, result.deleted) == ("DELETE", 3)
    assert values(table) == {"0": 0, "2": 2, "3": 3}
    assert delete_where(table, col("v") > 100).deleted == 0
    assert values(table) == {"0": 0, "2": 2, "3": 3}


def test_two_values_for_a_column_are_refused(tmp_path: Path) -> None:
    """WRITE-802: by names in other case too."""
    table = new_table(tmp_path)
    with pytest.raises(UsageError, match=r"^v: expected one value for each column, found several"):
        update(table, {"v": 1, "V": 2})
    source = pa.Table.from_pylist([{"id": "0", "p": "x", "v": 9, "l": [1]}], TYPES)
    for merge in (
        open_table(tmp_path / "t").merge(source, on=["id", "p"]).when_matched_update({"v": 1, "V": 2}),
        open_table(tmp_path / "t").merge(source, on=["id", "p"]).when_not_matched_insert({"id": "z", "v": 1, "V": 2}),
    ):
        with pytest.raises(UsageError, match="expected one value for each column"):
            merge.execute()


@pytest.mark.one_of(2)
@KINDS
def test_rows_that_match_are_updated(tmp_path: Path, kind: str, version: int, virtual: bool) -> None:
    """WRITE-26."""
    table = new_table(tmp_path, kind, version, virtual)
    assert update(table, {"v": col("v") * 10}, "p = 'x' AND v > 0").updated == 2
    assert values(table) == {"0": 0, "1": 1, "2": 20, "3": 3, "4": 40, "5": 5}
    update(table, {"v": 7})
    assert set(values(table).values()) == {7}
    update(table, dict(parse_assignments("v = NULL")), "id = '1'")
    assert values(table)["1"] is None


def test_impossible_assignments_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    """WRITE-27."""
    table = new_table(tmp_path)
    before = sorted((tmp_path / "t").rglob("*"))
    for assigned, error, message in (
        ({"id": "z"}, UsageError, "record key"),
        ({"p": "z"}, UsageError, "record key"),
        ({"none": 1}, UnknownColumnError, "none"),
        ({"v": "text"}, SchemaError, "v"),
        ({"v": col("v") == 1}, SchemaError, "found one of type boolean"),
        ({"l": col("v")}, SchemaError, "l"),
        ({}, UsageError, "none"),
        ("v = 7", UsageError, r'new values by column, as {"n": 7}'),
        (None, UsageError, "found None"),
    ):
        with pytest.raises(error, match=message):
            update(table, assigned)
    with pytest.raises((ExpressionError, UnknownColumnError)):
        delete_where(table, "none = 1")
    with pytest.raises(UsageError, match="set"):
        parse_assignments("v > 3")
    assert [name for name, _ in parse_assignments("v = round(1.5, 0), p = 'a, b'")] == ["v", "p"]
    assert sorted((tmp_path / "t").rglob("*")) == before


@pytest.mark.parametrize("where", ["v = 1", "id IN ('1')", "v>1", "p is null"])
def test_a_predicate_in_the_place_of_rows_names_the_argument_for_it(tmp_path: Path, where: str) -> None:
    new_table(tmp_path)
    with pytest.raises(
        UsageError, match=r"^delete: expected a predicate as where=\.\.\., or the path of a file of rows"
    ):
        open_table(tmp_path / "t").delete(where)


KINDS_OF_VALUES = {
    "v": "7",
    "b": "true",
    "d": "DATE '2024-03-01'",
    "ts": "TIMESTAMP '2024-03-01 12:00:00'",
    "f": "1.5D",
}


@pytest.mark.parametrize("column", KINDS_OF_VALUES)
def test_a_value_of_another_kind_is_refused_unless_it_is_cast(tmp_path: Path, column: str) -> None:
    """WRITE-1001."""
    types = pa.schema(
        [("id", pa.string()), ("v", pa.int32()), ("b", pa.bool_()), ("d", pa.date32()), ("ts", pa.timestamp("us")),
         ("f", pa.float64())]
    )  # fmt: skip
    table = create_table(tmp_path / "t", types, "id")
    write(table, pa.Table.from_pylist([{"id": "a"}], types))
    before = sorted((tmp_path / "t").rglob("*"))
    alike = [{"d", "ts"}, {"v", "f"}, {"b"}]
    for other, text in [*KINDS_OF_VALUES.items(), ("v", "2024-03-01")]:
        if not any({column, other} <= kind for kind in alike):
            with pytest.raises(SchemaError, match=rf"^{column}: expected an expression of type .*, found one of type"):
                update(table, dict(parse_assignments(f"{column} = {text}")))
    assert sorted((tmp_path / "t").rglob("*")) == before
    text = KINDS_OF_VALUES[column]
    assert update(table, dict(parse_assignments(f"{column} = {text}"))).updated == 1
    if column in ("v", "ts"):
        other = "b" if column == "v" else "v"
        to = "INT" if column == "v" else "TIMESTAMP"
        write(table, pa.Table.from_pylist([{"id": "a", "b": True, "v": 9}], types))
        assert update(table, dict(parse_assignments(f"{column} = CAST({other} AS {to})"))).updated == 1


def test_a_text_that_looks_like_an_expression_is_told_how_one_is_made(tmp_path: Path) -> None:
    """WRITE-27."""
    table = new_table(tmp_path)
    with pytest.raises(
        SchemaError,
        match=r"v: expected a value of int, or an expression made with hudi_core.expr or hudi_core.col, found",
    ):
        update(table, {"v": "v + 1"})
    with pytest.raises(SchemaError, match=r"v: expected a value of int, found"):
        update(table, {"v": [1]})


def test_an_expression_without_a_value_of_the_type_names_the_row(tmp_path: Path) -> None:
    """WRITE-27."""
    table = new_table(tmp_path)
    with pytest.raises(RowError, match=r"v: row \d: expected a value of type int, found \d+ of type long"):
        update(table, {"v": col("v").cast("bigint") * 2_000_000_000})
    assert values(table)["5"] == 5
