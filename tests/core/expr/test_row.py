"""The truth of a predicate on one row: by the rules, as by the definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import UnsupportedError
from hudi_core.expr.predicate import Opaque
from hudi_core.expr.row import truth_of
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support import predicates
from tests.support.strategies import values_of

KINDS: tuple[t.Primitive, ...] = (t.Int(), t.String(), t.Double(), t.Date(), t.Boolean())
SCHEMA = Schema(record_with_ids(t.Record(tuple(t.Field(0, f"c{i}", kind) for i, kind in enumerate(KINDS)))))
ROWS = st.tuples(*(st.none() | values_of(kind) for kind in KINDS))


@given(predicates.predicates(SCHEMA), ROWS)
def test_truth_is_that_of_the_definition(predicate: object, row: tuple[object, ...]) -> None:
    by_id = {field.id: value for field, value in zip(SCHEMA.fields, row, strict=True)}
    assert truth_of(predicate, by_id) is predicates.truth_of(predicate, row, SCHEMA)  # type: ignore[arg-type]


def test_function_that_is_not_known_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="strange"):
        truth_of(Opaque("strange(a)"), {})
