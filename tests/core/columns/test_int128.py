from __future__ import annotations

import random

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.columns.int128 import rescale_wide
from hudi_core.pruning.statistics import wide_bytes


@pytest.mark.parametrize("digits", [0, 1, 9, 10, 20, 37])
def test_up_and_down_again_is_exact(digits: int) -> None:
    r = random.Random(digits)
    most = 10 ** (38 - digits) - 1
    values = [0, 1, -1, most, -most, *(r.randint(-most, most) for _ in range(200))]
    up, fits = rescale_wide(ByteStrings.from_list([wide_bytes(value) for value in values]), digits, 38)
    assert fits.all() and isinstance(up, ByteStrings)
    assert [up[number] for number in range(len(up))] == [wide_bytes(value * 10**digits) for value in values]
    down, fits = rescale_wide(up, -digits, 38)
    assert fits.all() and isinstance(down, ByteStrings)
    assert [down[number] for number in range(len(down))] == [wide_bytes(value) for value in values]


def test_values_that_overflow_or_lose_digits_do_not_fit() -> None:
    values = ByteStrings.from_list([wide_bytes(value) for value in (10**37, 10**35, -(10**37), 10**5 + 1, 10**5)])
    assert rescale_wide(values, 2, 38)[1].tolist() == [False, True, False, True, True]
    assert rescale_wide(values, 30, 38)[1].tolist() == [False, False, False, True, True]
    assert rescale_wide(values, -5, 38)[1].tolist() == [True, True, True, False, True]


def test_integers_survive_a_round_trip() -> None:
    values = np.array([0, 5, -5, 2**62, -(2**63)])
    up, fits = rescale_wide(values, 10, 38)
    assert fits.all() and isinstance(up, ByteStrings)
    assert [up[number] for number in range(5)] == [wide_bytes(int(value) * 10**10) for value in values]
    down, fits = rescale_wide(up, -10, 18)
    assert fits.tolist() == [True, True, True, False, False] and not isinstance(down, ByteStrings)
    assert down[:3].tolist() == [0, 5, -5]


def test_strings_without_a_meaning_do_no_harm() -> None:
    found, _ = rescale_wide(ByteStrings.from_list([b"", wide_bytes(7)]), 1, 38)
    assert isinstance(found, ByteStrings) and found[1] == wide_bytes(70)
