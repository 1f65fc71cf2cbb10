"""Z-order and Hilbert curves: the place of a cell of a grid on a line through all cells. Rules CLUSTER-1, CLUSTER-2.

A cell has one coordinate per dimension, of `bits` bits. Its place is a number of `bits * dimensions` bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from hudi_core.arrays import Words64
from hudi_core.errors import UsageError

WORD_BITS: Final = 64


def z_order(coordinates: Sequence[Words64], bits: int) -> Words64:
    """The places of cells on the Z-order curve, the first dimension's bit first. Raises `UsageError` beyond 64 bits."""
    _refuse_wide(len(coordinates), bits)
    return _interleave(coordinates, bits)


def hilbert(coordinates: Sequence[Words64], bits: int) -> Words64:
    """The places of cells on the Hilbert curve: cells that follow each other on it are neighbours in the grid.

    John Skilling, "Programming the Hilbert curve" (2004). Raises `UsageError` beyond 64 bits.
    """
    _refuse_wide(len(coordinates), bits)
    axes = [np.array(axis, np.uint64) for axis in coordinates]
    for bit in range(bits - 1, 0, -1):
        low = np.uint64((1 << bit) - 1)
        for axis in axes:
            is_set = (axis >> np.uint64(bit)) & np.uint64(1) != 0
            # A set bit inverts the low bits of the first axis, one that is not exchanges them with this axis.
            exchanged = np.where(is_set, np.uint64(0), (axes[0] ^ axis) & low)
            axes[0] ^= np.where(is_set, low, exchanged)
            axis ^= exchanged
    for before, axis in pairwise(axes):
        axis ^= before
    inverted = np.zeros_like(axes[0])
    for bit in range(bits - 1, 0, -1):
        is_set = (axes[-1] >> np.uint64(bit)) & np.uint64(1) != 0
        inverted ^= np.where(is_set, np.uint64((1 << bit) - 1), np.uint64(0))
    return _interleave([axis ^ inverted for axis in axes], bits)


def _interleave(axes: Sequence[Words64], bits: int) -> Words64:
    places = np.zeros(len(axes[0]), np.uint64)
    for bit in range(bits - 1, -1, -1):
        for axis in axes:
            places = places << np.uint64(1) | (np.asarray(axis, np.uint64) >> np.uint64(bit)) & np.uint64(1)
    return places


def _refuse_wide(dimensions: int, bits: int) -> None:
    if not 0 < dimensions * bits <= WORD_BITS:
        raise UsageError("curve", expected="1 to 64 bits in all", found=f"{dimensions} dimensions of {bits} bits")
