"""A cursor over the words of a text."""

from __future__ import annotations

import pytest

from hudi_core.errors import UsageError
from hudi_core.evolve.types_sql import Cursor


def test_take_moves_behind_all_words_or_none() -> None:
    cursor = Cursor("set Not nul")
    assert not cursor.take("SET", "NOT", "NULL")
    assert cursor.take("SET", "NOT")
    assert cursor.read_hyphenated() == "nul"


def test_names_may_stand_in_back_ticks() -> None:
    assert Cursor("`a.b``c`.d").path() == ("a.b`c", "d")


@pytest.mark.parametrize(("text", "value"), [("'a''b'", "a'b"), ('"a""b"', 'a"b'), ("''", "")])
def test_quotes_are_doubled_inside_strings(text: str, value: str) -> None:
    assert Cursor(text).string("a text") == value


def test_names_with_hyphens_are_one_token() -> None:
    assert Cursor("timestamp-millis").read_hyphenated() == "timestamp-millis"


@pytest.mark.parametrize("text", ["1" * 200, "-5", "1.5", "x", "", "٣"])
def test_an_integer_is_digits_and_not_endless(text: str) -> None:
    with pytest.raises(UsageError):
        Cursor(text).integer("a number")


@pytest.mark.parametrize("text", ["x'0g'", "-null", "- x'00'", "now", "", "("])
def test_invalid_literals_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected a value"):
        Cursor(text).literal()


def test_a_long_text_is_cut_in_errors() -> None:
    with pytest.raises(UsageError) as raised:
        Cursor("a " * 100).string("a text")
    assert len(str(raised.value)) < 100
