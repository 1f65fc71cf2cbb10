"""Escapes of partition paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.keys.path_values import escape, escape_name, unescape


@given(st.text())
def test_escapes_are_undone(text: str) -> None:
    assert unescape(escape(text)) == text
    assert unescape(escape_name(text)) == text


@given(st.text())
def test_an_escaped_string_is_one_segment(text: str) -> None:
    assert not set("/=:") & set(escape(text))


def test_names_of_files_keep_no_dash_and_no_underscore() -> None:
    assert (escape("a-b_c"), escape_name("a-b_c")) == ("a-b_c", "a%2Db%5Fc")
