"""Errors that point into the text.

Also covers: `sql/place.py`.
"""

from __future__ import annotations

import pytest

from hudi_core.expr.place import error_at
from hudi_core.sql.place import Span


def test_one_line_is_named_by_its_column_and_shown_with_a_caret() -> None:
    error = error_at(Span("a = 'x'", 4, 7), expected="a number", found="'x'")
    assert str(error) == "predicate, column 5: expected a number, found 'x'"
    assert error.__notes__ == ["a = 'x'\n    ^^^"]


def test_a_later_line_is_named_by_number_and_column() -> None:
    error = error_at(Span("a = 1\n\tand b", 11, 12), message="no column b")
    assert str(error) == "predicate, line 2, column 6: no column b"
    assert error.__notes__ == [" and b\n     ^"]


@pytest.mark.parametrize("start", [0, 60, 500, 999])
def test_of_a_long_line_only_the_surroundings_are_shown(start: int) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(1_000))
    line, caret = error_at(Span(text, start, start + 3), found="x").__notes__[0].split("\n")
    assert len(line) <= 106
    assert line[caret.index("^")] == text[start]


def test_a_place_beyond_the_end_is_shown_after_it() -> None:
    assert error_at(Span("a =", 3, 3), found="the end").__notes__ == ["a =\n   ^"]


def test_without_sql_text_no_line_is_shown() -> None:
    error = error_at(None, expected="a number", found="'x'")
    assert str(error) == "predicate: expected a number, found 'x'"
    assert not hasattr(error, "__notes__")
