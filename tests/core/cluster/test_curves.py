"""Curves through grids."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hudi_core.cluster.curves import hilbert, z_order
from hudi_core.errors import UsageError
from tests.support.conformance import vectors

GRIDS = pytest.mark.parametrize(("dimensions", "bits"), [(1, 5), (2, 1), (2, 5), (3, 3), (4, 2), (5, 2)])


def cells(dimensions: int, bits: int) -> np.ndarray:
    axes = [np.arange(1 << bits, dtype=np.uint64)] * dimensions
    return np.array(np.meshgrid(*axes, indexing="ij")).reshape(dimensions, -1)


@GRIDS
@pytest.mark.parametrize("curve", [z_order, hilbert])
def test_a_curve_meets_every_cell_once(curve, dimensions: int, bits: int) -> None:
    """CLUSTER-1."""
    places = curve(list(cells(dimensions, bits)), bits)
    assert sorted(places.tolist()) == list(range(1 << dimensions * bits))


@GRIDS
def test_cells_that_follow_each_other_on_the_hilbert_curve_are_neighbours(dimensions: int, bits: int) -> None:
    """CLUSTER-2."""
    grid = cells(dimensions, bits).astype(np.int64)
    path = grid[:, np.argsort(hilbert(list(grid.astype(np.uint64)), bits))]
    assert (np.abs(np.diff(path, axis=1)).sum(axis=0) == 1).all()


@GRIDS
@pytest.mark.parametrize("curve", [z_order, hilbert])
def test_an_aligned_range_of_a_curve_is_a_cube(curve, dimensions: int, bits: int) -> None:
    """CLUSTER-1: what is near on the curve is near in every dimension."""
    grid = cells(dimensions, bits)
    places = curve(list(grid), bits)
    along = grid[:, np.argsort(places)].astype(np.int64)
    for level in range(bits + 1):
        stretches = along.reshape(dimensions, -1, 1 << level * dimensions)
        assert (np.ptp(stretches, axis=2) == (1 << level) - 1).all()


def test_curves_agree_with_those_of_apache_hudi() -> None:
    """CLUSTER-1, CLUSTER-2: the operations `interleave` and `hilbert`, where 64 bits hold the place."""
    made, wanted = [], []
    for case in vectors("space_filling"):
        given = case["input"]
        if case["op"] == "interleave" and {len(text) for text in given["hex"]} == {2 * given["size"]}:
            if len(given["hex"]) * given["size"] <= 8:
                axes = [np.array([int(text, 16)], np.uint64) for text in given["hex"]]
                made.append(int(z_order(axes, given["size"] * 8)[0]))
                wanted.append(int(case["output"], 16))
        elif case["op"] == "hilbert" and "output" in case and len(given["point"]) * given["bits"] <= 64:
            axes = [np.array([value], np.uint64) for value in given["point"]]
            made.append(int(hilbert(axes, given["bits"])[0]))
            wanted.append(int(case["output"]["index"]["value"]))
    if not wanted:
        pytest.skip("no conformance vectors present")
    assert made == wanted
    assert len(made) > 10


def test_places_beyond_64_bits_are_refused() -> None:
    with pytest.raises(UsageError, match="3 dimensions of 22 bits"):
        z_order([np.zeros(1, np.uint64)] * 3, 22)
    assert math.log2(int(hilbert([np.array([2**32 - 1], np.uint64)] * 2, 32)[0])) < 64
