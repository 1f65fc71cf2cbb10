"""Advice on indexes and clustering, shown: what `index advise` and `cluster TABLE --advise` print."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hudi_core.advice.advise import DEFAULT_SIZES, advise
from hudi_core.advice.proposals import Advice, Measure
from hudi_core.cli.output import Output
from hudi_core.cli.words import duration, format_count, shorten, size
from hudi_core.expr.queries import Condition, Query
from hudi_core.table.table import Table
from hudi_core.writing.plan import FileSizes

_SHOWN_QUERIES = 12
"""Queries that people are shown one by one."""


def show_advice(
    out: Output,
    table: Table,
    where: Sequence[Condition | Query],
    measures: Collection[Measure] = frozenset(Measure),
    sizes: FileSizes = DEFAULT_SIZES,
) -> None:
    """Shows which index or clustering would pay for queries. Raises as `advise`."""
    advice = advise(table, where, measures, sizes)
    records = advice.records()
    if out.as_json:
        for record in records:
            out.line(record)
        return
    _show_queries(out, advice)
    out.text()
    if len(records) == 1:
        what = "index or clustering" if any(measure.is_index for measure in measures) else "clustering"
        out.text(f"no {what} would save anything ({format_count(advice.sampled, 'file slice')} looked into)")
        return
    columns = ("measure", "columns", "kept", "opened", "requests", "bytes_read", "to_build", "time_to_build")
    out.rows(columns, [_show(record, advice) for record in records], folded=("columns",), below=("columns",))
    by_query = "by query" if _one_by_one(advice) else "by all queries"
    out.text(f"\nestimates by {format_count(advice.sampled, 'file slice')}; kept and opened {by_query}")


def _show_queries(out: Output, advice: Advice) -> None:
    shown = list(zip(advice.queries, advice.weights, advice.touched, strict=True))
    for number, (text, weight, touched) in enumerate(shown[:_SHOWN_QUERIES], 1):
        often = f" ({weight:,} times)" if weight > 1 else ""
        left = (
            f"{touched.kept:,} of {format_count(advice.slices, 'file slice')} read, "
            f"{format_count(touched.opened, 'footer')} opened"
        )
        out.text(f"query {number}{often}: {shorten(text)}: {left}")
    if len(shown) > _SHOWN_QUERIES:
        out.text(f"and {format_count(len(shown) - _SHOWN_QUERIES, 'other query', 'other queries')}")


def _one_by_one(advice: Advice) -> bool:
    return len(advice.queries) <= _SHOWN_QUERIES


def _show(record: dict[str, Any], advice: Advice) -> dict[str, Any]:
    is_now = record["measure"] is None
    return {
        "measure": record["measure"] or "as it is",
        "columns": record["columns"],
        "kept": _counts(record["kept"], advice),
        "opened": _counts(record["opened"], advice),
        "requests": record["requests"],
        "bytes_read": size(record["bytes_read"]),
        "to_build": None if is_now else size(record["bytes_to_build"]),
        "time_to_build": None if is_now else duration(record["seconds_to_build"]),
    }


def _counts(counts: Sequence[int], advice: Advice) -> str:
    """The number of each query; for many queries their sum, each by its weight."""
    if _one_by_one(advice):
        return " ".join(f"{count:,}" for count in counts)
    return f"{sum(count * weight for count, weight in zip(counts, advice.weights, strict=True)):,}"
