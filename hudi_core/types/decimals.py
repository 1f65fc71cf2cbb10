"""How many digits fit how many bytes: the sizes of fixed-backed decimals."""

from __future__ import annotations

import math

_LOG10_2 = math.log10(2)


def greatest_precision(size: int) -> int:
    """The most digits that any number of `size` bytes (two's complement) can hold.

    >>> greatest_precision(8), greatest_precision(16)
    (18, 38)
    """
    return math.floor((8 * size - 1) * _LOG10_2) if size > 0 else 0


def smallest_size(precision: int) -> int:
    """The fewest bytes that hold every number of `precision` digits.

    >>> smallest_size(10), smallest_size(38)
    (5, 16)
    """
    return math.ceil((precision / _LOG10_2 + 1) / 8)
