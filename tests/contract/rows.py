"""What an engine's rows have to be: predicates by their definition, read plans value by value, JSON as the core writes it."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from hudi_core.errors import SchemaError, UnsupportedError
from hudi_core.evolve.reconcile import Match, reconcile
from hudi_core.expr.predicate import IsNull, Opaque
from hudi_core.rows.project import projection
from hudi_core.rows.truth import evaluate, is_true, truth_masks
from hudi_core.schema.schema import Schema
from hudi_core.truth import TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.json import to_json
from tests.contract.harness import Batches, Columns, law
from tests.support import evolution
from tests.support.plans import apply_plan
from tests.support.predicates import columns, predicates, terms, truth_of, value_of
from tests.support.strategies import rows_of, schemas

SCHEMAS = schemas(unions=False, disguised=False, named=False)


class RowTruthContract:
    """Give a fixture `engine` of `tests.contract.harness.Columns`."""

    @law(SCHEMAS, st.data())
    def test_predicates_have_the_truth_of_their_definition_on_every_row(
        self, engine: Columns, schema: Schema, data: st.DataObject
    ) -> None:
        """ROWS-1."""
        predicate = data.draw(predicates(schema))
        rows = data.draw(st.lists(rows_of(schema), max_size=5))
        wanted = [truth_of(predicate, row, schema) for row in rows]
        column = (rows, schema.record)
        for truth in Truth:
            found = engine.mask(lambda root, of=truth: truth_masks(predicate, engine.values, root, schema)[of], column)
            assert found == [known is truth for known in wanted]
        passed = engine.mask(lambda root: is_true(predicate, engine.values, root, schema), column)
        assert passed == [known is TRUE for known in wanted]

    @law(SCHEMAS, st.data())
    def test_terms_have_the_value_of_their_definition_on_every_row(
        self, engine: Columns, schema: Schema, data: st.DataObject
    ) -> None:
        term = data.draw(terms(schema))
        rows = data.draw(st.lists(rows_of(schema), max_size=5))
        found = engine.column(
            lambda root: evaluate(term, engine.values, root, schema), term.type, (rows, schema.record)
        )
        assert list(map(repr, found)) == [repr(value_of(term, row, schema)) for row in rows]

    def test_a_function_that_is_not_known_is_named(self, engine: Columns) -> None:
        """ROWS-3."""
        schema = Schema(t.Record((t.Field(0, "a", t.Int()),)))
        with pytest.raises(UnsupportedError, match="sentences"):
            engine.mask(
                lambda root: is_true(Opaque("sentences(a) = 'x'"), engine.values, root, schema), ([(1,)], schema.record)
            )

    def test_a_field_of_a_null_struct_is_null(self, engine: Columns) -> None:
        """ENGINE-4."""
        inner = t.Record((t.Field(1, "b", t.Int(), optional=False),))
        schema = Schema(t.Record((t.Field(0, "a", inner),)))
        (column,) = [known for known in columns(schema) if known.name == "a.b"]
        found = engine.mask(
            lambda root: is_true(IsNull(column), engine.values, root, schema), ([(None,), ((1,),)], schema.record)
        )
        assert found == [True, False]


class ProjectionContract:
    """Give a fixture `engine` of `tests.contract.harness.Columns`."""

    @law(evolution.schemas(), evolution.schemas(), st.data())
    def test_read_plans_give_what_reading_value_by_value_gives(
        self, engine: Columns, file: Schema, wanted: Schema, data: st.DataObject
    ) -> None:
        """ROWS-5, ROWS-6."""
        try:
            plan = reconcile(file, wanted, Match.NAME, nulls_for_required=True)
        except SchemaError:
            return
        rows = data.draw(st.lists(rows_of(file), max_size=4))
        self._check(engine, plan, rows, file.record, wanted.record)

    @law(st.data())
    def test_unions_are_made_and_taken_apart(self, engine: Columns, data: st.DataObject) -> None:
        def union(*of: t.Type) -> t.Type:
            return t.Union(
                tuple(t.Field(number + 10, f"member{number}", kind, False) for number, kind in enumerate(of))
            )

        kinds = [union(t.Int(), t.String()), union(t.String(), t.Long(), t.Int()), t.Int(), t.String()]
        file, wanted = (Schema(t.Record((t.Field(0, "u", data.draw(st.sampled_from(kinds))),))) for _ in range(2))
        try:
            plan = reconcile(file, wanted, Match.NAME)
        except SchemaError:
            return
        rows = data.draw(st.lists(rows_of(file), max_size=4))
        self._check(engine, plan, rows, file.record, wanted.record)

    def _check(self, engine: Columns, plan: Any, rows: list[Any], stored: t.Record, wanted: t.Record) -> None:
        read = projection(plan, engine.values)
        try:
            known = [apply_plan(plan, row) for row in rows]
        except SchemaError:
            with pytest.raises(SchemaError):
                engine.column(read, wanted, (rows, stored))
            return
        assert list(map(repr, engine.column(read, wanted, (rows, stored)))) == list(map(repr, known))


class RowsContract:
    """Give a fixture `batches` of `tests.contract.harness.Batches`."""

    @law(schemas(named=False), st.data())
    def test_rows_are_shown_as_json(self, batches: Batches, schema: Schema, data: st.DataObject) -> None:
        """ROWS-7."""
        rows = data.draw(st.lists(rows_of(schema), max_size=4))
        shown = [line for batch in batches.of(rows, schema) for line in batches.rows.to_json(batch, schema)]
        assert list(map(repr, shown)) == [repr(to_json(row, schema.record)) for row in rows]
        lines = b"".join(bytes(batches.rows.json_lines(batch, schema)) for batch in batches.of(rows, schema)).decode()
        assert lines == "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in shown)

    @law(SCHEMAS, st.data())
    def test_batches_are_counted_cut_and_filtered(self, batches: Batches, schema: Schema, data: st.DataObject) -> None:
        rows = data.draw(st.lists(rows_of(schema), max_size=4))
        for batch in batches.of(rows, schema):
            count = batches.rows.count(batch)
            assert batches.rows.count(batches.rows.slice(batch, 0, 1)) == min(count, 1)
            again = batches.rows.batch(batches.rows.root(batch))
            assert repr(batches.rows.to_json(again, schema)) == repr(batches.rows.to_json(batch, schema))
            for keep in (True, False):
                assert batches.rows.count(batches.rows.filter(batch, batches.mask(batch, keep))) == count * keep

    @law(SCHEMAS, st.data())
    def test_rows_are_kept_by_flags(self, batches: Batches, schema: Schema, data: st.DataObject) -> None:
        rows = data.draw(st.lists(rows_of(schema), max_size=4))
        kept = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
        shown, low = [], 0
        for batch in batches.of(rows, schema):
            flags = np.array(kept[low : low + batches.rows.count(batch)])
            low += len(flags)
            shown += batches.rows.to_json(batches.rows.keep(batch, flags), schema)
            mask = batches.mask(batch, True)
            assert batches.rows.flags(mask).tolist() == [True] * len(flags)
        wanted = [to_json(row, schema.record) for row, keep in zip(rows, kept, strict=True) if keep]
        assert repr(shown) == repr(wanted)

    @law(SCHEMAS, st.data())
    def test_a_part_of_a_batch_is_compacted(self, batches: Batches, schema: Schema, data: st.DataObject) -> None:
        """ENGINE-1172."""
        rows = data.draw(st.lists(rows_of(schema), min_size=1, max_size=4))
        many = [np.arange(3000, dtype=np.int64) % len(rows)] * len(schema.fields)
        for batch in batches.rows.gather(batches.of(rows, schema), many, schema):
            part = batches.rows.slice(batch, 0, 3)
            own = batches.rows.compact(part)
            assert repr(batches.rows.to_json(own, schema)) == repr(batches.rows.to_json(part, schema))
            assert len(pickle.dumps(own)) <= len(pickle.dumps(part))
            break

    @law(SCHEMAS, st.data())
    def test_rows_are_put_together_column_by_column(
        self, batches: Batches, schema: Schema, data: st.DataObject
    ) -> None:
        rows = data.draw(st.lists(rows_of(schema), min_size=1, max_size=4))
        count = data.draw(st.integers(0, 5))
        picks = st.lists(st.integers(-1, len(rows) - 1), min_size=count, max_size=count)
        sources = [data.draw(picks) for _ in schema.fields]
        parts = batches.of(rows, schema)
        arrays = [np.array(item, np.int64) for item in sources]
        shown = [
            line for batch in batches.rows.gather(parts, arrays, schema) for line in batches.rows.to_json(batch, schema)
        ]
        wanted = [
            tuple(None if row < 0 else rows[row][c] for c, row in enumerate(pick))
            for pick in zip(*sources, strict=True)
        ]
        assert repr(shown) == repr([to_json(row, schema.record) for row in wanted])
