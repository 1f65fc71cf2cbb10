"""Memory of the store: at most 100 bytes a file and column."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterable
from decimal import Decimal

import numpy as np
import pytest

from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.expr.predicate import Column, OneOf
from hudi_core.pruning.statistics import ColumnStatistics
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.types import nodes as t
from tests.support.drawing import SOAK

FILES = 50_000
MOST = 100
"""Bytes a file and column."""


def texts(size: int, shared: int, seed: int) -> ByteStrings:
    """Texts of one size that begin alike and then differ from their first bytes on."""
    data = np.random.default_rng(seed).integers(33, 126, (FILES, size), dtype=np.uint8)
    data[:, : min(shared, size - 4)] = 33
    return ByteStrings(np.arange(FILES + 1, dtype=np.int64) * size, data.reshape(-1))


def statistics(of: t.Type, size: int, shared: int) -> ColumnStatistics:
    known, counts = np.ones(FILES, np.bool_), np.full(FILES, 1000)
    random = np.random.default_rng(1)
    match of:
        case t.String():
            return ColumnStatistics(
                of, texts(size, shared, 1), texts(size, shared, 2), known, known, counts * 0, counts
            )
        case t.Double():
            lower: np.ndarray = random.normal(size=FILES)
        case _:
            lower = random.integers(0, 1 << 60, FILES)
    return ColumnStatistics(of, lower, lower + 5, known, known, counts * 0, counts, ~known)


def kept(of: t.Type, size: int = 0, shared: int = 0, *, times: int = 3, whole: bool = False) -> float:
    """Bytes a file that stay when a column was asked for more than once, and so put in order; with `whole`, when then a text
    was asked for that begins as one does that is cut."""
    column = Column(1, "c", of)

    def load(_: Column) -> Iterable[StatisticsPart]:
        yield StatisticsPart(np.arange(FILES, dtype=np.int64), statistics(of, size, shared))

    value: object = Decimal("7.00") if isinstance(of, t.Decimal) else "x" * size if isinstance(of, t.String) else 7
    last = [texts(size, shared, 2)[0].decode()] if whole else []

    def requested() -> float:
        gc.freeze()  # what a long run has made by now takes seconds to look through, and is not traced
        tracemalloc.start()
        try:
            store = FileStatistics(FILES, load)
            for item in [value] * times + last:
                store.plan(OneOf(column, (item,))).possible()
            gc.collect()
            return tracemalloc.get_traced_memory()[0] / store.count
        finally:
            tracemalloc.stop()

    return min(requested(), requested())  # what else the process makes, once or at times, is no store's


@pytest.mark.parametrize("of", [t.Int(), t.Long(), t.Double(), t.Timestamp(), t.Decimal(18, 2)], ids=str)
def test_numbers_stay_under_the_bound(of: t.Type) -> None:
    assert kept(of) <= MOST


@pytest.mark.each_value
@pytest.mark.parametrize("size", [4, 16, 28, 64, 400] if SOAK else [28, 400])
@pytest.mark.parametrize("shared", [0, 40])
def test_strings_stay_under_the_bound_however_long(size: int, shared: int) -> None:
    assert kept(t.String(), size, shared) <= MOST


@pytest.mark.parametrize("shared", [0, 40])
def test_strings_that_were_requested_whole_stay_under_the_bound(shared: int) -> None:
    assert kept(t.String(), 64, shared, whole=True) <= MOST


def test_strings_that_were_requested_whole_are_kept() -> None:
    assert kept(t.String(), 64) < kept(t.String(), 64, whole=True)


@pytest.mark.parametrize("size", [4, 16, 28, 400] if SOAK else [16])
def test_strings_that_were_requested_once_stay_under_the_bound(size: int) -> None:
    assert kept(t.String(), size, times=1) <= MOST
