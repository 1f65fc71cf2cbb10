from __future__ import annotations

import math
import random
import struct
from decimal import Decimal

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.predicate import Cut
from hudi_core.pruning.order_keys import INFINITY_KEY, NAN_KEY, FloatKeys, IntegerKeys, RankKeys, float_keys, text_cut
from hudi_core.types import nodes as t

LONG = IntegerKeys(0, 0, -(2**63), 2**63 - 1, False)
NARROW = IntegerKeys(0, 1_000, -10, 10, True)
CENTS = IntegerKeys(2, 0, -(2**63), 2**63 - 1, False)


def test_float_keys_sort_as_floats_do() -> None:
    r = random.Random(2)
    values = [struct.unpack("<d", r.randbytes(8))[0] for _ in range(2_000)] + [0.0, -0.0, 5e-324, math.inf, -math.inf]
    values = sorted(value for value in values if value == value)
    keys = float_keys(np.array(values)).tolist()
    assert all((one < other) == (a < b) for one, other, a, b in zip(keys, keys[1:], values, values[1:], strict=False))
    assert max(keys) == INFINITY_KEY and min(keys) == FloatKeys().bottom
    assert float_keys(np.array([-0.0])) == float_keys(np.array([0.0]))


@pytest.mark.parametrize(
    ("cut", "last"),
    [
        (Cut(5), 4),
        (Cut(5, after=True), 5),
        (Cut(4.5), 4),
        (Cut(4.5, after=True), 4),
        (Cut(Decimal("-4.5"), after=True), -5),
        (Cut(math.inf), 2**63 - 1),
        (Cut(math.nan), 2**63 - 1),
        (Cut(2**70), 2**63 - 1),
    ],
)
def test_integers_below_a_cut(cut: Cut, last: int) -> None:
    assert LONG.below(cut) == ((-(2**63), last),)
    assert LONG.not_below(cut) == (((last + 1, 2**63 - 1),) if last < 2**63 - 1 else ())


def test_nothing_lies_beyond_a_type() -> None:
    assert LONG.below(Cut(-(2**63))) == LONG.below(Cut(-math.inf)) == ()
    assert LONG.not_below(Cut(2**63 - 1, after=True)) == ()
    assert LONG.one_of((2**63, 0.5)) == ()
    assert LONG.none_of((2**63,)) == LONG.everything


def test_all_beyond_an_open_end_shares_its_key() -> None:
    assert NARROW.below(Cut(0)) == ((-10, -10),)
    assert NARROW.not_below(Cut(5_000)) == ((10, 10),)
    assert NARROW.one_of((0, 1_003, 5_000)) == ((-10, -10), (3, 3), (10, 10))
    assert NARROW.none_of((0, 1_003, 1_010)) == ((-10, 2), (4, 10))


def test_decimals_are_counted_in_units_of_their_scale() -> None:
    assert CENTS.one_of((Decimal("1.50"), Decimal("1.505"), 2)) == ((150, 150), (200, 200))
    assert CENTS.below(Cut(Decimal("1.505"), after=True)) == ((-(2**63), 150),)


def test_floats_are_placed_exactly_among_numbers_of_other_kinds() -> None:
    keys, exact, next_up = FloatKeys(), float_keys(np.array([2.0**53]))[0], float_keys(np.array([2.0**53 + 2]))[0]
    assert keys.below(Cut(2**53 + 1)) == ((keys.bottom, exact),)
    assert keys.not_below(Cut(2**53 + 1)) == ((next_up, NAN_KEY),)
    assert keys.one_of((2**53 + 1,)) == ()
    assert keys.below(Cut(10**400)) == ((keys.bottom, INFINITY_KEY - 1),)
    assert keys.below(Cut(-(10**400))) == ((keys.bottom, keys.bottom),)  # -infinity
    assert keys.below(Cut(Decimal("0.1"))) == keys.below(Cut(0.1))  # 0.1 in binary64 is above 0.1


def test_nan_is_a_value_above_all_others() -> None:
    keys = FloatKeys()
    assert keys.below(Cut(math.nan)) == ((keys.bottom, INFINITY_KEY),)
    assert keys.not_below(Cut(math.nan)) == keys.one_of((math.nan,)) == ((NAN_KEY, NAN_KEY),)
    assert keys.not_below(Cut(math.nan, after=True)) == ()
    assert keys.none_of((math.nan,)) == ((keys.bottom, INFINITY_KEY),)


def test_every_string_has_a_position_among_the_ranked() -> None:
    texts = sorted({str(number).encode() for number in range(1_000)})
    keys = RankKeys(t.String(), ByteStrings.from_list(texts), np.arange(len(texts)))
    for rank, text in enumerate(texts):
        answer = text.decode()
        assert keys.one_of((answer,)) == ((2 * rank + 1, 2 * rank + 1),)
        assert keys.below(Cut(answer)) == ((-1, 2 * rank),)
        assert keys.not_below(Cut(answer, after=True)) == ((2 * rank + 2, keys.top),)
        assert keys.one_of((answer + "\0",)) == ((2 * rank + 2, 2 * rank + 2),)
    assert keys.one_of(("",)) == ((0, 0),)
    assert keys.none_of(("", "7")) == ((-1, 2 * texts.index(b"7")), (2 * texts.index(b"7") + 2, keys.top))


def test_a_literal_in_a_gap_leaves_the_whole_gap_on_both_sides() -> None:
    keys = RankKeys(t.String(), ByteStrings.from_list([b"a", b"c"]), np.arange(2))
    assert keys.below(Cut("b")) == ((-1, 2),)
    assert keys.not_below(Cut("b", after=True)) == ((2, keys.top),)


def test_long_decimals_round_a_literal_up_to_the_next_value() -> None:
    of = t.Decimal(30, 10)
    one, exact = text_cut(Cut(Decimal("0.00000000005")), of)
    assert not exact
    assert (one, True) == text_cut(Cut(Decimal("0.0000000001")), of)
    lower, upper = text_cut(Cut(Decimal("-1e40")), of)[0], text_cut(Cut(Decimal("1e40")), of)[0]
    assert lower == b"\0" * 16 and upper == b"\xff" * 16


def test_strings_that_begin_like_a_truncated_one_have_no_position_of_their_own() -> None:
    texts = ByteStrings.from_list([b"", b"ab", b"abc"])  # of "x/", "x/ab", and "x/abc" with whatever follows
    keys = RankKeys(t.String(), texts, np.arange(3), b"x/", 3)
    assert [text for text in (b"x/abc", b"x/abcd", b"x/abc\0") if keys.places(text)] == []
    place = {"x": 0, "w": 0, "x/": 1, "x/aa": 2, "x/ab": 3, "x/abb": 4, "x/abd": 6, "x/abdddd": 6, "x0": 6, "y": 6}
    for value, key in place.items():
        assert keys.places(value.encode()), value
        assert keys.one_of((value,)) == ((key, key),), value
        alone = value in ("x/", "x/ab")
        assert keys.below(Cut(value)) == ((keys.bottom, key - alone),), value
        assert keys.not_below(Cut(value, after=True)) == ((key + alone, keys.top),), value
        assert (keys.none_of((value,)) != (keys.everything[0],)) is alone, value


def test_every_string_has_a_position_where_none_was_truncated() -> None:
    keys = RankKeys(t.String(), ByteStrings.from_list([b"abc"]), np.arange(1))
    assert keys.places(b"abc") and keys.places(b"abcd")
