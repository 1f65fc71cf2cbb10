"""Records of any writer as dataclasses: the kinds of fields, and where something else is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.stated_records import (
    Reader,
    choice,
    default_to,
    items,
    mapping,
    need,
    number,
    read_as,
    record_of,
    take,
    text,
    text_or_none,
    texts,
    truth_value,
    whole_number,
    whole_number_or_none,
)


class Kind(Enum):
    NEAR = "NEAR"
    FAR = "FAR"


@dataclass(frozen=True, slots=True)
class Part:
    size: int = need("size", read=whole_number)


@dataclass(frozen=True, slots=True)
class Whole:
    name: str = take("newName", "name", read=text)
    kind: Kind = take("kind", read=default_to(Kind.FAR, choice(Kind)))
    parts: Mapping[str, tuple[Part, ...]] = take("parts", read=mapping(text, items(record_of(Part))))
    is_old: bool = take("old", read=truth_value)


def test_a_record_without_fields_has_the_defaults_of_its_readers() -> None:
    """FORMAT-1340."""
    assert read_as(Whole, {}) == Whole() == Whole("", Kind.FAR, {}, is_old=False)
    assert read_as(Whole, {"name": None, "kind": None, "parts": None, "old": None, "other": 3}) == Whole()


def test_of_several_names_the_first_that_has_a_value_counts() -> None:
    """FORMAT-1340."""
    assert read_as(Whole, {"name": "a", "newName": "b"}).name == "b"
    assert read_as(Whole, {"name": "a", "newName": None}).name == "a"


def test_records_may_be_in_lists_and_in_mappings() -> None:
    """FORMAT-1340."""
    record = {"parts": {"p": [{"size": 1}, {"size": "2"}], "q": None}, "kind": "near", "old": True}
    assert read_as(Whole, record) == Whole("", Kind.NEAR, {"p": (Part(1), Part(2)), "q": ()}, is_old=True)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], r"expected an object, found \[\] \(list\)"),
        ({"name": 3}, r"name: expected a text, found 3 \(int\)"),
        ({"name": "\ud800"}, r"name: expected a text, found '\\ud800' \(str\)"),
        ({"kind": "x"}, r"kind: expected 'NEAR' or 'FAR', found 'x' \(str\)"),
        ({"old": "true"}, r"old: expected true or false, found 'true' \(str\)"),
        ({"parts": []}, r"parts: expected an object, found \[\] \(list\)"),
        ({"parts": {"p": "ab"}}, r"parts\.p: expected a list, found 'ab' \(str\)"),
        ({"parts": {3: []}}, r"parts\.3: expected a text, found 3 \(int\)"),
        ({"parts": {"p": [{"size": 1}, None]}}, r"parts\.p\.1: expected an object, found None \(NoneType\)"),
        ({"parts": {"p": [{"size": 1}, {}]}}, r"parts\.p\.1\.size: expected a value, found none"),
        ({"parts": {"p": [{"size": True}]}}, r"parts\.p\.0\.size: expected a whole number, found True \(bool\)"),
        ({"parts": {"p": [{"size": 1.5}]}}, r"parts\.p\.0\.size: expected a whole number, found 1\.5 \(float\)"),
        ({"parts": {"p": [{"size": "٩"}]}}, r"parts\.p\.0\.size: expected a whole number, found '٩' \(str\)"),
    ],
)
def test_what_cannot_be_meant_is_named_by_its_place(record: object, message: str) -> None:
    """FORMAT-1340."""
    with pytest.raises(CorruptFileError, match=f"^(?:{message})$"):
        read_as(Whole, record)


READERS: list[Reader[Any]] = [
    text, text_or_none, texts, whole_number, whole_number_or_none, number, truth_value, items(number), mapping(text, texts),
    default_to("x", text),
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON)
def test_every_value_is_read_or_refused_by_every_reader(value: object) -> None:
    """FORMAT-1340."""
    for read in READERS:
        try:
            read(value)
        except CorruptFileError as refused:
            assert refused.expected


@given(st.lists(st.text()))
def test_long_lists_of_texts_are_read_as_short_ones(value: list[str]) -> None:
    """FORMAT-1340."""
    try:
        expected = items(text)(value)
    except CorruptFileError:
        with pytest.raises(CorruptFileError):
            texts(value)
    else:
        assert texts(value) == expected == tuple(value)
