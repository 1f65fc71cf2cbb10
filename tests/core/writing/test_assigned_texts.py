"""Texts, predicates and scalars of NumPy as new values of columns. Rule WRITE-1458."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hudi_core
from hudi_core.errors import SchemaError, UsageError
from hudi_core.expr.predicate import Constant
from hudi_core.expr.walk import names_in
from hudi_core.writing.by_predicate import check_update
from tests.support.drawing import cases

PLACE = pa.struct([("city", pa.string())])
TYPES = pa.schema(
    [("id", pa.string()), ("name", pa.string()), ("n", pa.int32()), ("a", pa.int32()), ("flag", pa.bool_()), ("place", PLACE)]
)  # fmt: skip
ROW = {"id": "1", "name": "ann", "n": 7, "a": 3, "flag": None, "place": {"city": "oslo"}}
EXPRESSIONS = {
    "upper(name)": "ANN", "concat(name, '-', n)": "ann-7", "name || '!'": "ann!", "`name` || n": "ann7", "n + a": "10",
    "CASE WHEN n > 5 THEN 'high' ELSE 'low' END": "high", "CAST(n AS STRING)": "7", "place.city": "oslo", "n > a": "true",
    "name IS NULL": "false", "coalesce(NULL, name)": "ann", "NAME || ''": "ann",
}  # fmt: skip
"""Expressions over the columns, and the text that each is in the row."""
PIECES = ("name", "n", "a", "+", "||", "(", ")", "'", ".", "upper", " ", "1", ",", "-", "flag", "place.city", ">")
TEXTS = (
    "", " ", "name", "n", "upper(nobody)", "source.name", "total (n)", "'done'", "1 + 1", "current_date", "x-ray", "n, a",
    "ann's", "n > a > n", "SELECT name", "a.b.c", "place.town", "NULL", "place . nowhere", "\u2603 || name?", "(", "name ||",
)  # fmt: skip


def new_table(folder: Path) -> hudi_core.Table:
    table = hudi_core.create(folder / "t", TYPES, "id")
    table.append([ROW])
    return table


def stored(table: hudi_core.Table, column: str) -> Any:
    (row,) = table.refresh().scan(columns=[column]).to_arrow().to_pylist()
    return row[column]


def test_an_expression_of_columns_is_no_text(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for text in EXPRESSIONS:
        with pytest.raises(UsageError) as caught:
            table.update({"name": text})
        assert str(caught.value) == (
            f"name: expected hudi_core.expr({text!r}) for what that is in each row, or hudi_core.lit({text!r}) for the text, "
            f"found {text!r}, which is an expression of columns"
        )
    assert sorted(tmp_path.rglob("*")) == before
    for text, value in EXPRESSIONS.items():
        table.update({"name": hudi_core.expr(text)})
        assert stored(table, "name") == value
        table.update({"name": hudi_core.lit(text)})
        assert stored(table, "name") == text
        table.update({"name": "ann"})


def test_other_texts_are_stored(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    for text in TEXTS:
        table.update({"name": text})
        assert stored(table, "name") == text


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> hudi_core.Table:
    return new_table(tmp_path_factory.mktemp("texts"))


@settings(max_examples=cases(400, part=4))
@given(text=st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=8))
def test_a_text_is_taken_whole_or_refused(table: hudi_core.Table, text: str) -> None:
    try:
        _, changes = check_update(table, {"name": text}, None, {})
    except UsageError:
        assert names_in(hudi_core.expr(text).node)
        _, changes = check_update(table, {"name": hudi_core.lit(text)}, None, {})
    (assigned,) = changes.assignments.values()
    assert isinstance(assigned.own, Constant)
    assert assigned.own.value == text


def test_names_of_a_merge_are_no_texts(tmp_path: Path) -> None:
    source = pa.table({"id": ["1", "2"], "name": ["bob", "eve"]})
    for text in ("source.name", "target.name", "upper(source.name)", "source.name || target.name"):
        merge = new_table(tmp_path / text).merge(source, on="id")
        with pytest.raises(UsageError, match=r"^name: expected hudi_core.expr\('.*found '.*', which is an expression"):
            merge.when_matched_update({"name": text}).execute()
    table = new_table(tmp_path / "inserts")
    merge = table.merge(source, on="id")
    with pytest.raises(UsageError, match=r"^name: expected hudi_core.expr\('source.name'\)"):
        merge.when_not_matched_insert({"name": "source.name"}).execute()
    clauses = table.merge(source, on="id").when_matched_update(
        {"name": hudi_core.expr("upper(source.name) || target.n")}
    )
    clauses.when_not_matched_insert({"name": "name"}).execute()
    rows = table.refresh().scan(columns=["id", "name"]).to_arrow().sort_by("id").to_pylist()
    assert rows == [{"id": "1", "name": "BOB7"}, {"id": "2", "name": "name"}]


def test_a_predicate_is_a_value(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    for predicate, value in (
        (hudi_core.col("n") > hudi_core.col("a"), True),
        (hudi_core.parse_predicate("n < a"), False),
        (hudi_core.expr("n > CAST(NULL AS INT)"), None),
    ):
        table.update({"flag": predicate})
        assert stored(table, "flag") is value
    with pytest.raises(SchemaError, match=r"^n: expected an expression of type int, found one of type boolean"):
        table.update({"n": hudi_core.col("n") > 3})


def test_an_error_of_a_text_names_the_way(tmp_path: Path) -> None:
    with pytest.raises(
        SchemaError, match=r"^n: expected .*, or an expression made with hudi_core.expr or hudi_core.col, found"
    ):
        new_table(tmp_path).update({"n": "n + 1"})


def test_a_scalar_of_numpy_is_a_value(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    for column, value in (("n", np.int64(8)), ("n", np.uint8(9)), ("flag", np.bool_(True)), ("name", np.str_("x"))):
        table.update({column: value})
        assert stored(table, column) == value
    with pytest.raises(SchemaError, match=r"^n: expected a value of int"):
        table.update({"n": np.int64(2**40)})


def test_a_predicate_is_no_rows(tmp_path: Path) -> None:
    table = new_table(tmp_path)
    for predicate in (hudi_core.col("n") > 3, hudi_core.parse_predicate("n > 3")):
        with pytest.raises(
            UsageError, match=r"^delete: expected a predicate as where=\.\.\., or rows, found a predicate in place"
        ):
            table.delete(predicate)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [np.array([1, 2]), pd.Series([1]), pl.col("n") + 1, pa.scalar(1), [1]], ids=lambda one: type(one).__name__
)
def test_an_object_of_another_library_is_no_value(tmp_path: Path, value: object) -> None:
    with pytest.raises(SchemaError, match=r"^n: expected a value of int, found"):
        new_table(tmp_path).update({"n": value})
