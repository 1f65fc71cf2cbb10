"""FORMAT-13: columns of keys of a secondary index are those that single keys are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.nodes import StringColumn
from hudi_core.columns.strings import string_column, string_list
from hudi_core.formats.secondary_key import secondary_key, secondary_prefix
from hudi_core.formats.secondary_keys import NO_KEYS, SecondaryKeys, concat_keys, secondary_keys

TEXTS = st.text("a$\\\0bé", max_size=4)
PAIRS = st.lists(st.tuples(st.none() | TEXTS, TEXTS), max_size=8)
Pairs = list[tuple[str | None, str]]


def made_of(pairs: Pairs) -> SecondaryKeys:
    filled = string_column([value or "" for value, _ in pairs])
    values = StringColumn(filled.offsets, filled.data, np.array([value is not None for value, _ in pairs], np.bool_))
    return secondary_keys(values, string_column([key for _, key in pairs]))


def texts(pairs: Pairs) -> list[str]:
    return [secondary_key(value, key) for value, key in pairs]


@given(PAIRS)
def test_keys_and_their_prefixes(pairs: Pairs) -> None:
    keys = made_of(pairs)
    assert string_list(keys.keys) == texts(pairs)
    assert string_list(keys.prefixes) == [secondary_prefix(value) for value, _ in pairs]


@given(PAIRS, PAIRS)
def test_keys_are_compared_as_sets(some: Pairs, others: Pairs) -> None:
    keys, gone = made_of(some).distinct(), made_of(others)
    assert sorted(string_list(keys.keys)) == sorted(set(texts(some)))
    left = keys.without(gone)
    assert set(string_list(left.keys)) == set(texts(some)) - set(texts(others))
    assert len(concat_keys([left, gone])) == len(left) + len(gone)
    assert len(concat_keys([])) == len(NO_KEYS) == 0


def test_a_column_may_begin_within_its_data() -> None:
    whole = string_column(["x$", "a$", "é"])
    part = StringColumn(whole.offsets[1:], whole.data)
    keys = secondary_keys(part, string_column(["k", "\\"]))
    assert string_list(keys.keys) == [secondary_key("a$", "k"), secondary_key("é", "\\")]
