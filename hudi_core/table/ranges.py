"""The ranges of a column in some slices, as values: what people see of statistics."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from hudi_core.expr.predicate import Column
from hudi_core.stats.columns import WIDE_OFFSET
from hudi_core.stats.promoted import promoted
from hudi_core.stats.store import Piece
from hudi_core.stats.texts import Texts
from hudi_core.table.picture import Bounds
from hudi_core.types import nodes as t
from hudi_core.values.order import sort_key


def ranges(column: Column, pieces: Iterable[Piece], numbers: Iterable[int]) -> list[Bounds]:
    """Least and greatest value of each of these slices, joined over its files; None where a bound is not known or there is
    no value. NaN that may be there is the greatest."""
    wanted = set(numbers)
    found: dict[int, Bounds] = {}
    seen: set[int] = set()
    for piece in pieces:
        statistics = promoted(piece.statistics, column.type)
        for row, number in enumerate(piece.numbers.tolist()):
            if number not in wanted or (statistics.nulls[row] >= 0 and statistics.nulls[row] == statistics.rows[row]):
                continue
            pair: Bounds = None
            if statistics.low_known[row] and statistics.high_known[row]:
                nan = statistics.nans is not None and bool(statistics.nans[row])
                high = float("nan") if nan else value(statistics.high, row, column.type)
                pair = value(statistics.low, row, column.type), high
            found[number] = pair if number not in seen else _joined(found[number], pair, column.type)
            seen.add(number)
    return [found.get(number) for number in numbers]


def value(bounds: Any, row: int, of: t.Type) -> object:
    """A bound in the form of `hudi_core.values`."""
    if isinstance(bounds, Texts):
        carried = bounds[row]
        match of:
            case t.String() | t.Enumeration() | t.Uuid():
                return carried.decode("utf-8", "replace")
            case t.Decimal(scale=scale):
                return Decimal(int.from_bytes(carried, "big") - WIDE_OFFSET).scaleb(-scale)
            case _:
                return carried
    match of:
        case t.Decimal(scale=scale):
            return Decimal(int(bounds[row])).scaleb(-scale)
        case t.Boolean():
            return bool(bounds[row])
        case _:
            return float(bounds[row]) if np.asarray(bounds).dtype.kind == "f" else int(bounds[row])


def _joined(one: Bounds, other: Bounds, of: t.Type) -> Bounds:
    if one is None or other is None:
        return None
    return min(one[0], other[0], key=lambda v: sort_key(v, of)), max(one[1], other[1], key=lambda v: sort_key(v, of))
