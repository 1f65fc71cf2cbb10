"""Peer: polars, a lazy filter over a frame of statistics, collected to row numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import polars as pl

from tests.bench.files import Files
from tests.bench.prune import Both, Choice, Either, Null, Question, Range


def query(question: Question, of: Files) -> Callable[[], Any]:
    """Building the expression is part of the query, as compiling the predicate is part of ours."""
    frame = _frame(of)
    return lambda: frame.lazy().filter(_expression(question)).select("row").collect()["row"].to_numpy()


@lru_cache(maxsize=1)
def _frame(of: Files) -> pl.DataFrame:
    columns: dict[str, Any] = {}
    for name, bounds in of.bounds.items():
        texts = bounds.low.dtype.kind == "S"
        for end, array in (("low", bounds.low), ("high", bounds.high)):
            columns[f"{end}_{name}"] = [value.decode("latin-1") for value in array.tolist()] if texts else array
        columns[f"nulls_{name}"], columns[f"nan_{name}"] = bounds.nulls, bounds.nan
        columns["rows"] = bounds.rows
    return pl.DataFrame(columns).with_row_index("row")


def _expression(question: Question) -> pl.Expr:
    match question:
        case Range(name, low, high):
            parts = [pl.col(f"nulls_{name}") < pl.col("rows")]
            if high is not None:
                parts.append(pl.col(f"low_{name}") <= high)
            if low is not None:
                above = pl.col(f"high_{name}") >= low
                parts.append(above | pl.col(f"nan_{name}") if name == "price" and high is None else above)
            return reduce(operator.and_, parts)
        case Choice(name, values):
            wanted = pl.Series(np.array(values))
            low, high = pl.col(f"low_{name}"), pl.col(f"high_{name}")
            first = pl.lit(wanted).search_sorted(low, side="left")
            last = pl.lit(wanted).search_sorted(high, side="right")
            return (first < last) & (pl.col(f"nulls_{name}") < pl.col("rows"))
        case Null(name):
            return pl.col(f"nulls_{name}") > 0
        case Both(parts):
            return reduce(operator.and_, map(_expression, parts))
        case Either(parts):
            return reduce(operator.or_, map(_expression, parts))
