"""Statistics of several records of one key put together: the least lower bound, the greatest upper one, counts added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.byte_strings import ByteStrings
from hudi_core.pruning.ranks import ranks
from hudi_core.pruning.statistics import Bounds, ColumnStatistics, concatenate, take_files


def merge_statistics(run: Numbers, statistics: ColumnStatistics) -> tuple[Numbers | None, ColumnStatistics]:
    """One record a run: the least lower bound, the greatest upper one, counts added. Also the place of a record of each run,
    or None when all are apart."""
    order = np.argsort(run, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(run[order]) != 0))
    if len(starts) == len(run):
        return None, statistics
    lengths = np.diff(starts, append=len(run))
    several = np.repeat(lengths > 1, lengths)
    alone, order = order[~several], order[several]
    starts = np.cumsum(lengths[lengths > 1]) - lengths[lengths > 1]
    merged = _reduce_runs(statistics, order, starts)
    if not len(alone):
        return order[starts], merged
    return np.append(alone, order[starts]), concatenate([take_files(statistics, alone), merged])


def _reduce_runs(statistics: ColumnStatistics, order: Numbers, starts: Numbers) -> ColumnStatistics:
    """The records at `order`, those from each of `starts` on merged into one."""
    empty = (statistics.nulls == statistics.rows) & (statistics.rows >= 0)
    lower, lower_known = _extreme(statistics.lower, statistics.lower_known, empty, order, starts, least=True)
    upper, upper_known = _extreme(statistics.upper, statistics.upper_known, empty, order, starts, least=False)
    return ColumnStatistics(
        statistics.type,
        lower,
        upper,
        lower_known,
        upper_known,
        _add(statistics.nulls[order], starts),
        _add(statistics.rows[order], starts),
        None if statistics.nans is None else np.logical_or.reduceat(statistics.nans[order], starts),
    )


def _add(counts: Numbers, starts: Numbers) -> Numbers:
    """Sums; unknown when a part is."""
    known = np.minimum.reduceat(counts, starts) >= 0
    return np.where(known, np.add.reduceat(counts, starts), -1)


def _extreme(
    bounds: Bounds, known: Bools, empty: Bools, order: Numbers, starts: Numbers, *, least: bool
) -> tuple[Bounds, Bools]:
    """The extreme bound of each run; unknown when it is so in a record that has values, or when there is none."""
    known, empty = known[order], empty[order]
    known_in_all = np.logical_and.reduceat(known | empty, starts) & np.logical_or.reduceat(known, starts)
    if isinstance(bounds, ByteStrings):
        texts = bounds.take(order)
        rank, examples = ranks(texts)
        return texts.take(examples[_reduce(rank.astype(np.int64), known, starts, least=least)]), known_in_all
    return _reduce(bounds[order], known, starts, least=least), known_in_all


def _reduce(values: NDArray[Any], known: Bools, starts: Numbers, *, least: bool) -> NDArray[Any]:
    """The extreme of the known values of each run; any of its values when none is known."""
    last: Any = np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max
    choose: Any = np.minimum if least else np.maximum
    extreme = choose.reduceat(np.where(known, values, last if least else -last), starts)
    reduced: NDArray[Any] = np.where(np.logical_or.reduceat(known, starts), extreme, values[starts])
    return reduced
