"""FORMAT-13: keys of the secondary index."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import CorruptFileError
from hudi_core.formats.secondary_key import (
    secondary_file_group_index,
    secondary_key,
    secondary_prefix,
    split_secondary_key,
)
from tests.support.conformance import vectors


def cases(operation: str) -> list[dict[str, Any]]:
    return [case for case in vectors("bloom") if case["op"] == operation]


def test_keys_are_those_of_hudi() -> None:
    for case in cases("secondary_key"):
        value, record = case["input"]["secondary"], case["input"]["record"]
        output = case["output"]
        assert secondary_key(value, record) == output["key"]["value"]
        assert secondary_prefix(value) == output["prefix"]["value"]
        assert list(split_secondary_key(output["key"]["value"], "t")) == output["pair_back"]["value"]


def test_all_keys_of_a_value_go_to_the_file_group_of_hudi() -> None:
    """META-34."""
    for case in cases("secondary_file_group"):
        for group in case["output"]["groups"]:
            assert secondary_file_group_index(case["input"]["secondary"], group["n"]) == group["v2"]["value"]


@given(st.none() | st.text("a$\\\0b", max_size=5), st.text("a$\\\0b", max_size=5))
def test_a_key_splits_into_what_it_was_made_of(value: str | None, record: str) -> None:
    key = secondary_key(value, record)
    assert split_secondary_key(key, "t") == (value, record)
    assert key.startswith(secondary_prefix(value))


@pytest.mark.parametrize("key", ["", "no separator", "a$b$c", "a\\", "a\\$b"])
def test_a_string_that_is_no_key_is_corrupt(key: str) -> None:
    with pytest.raises(CorruptFileError, match=r"^t: "):
        split_secondary_key(key, "t")
