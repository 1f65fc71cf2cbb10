"""Going through tokens, and errors that name the place."""

from __future__ import annotations

import pytest

from hudi_core.errors import SchemaError
from hudi_core.sql.cursor import Cursor
from hudi_core.sql.place import Span


def complaint(span: Span, expected: str, found: str | None) -> SchemaError:
    return SchemaError(f"at {span.start}", expected=expected, found=found or span.source or "the end")


def cursor(text: str) -> Cursor:
    return Cursor(text, complaint)


def test_several_keys_are_taken_all_or_none() -> None:
    here = cursor("set not nul")
    assert not here.take("SET", "NOT", "NULL")
    assert here.take("SET", "NOT")
    assert here.name() == "nul"
    assert here.at_end


def test_names_with_hyphens_are_one_token_without_blanks() -> None:
    assert cursor("local-timestamp-millis").read_hyphenated() == "local-timestamp-millis"
    assert cursor("a - b").read_hyphenated() == "a"
    assert cursor("`a`-b").read_hyphenated() == "a"
    assert cursor("a-b.`c.d`").path() == ("a-b", "c.d")


def test_going_back_gives_the_same_token_again() -> None:
    here = cursor("a b c")
    begin = here.token
    here.advance()
    here.advance()
    here.go_back(begin)
    assert (here.token, here.following.key) == (begin, "B")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 'x", "at 4: expected a closing quote, found the end"),
        ("a /* x", "at 2: expected the end of the comment, found the end"),
        ("a #", "at 2: expected a word, a number, a string or a symbol, found #"),
    ],
)
def test_invalid_tokens_are_refused_with_their_place(text: str, message: str) -> None:
    with pytest.raises(SchemaError) as refused:
        here = cursor(text)
        while not here.at_end:
            here.advance()
    assert str(refused.value) == message
