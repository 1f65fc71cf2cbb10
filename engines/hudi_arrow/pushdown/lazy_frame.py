"""A table as a `polars.LazyFrame`, whose columns, predicate and limit reach the planner. Rules TABLE-696, TABLE-1427.

Polars' predicate goes to the planner so far as it can be expressed, and is applied by Polars to the rows that are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hudi_arrow.output import stream
from hudi_arrow.pushdown.modules import import_needed
from hudi_arrow.pushdown.polars_predicates import push_predicate

if TYPE_CHECKING:
    import polars as pl

    from hudi_core.table.view import View


def lazy_frame(view: View) -> pl.LazyFrame:
    """The table as a lazy frame. Raises `UnsupportedError` without Polars."""
    polars = import_needed("polars", "to_lazy")
    plugins = import_needed("polars.io.plugins", "to_lazy")
    schema = polars.from_arrow(stream(view.schema, ()).read_all()).schema

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        return _frames(view, polars, columns, predicate, limit)

    frame: pl.LazyFrame = plugins.register_io_source(read, schema=schema, is_pure=True)
    return frame


def _frames(
    view: View, polars: Any, columns: list[str] | None, predicate: pl.Expr | None, limit: int | None
) -> Iterator[pl.DataFrame]:
    wanted, read = columns, columns
    pushed = None
    if predicate is not None:
        pushed = push_predicate(predicate, view.schema, polars)
        if columns is not None:
            of_predicate = [name for name in predicate.meta.root_names() if name not in columns]
            read = [*columns, *dict.fromkeys(of_predicate)]
    # A limit counts rows that match, which the scan knows only without a predicate of Polars.
    scan = view.scan(None if pushed is None else pushed.expr, read, limit if predicate is None else None)
    left = limit
    for batch in scan.to_stream():
        # `from_arrow` and `select` give no rows where there is no column.
        frame = polars.from_arrow(batch) if read != [] else polars.DataFrame(batch)
        if predicate is not None:
            frame = frame.filter(predicate)
        if left is not None:
            frame = frame.head(left)
            left -= len(frame)
        yield frame if wanted is None else frame.select(wanted) if wanted else frame.drop(frame.columns)
        if left == 0:
            return
