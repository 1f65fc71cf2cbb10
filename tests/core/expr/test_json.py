"""Expressions as JSON: what is none is refused. Round trips are in `tests/laws/test_expressions.py`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import ExpressionError
from hudi_core.expr.json import from_json

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["and", "compare", "left", "right", "literal", "type", "call", "arguments", "not", "case"]),
            inner,
        )
    ),
)


@given(_JSON)
def test_any_json_is_an_expression_or_an_expression_error(data: Any) -> None:
    try:
        from_json(data)
    except ExpressionError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        None,
        {"column": []},
        {"column": "a"},
        {"literal": [1]},
        {"literal": 1.5},
        {"literal": 1, "type": "LIST"},
        {"decimal": "x"},
        {"bytes": "0"},
        {"compare": "~", "left": {"literal": 1}, "right": {"literal": 1}},
        {"compare": "=", "left": {"literal": 1}},
        {"is": "maybe", "part": {"literal": True}},
        {"like": {"column": ["a"]}, "pattern": "x", "escape": "ab"},
        {"case": [{"when": {"literal": True}}], "otherwise": {"literal": None}},
    ],
)
def test_invalid_expressions_are_refused(data: Any) -> None:
    with pytest.raises(ExpressionError):
        from_json(data)


def test_too_deep_trees_are_refused() -> None:
    data: Any = {"column": ["a"]}
    for _ in range(20_000):
        data = {"not": data}
    with pytest.raises(ExpressionError):
        from_json(data)
