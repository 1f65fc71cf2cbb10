"""Options of index builds."""

from __future__ import annotations

import pytest

from hudi_core import IndexOptions, UsageError


def test_the_function_is_no_argument_of_itself() -> None:
    """META-1639: the index would be of the column itself."""
    with pytest.raises(UsageError, match="arguments: expected the function in `function`, found expr"):
        IndexOptions(columns=["s"], arguments={"expr": "lower"})
    assert IndexOptions(columns=["s"], arguments={"pos": "1"}).has_function
