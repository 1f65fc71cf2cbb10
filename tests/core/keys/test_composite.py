"""Keys of several fields, put together and taken apart."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.strings import string_column, string_list
from hudi_core.keys.composite import composite_key, key_parts, split_keys

TEXTS = st.none() | st.text("ab_ \u00e9/=", max_size=6)


@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_parts_without_commas_and_colons_come_back(texts: list[str | None]) -> None:
    """KEY-8."""
    names = [f"f{at}" for at in range(len(texts))]
    assert list(key_parts(composite_key(names, texts))) == texts


@given(st.text("a:,", max_size=40), st.lists(st.text("a", max_size=2), max_size=2))
def test_any_text_is_taken_apart(key: str, names: list[str]) -> None:
    """KEY-9."""
    assert len(key_parts(key, names)) <= len(key_parts(key)) or not key


def test_a_long_run_of_colons_is_no_trouble() -> None:
    (part,) = key_parts("a" + ":" * 300_000 + ",")
    assert part == ":" * 299_999 + ","


@given(st.lists(st.text("ab:,", max_size=12) | st.sampled_from(["a:__null__,b:1", "a:__empty__,b:é"]), max_size=8))
def test_a_column_of_keys_is_taken_apart_as_each_of_them(keys: list[str]) -> None:
    parts = split_keys(string_column(keys), ["a", "b"])
    assert parts.texts.validity is not None
    texts = string_list(parts.texts)
    found = [text if known else None for text, known in zip(texts, parts.texts.validity.tolist(), strict=True)]
    bounds = parts.starts.tolist()
    assert [tuple(found[low:high]) for low, high in pairwise(bounds)] == [key_parts(key, ["a", "b"]) for key in keys]
