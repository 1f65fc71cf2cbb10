"""Peer: PyIceberg's inclusive metrics evaluator over data files as its manifest reader hands them out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from pyiceberg import expressions as e
from pyiceberg.conversions import to_bytes
from pyiceberg.expressions.visitors import _InclusiveMetricsEvaluator
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.typedef import Record
from pyiceberg.types import DoubleType, LongType, NestedField, StringType, TimestampType

from hudi_core.types import nodes as t
from tests.bench.files import COLUMNS, Files
from tests.bench.prune import Both, Choice, Either, Null, Question, Range

_TYPES = {t.Long: LongType(), t.Double: DoubleType(), t.String: StringType(), t.Timestamp: TimestampType()}
SCHEMA = Schema(*(NestedField(column.id, name, _TYPES[type(column.type)]) for name, column in COLUMNS.items()))  # type: ignore[index]


def query(question: Question, of: Files) -> Callable[[], Any]:
    """Binding the expression is part of the query, as compiling the predicate is part of ours."""
    described = data_files(of, frozenset(_columns(question)))
    expression = _expression(question)

    def run() -> Any:
        evaluate = _InclusiveMetricsEvaluator(SCHEMA, expression).eval
        return np.array([number for number, file in enumerate(described) if evaluate(file)])

    return run


def _columns(question: Question) -> set[str]:
    match question:
        case Both(parts) | Either(parts):
            return set().union(*map(_columns, parts))
        case _:
            return {question.column}


@lru_cache(maxsize=1)
def data_files(of: Files, names: frozenset[str]) -> list[DataFile]:
    """Data files with the statistics of the columns that the query asks for."""
    found: list[dict[str, dict[int, Any]]] = [
        {"lower_bounds": {}, "upper_bounds": {}, "null_value_counts": {}, "value_counts": {}, "nan_value_counts": {}}
        for _ in range(of.count)
    ]
    for name in names:
        column, bounds = COLUMNS[name], of.bounds[name]
        type_ = _TYPES[type(column.type)]  # type: ignore[index]
        texts = bounds.low.dtype.kind == "S"
        columns = zip(*(array.tolist() for array in vars(bounds).values()), strict=True)
        for file, (low, high, known, nulls, rows, nan) in zip(found, columns, strict=True):
            if known and nulls < rows:
                low, high = (low.decode(), high.decode()) if texts else (low, high)
                file["lower_bounds"][column.id], file["upper_bounds"][column.id] = (
                    to_bytes(type_, low),
                    to_bytes(type_, high),
                )
            file["null_value_counts"][column.id], file["value_counts"][column.id] = nulls, rows
            if isinstance(column.type, t.Double):
                file["nan_value_counts"][column.id] = int(nan)
    return [
        DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=f"{number}.parquet",
            file_format=FileFormat.PARQUET,
            partition=Record(),
            record_count=100_000,
            file_size_in_bytes=1,
            **statistics,
        )
        for number, statistics in enumerate(found)
    ]


def _expression(question: Question) -> e.BooleanExpression:
    match question:
        case Range(name, low, high):
            if name == "key":  # a range of texts stands for a prefix
                return e.StartsWith(name, low)
            parts: list[Any] = []
            parts += [e.GreaterThanOrEqual(name, low)] if low is not None else []
            parts += [e.LessThanOrEqual(name, high)] if high is not None else []
            return parts[0] if len(parts) == 1 else e.And(*parts)
        case Choice(name, (value,)):
            return e.EqualTo(name, value)
        case Choice(name, values):
            return e.In(name, values)
        case Null(name):
            return e.IsNull(name)
        case Both(parts):
            return e.And(*map(_expression, parts))
        case Either(parts):
            return e.Or(*map(_expression, parts))
