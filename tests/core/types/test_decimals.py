"""Digits and bytes."""

from __future__ import annotations

from hudi_core.types.nodes import greatest_precision, smallest_size


def test_greatest_precision_is_exact() -> None:
    for size in range(1, 500):
        precision = greatest_precision(size)
        assert 10**precision <= 2 ** (8 * size - 1) < 10 ** (precision + 1)


def test_smallest_size_is_exact() -> None:
    for precision in range(1, 500):
        size = smallest_size(precision)
        assert 2 ** (8 * size - 1) >= 10**precision > 2 ** (8 * (size - 1) - 1)


def test_no_bytes_hold_no_digit() -> None:
    assert greatest_precision(0) == 0
