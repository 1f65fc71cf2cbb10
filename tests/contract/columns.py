"""Decoded columns become an engine's batches, and its values columns again: every type, every row, nulls at any depth.

Also covers: `columns/unions.py`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import (
    BinaryColumn,
    Column,
    EnumColumn,
    FixedBinaryColumn,
    NullColumn,
    PrimitiveColumn,
    StructColumn,
    UnionColumn,
)
from hudi_core.columns.slicing import slice_rows
from hudi_core.errors import CorruptFileError, SchemaError
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.values.json import to_json
from hudi_plain.buffers import from_values, to_values
from tests.contract.harness import Batches, law
from tests.support.strategies import rows_of, schemas

SCHEMAS = schemas(named=False)


def one(of: t.Type, optional: bool = True) -> Schema:
    return Schema(t.Record((t.Field(0, "a", of, optional),)))


class ColumnsContract:
    """Give a fixture `batches` of `tests.contract.harness.Batches`."""

    @law(SCHEMAS, st.data())
    def test_columns_become_batches_with_the_same_rows(
        self, batches: Batches, schema: Schema, data: st.DataObject
    ) -> None:
        """ENGINE-8."""
        rows = data.draw(st.lists(rows_of(schema), max_size=6))
        low = data.draw(st.integers(0, len(rows)))
        columns = slice_rows(from_values(rows, schema.record, "rows"), low, len(rows))
        assert self._rows(batches, columns, schema) == [repr(to_json(row, schema.record)) for row in rows[low:]]

    @law(SCHEMAS, st.data())
    def test_batches_become_columns_with_the_same_rows(
        self, batches: Batches, schema: Schema, data: st.DataObject
    ) -> None:
        """ENGINE-8."""
        rows = data.draw(st.lists(rows_of(schema), min_size=1, max_size=6))
        parts = [
            batches.rows.to_column(batches.rows.root(batch), schema.record, "rows")
            for batch in batches.of(rows, schema)
        ]
        assert list(map(repr, to_values(concat_columns(parts, len(rows)), schema.record, "rows"))) == list(
            map(repr, rows)
        )

    def test_columns_of_a_wider_schema_are_taken_by_name(self, batches: Batches) -> None:
        columns = StructColumn(
            1, {"b": PrimitiveColumn(np.array([7], np.int64)), "a": PrimitiveColumn(np.array([3], np.int32))}
        )
        assert self._rows(batches, columns, one(t.Int())) == ["{'a': 3}"]

    def test_fields_below_a_null_struct_are_ignored(self, batches: Batches) -> None:
        """AVC-15."""
        inner = t.Record((t.Field(1, "d", t.Decimal(4, 1), optional=False),))
        hidden = BinaryColumn(np.array([0, 0, 1]), np.array([5], np.uint8))
        columns = StructColumn(2, {"a": StructColumn(2, {"d": hidden}, np.array([False, True]))})
        assert self._rows(batches, columns, one(inner)) == ["{'a': None}", "{'a': {'d': '0.5'}}"]

    def test_the_branch_of_null_may_stand_anywhere(self, batches: Batches) -> None:
        """AVC-14."""
        numbers, flags = PrimitiveColumn(np.array([5, 6], np.int32)), PrimitiveColumn(np.array([True]))
        of = t.Union((t.Field(1, "member0", t.Int(), False), t.Field(2, "member1", t.Boolean(), False)))
        branches = np.array([1, 0, 2, 1], np.int8)
        for order in ([0, 1, 2], [1, 0, 2], [1, 2, 0]):
            place = np.argsort(order).astype(np.int8)
            children = [(NullColumn(1), numbers, flags)[number] for number in order]
            names = [("null", "int", "boolean")[number] for number in order]
            union = UnionColumn(place[branches], tuple(names), tuple(children))
            shown = [repr(to_json((row,), one(of).record)) for row in ((0, 5), None, (1, True), (0, 6))]
            assert self._rows(batches, StructColumn(4, {"a": union}), one(of)) == shown

    def test_a_union_of_one_type_is_that_type(self, batches: Batches) -> None:
        """AVC-14."""
        union = UnionColumn(np.array([0, 0], np.int8), ("int",), (PrimitiveColumn(np.array([1, 2], np.int32)),))
        assert self._rows(batches, StructColumn(2, {"a": union}), one(t.Int(), False)) == ["{'a': 1}", "{'a': 2}"]

    @pytest.mark.parametrize("precision", [4, 18, 19, 38, 39, 76])
    @pytest.mark.parametrize("fixed", [None, t.Fixed(40)])
    def test_decimals_with_more_digits_than_their_type_are_corrupt(
        self, batches: Batches, precision: int, fixed: t.Fixed | None
    ) -> None:
        of = t.Decimal(precision, 0, fixed)
        for number in (10**precision - 1, 1 - 10**precision, 10**precision, -(10**precision)):
            bytes_ = np.frombuffer(number.to_bytes(40, "big", signed=True), np.uint8)
            column: Column = (
                FixedBinaryColumn(40, bytes_.reshape(1, 40)) if fixed else BinaryColumn(np.array([0, 40]), bytes_)
            )
            columns = StructColumn(1, {"a": column})
            if abs(number) < 10**precision:
                assert self._rows(batches, columns, one(of)) == [repr({"a": str(number)})]
            else:
                with pytest.raises(CorruptFileError, match="record 0"):
                    self._rows(batches, columns, one(of))

    def test_a_decimal_without_bytes_is_corrupt(self, batches: Batches) -> None:
        columns = StructColumn(2, {"a": BinaryColumn(np.array([0, 1, 1]), np.array([5], np.uint8))})
        with pytest.raises(CorruptFileError, match="record 1"):
            self._rows(batches, columns, one(t.Decimal(4)))

    def test_decimals_take_as_few_bytes_as_they_need(self, batches: Batches) -> None:
        numbers = [0, 1, -1, 127, 128, -128, -129, 2**55 - 1, 2**55, -(2**55), 2**63 - 1, 2**63, -(2**63), 10**30]
        schema = one(t.Decimal(38))
        for number in numbers:
            (batch,) = batches.of([(Decimal(number),)], schema)
            column = batches.rows.to_column(batches.rows.root(batch), schema.record, "rows")
            assert isinstance(column, StructColumn)
            stored = column.fields["a"]
            assert isinstance(stored, BinaryColumn)
            low, high = stored.offsets.tolist()
            least = next(n for n in range(1, 17) if -(1 << 8 * n - 1) <= number < 1 << 8 * n - 1)
            assert stored.data[low:high].tobytes() == number.to_bytes(least, "big", signed=True)

    def test_columns_of_another_type_are_refused(self, batches: Batches) -> None:
        wrong = EnumColumn(np.array([0], np.int32), ("A",))
        for of in (t.Fixed(3), t.Int(), t.Array(t.Field(1, "element", t.Int()))):
            with pytest.raises(SchemaError):
                self._rows(batches, StructColumn(1, {"a": wrong}), one(of))

    def _rows(self, batches: Batches, columns: Any, schema: Schema) -> list[str]:
        found = batches.rows.from_columns(columns, schema, "rows")
        return [repr(line) for batch in found for line in batches.rows.to_json(batch, schema)]
