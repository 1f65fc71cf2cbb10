"""Properties under any of their names, and of several sources."""

from __future__ import annotations

import pytest

from hudi_core.errors import UsageError
from hudi_core.stated_properties import StatedProperties

STATED = StatedProperties({"new": " 5 ", "old": "6", "empty": " ", "yes": "TRUE", "odd": "maybe", "below": "-2"})


def test_the_first_name_that_is_stated_counts() -> None:
    """CLEAN-380."""
    assert STATED.number("new", "old", default=1) == 5
    assert STATED.number("empty", "old", default=1) == 6
    assert STATED.number("none", "empty", default=1) == 1
    assert STATED.text("none") is None
    assert STATED.flag("yes", default=False)
    assert STATED.flag("none", default=True)


def test_what_is_no_such_value_is_refused() -> None:
    """CLEAN-380."""
    with pytest.raises(UsageError, match="odd: expected a whole number from 0 on, found 'maybe'"):
        STATED.number("odd", default=1)
    with pytest.raises(UsageError, match="odd: expected true or false"):
        STATED.flag("odd", default=True)
    with pytest.raises(UsageError, match="from -1 on, found '-2'"):
        STATED.number("below", default=-1, least=-1)


def test_the_first_source_that_states_something_counts() -> None:
    """CLEAN-380."""
    stated = StatedProperties.join({"a": " "}, {"a": "5", "b": "Green"}, {"a": "6", "b": "red"})
    assert stated.number("a", default=1) == 5
    assert stated.choice("b", {"red": 1, "GREEN": 2}) == 2
    assert stated.choice("c", {"red": 1}) is None
    with pytest.raises(UsageError, match="b: expected one of red, blue, found 'Green'"):
        stated.choice("b", {"red": 1, "blue": 2})
