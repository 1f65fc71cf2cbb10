"""What `Values` has to answer where texts are made of rows: joined, mapped, numbered, refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from hudi_core.errors import RowError
from hudi_core.types import nodes as t
from tests.contract.harness import Columns, law
from tests.support.strategies import values_of

TEXT = t.String()


class TextsContract:
    """Give a fixture `engine` of `tests.contract.harness.Columns`."""

    @law(st.lists(st.tuples(*[st.none() | values_of(TEXT)] * 2), max_size=5), values_of(TEXT))
    def test_join_puts_columns_and_constants_one_after_another(self, engine: Columns, rows: Any, constant: str) -> None:
        columns = [([row[at] for row in rows], TEXT) for at in range(2)]
        found = engine.column(lambda a, b: engine.values.join([constant, a, ",", b]), TEXT, *columns)
        assert found == [None if None in (a, b) else f"{constant}{a},{b}" for a, b in rows]

    def test_replaced_puts_a_constant_where_the_mask_is_true(self, engine: Columns) -> None:
        values = engine.values
        for constant, rows in (("x", [None, "a", ""]), (None, ["a", "b"])):
            found = engine.column(
                lambda a, constant=constant: values.replace(a, values.no(values.matches(a, ("a",))), constant, TEXT),
                TEXT,
                (rows, TEXT),
            )
            assert found == [row if row == "a" else constant for row in rows]

    def test_join_takes_constants_before_between_and_after(self, engine: Columns) -> None:
        rows = ["é", None, ""]
        found = engine.column(lambda a: engine.values.join(["<", "<", a, ",", a, ">", ">"]), TEXT, (rows, TEXT))
        assert found == ["<<é,é>>", None, "<<,>>"]

    def test_join_of_one_column_is_the_column(self, engine: Columns) -> None:
        rows = ["a", None, ""]
        assert engine.column(lambda a: engine.values.join([a]), TEXT, (rows, TEXT)) == rows

    @law(st.lists(st.none() | values_of(TEXT), max_size=5))
    def test_mapped_puts_the_rule_to_every_value(self, engine: Columns, rows: Any) -> None:
        found = engine.column(lambda a: engine.values.map(a, len, TEXT, t.Int()), t.Int(), (rows, TEXT))
        assert found == [None if row is None else len(row) for row in rows]

    def test_mapped_takes_values_in_the_form_of_the_core(self, engine: Columns) -> None:
        of = t.Timestamp(t.Unit.MICROS)
        rows = [0, None, -1, 10**15, 0]
        found = engine.column(lambda a: engine.values.map(a, str, of, TEXT), TEXT, (rows, of))
        assert found == ["0", None, "-1", "1000000000000000", "0"]

    def test_refuse_names_the_first_row_that_the_mask_takes(self, engine: Columns) -> None:
        values = engine.values
        with pytest.raises(RowError, match="expected a text, found null") as refused:
            engine.column(
                lambda a: values.refuse(a, values.is_null(a), "a text", "null"), TEXT, ([None, "a", None], TEXT)
            )
        assert refused.value.row in (0, None)

    def test_refuse_gives_the_values_when_the_mask_takes_none(self, engine: Columns) -> None:
        values = engine.values
        rows = ["a", ""]
        assert engine.column(lambda a: values.refuse(a, values.is_null(a), "", ""), TEXT, (rows, TEXT)) == rows
