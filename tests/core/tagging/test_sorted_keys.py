"""Runs of sorted keys between bounds are those that a comparison of each key with each bound gives."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.strings import string_column, string_list
from hudi_core.tagging.sorted_keys import sort_keys

letters = st.text("ab\0é\ue000\U0001f600", max_size=20)
texts = letters | letters.map(lambda text: "a shared beginning " + text) | st.just("")


@given(st.lists(texts, max_size=30), st.lists(st.tuples(texts, texts), max_size=8))
@example(["12345678", "12345678\0", "1234567"], [("12345678", "12345678"), ("1", "2"), ("", "")])
@example(["12345678\0", "12345678", "1234567"], [("12345678\0", "12345678\0")])
@example(["order-00000001", "order-00000002"], [("order-0", "order-00000001"), ("order-00000002", "p"), ("a", "b")])
def test_runs_hold_the_keys_between_the_bounds(keys: list[str], bounds: list[tuple[str, str]]) -> None:
    """INDEX-4."""
    found = sort_keys(string_column(keys))
    ordered = [key.encode() for key in string_list(found.strings)]
    assert ordered == sorted(key.encode() for key in keys)
    assert [keys[row].encode() for row in found.order.tolist()] == ordered
    low, high = (ByteStrings.from_list([pair[side].encode() for pair in bounds]) for side in (0, 1))
    starts, stops = found.runs(low, high)
    for (least, greatest), start, stop in zip(bounds, starts.tolist(), stops.tolist(), strict=True):
        between = [key for key in ordered if least.encode() <= key <= greatest.encode()]
        assert ordered[start:stop] == between
