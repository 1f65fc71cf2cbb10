"""Rows of a group in sorted runs on disk: read once, and taken file by file. Rules CLUSTER-12, CLUSTER-13.

Rows are distributed as they are read: some hundred thousand at a time are put in order. So each file's rows stand side by side
in each run, and any part of the file is put together from parts of the runs. Memory holds a few runs, as they are read
and in order, while rows are read, and afterwards the sort columns of the files that are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Numbers
from hudi_core.cluster.layout import Layout
from hudi_core.cluster.sort_keys import SortKeys, concatenate, sort_keys_of
from hudi_core.columns.spans import positions
from hudi_core.data_files.spool import ROWS_AT_ONCE, Spool, drain, spool
from hudi_core.engine import Engine
from hudi_core.parallel.ordered import in_order
from hudi_core.schema.schema import Schema

RUN_ROWS: Final = 1 << 18
_RUNS_AT_ONCE: Final = 2
"""Runs that are put in order side by side: reading is quicker than that. One more waits to be written."""

Paths = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class RowRuns:
    """The rows of one file: of each run the first, and how many."""

    starts: Numbers
    counts: Numbers

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    def numbers(self) -> Numbers:
        """The numbers of the rows, run by run."""
        return positions(self.starts, self.counts)

    def split(self, rows_of_part: int) -> list[RowRuns]:
        """The rows in parts of at most so many, as even as may be; itself where that is one part."""
        count = -(-self.rows // max(rows_of_part, 1))
        if count < 2:
            return [self]
        return [_as_runs(part) for part in np.array_split(self.numbers(), count)]


@dataclass(frozen=True)
class SortedRows:
    """The rows of a group, and which of them go to which file. It can be pickled."""

    spool: Spool
    layout: Layout | None
    paths: Paths
    """The columns to order by, as paths of names."""
    files: tuple[RowRuns, ...]

    def order(self, rows: Numbers) -> Numbers:
        """Rows of one file in order; as they come without columns to order by."""
        if self.layout is None:
            return rows
        return rows[self.layout.order(self._keys(rows))]

    def _keys(self, rows: Numbers) -> list[SortKeys]:
        engine, schema = self.spool.engine, self._narrow
        parts = [
            sort_keys_of(engine, schema, batch, self.paths)
            for start in range(0, len(rows), ROWS_AT_ONCE)
            for batch in engine.rows.gather(
                self._narrow_batches, [rows[start : start + ROWS_AT_ONCE]] * len(schema.fields), schema
            )
        ]
        return [concatenate(column) for column in zip(*parts, strict=True)]

    @cached_property
    def _narrow(self) -> Schema:
        names = {path[0] for path in self.paths}
        record = self.spool.schema.record
        fields = tuple(field for field in record.fields if field.name in names)
        return replace(self.spool.schema, record=replace(record, fields=fields))

    @cached_property
    def _narrow_batches(self) -> tuple[Any, ...]:
        return tuple(
            _select_columns(self.spool.engine, self.spool.schema, self._narrow, batch) for batch in self.spool.batches
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def sort_rows(
    engine: Engine[Any, Any, Any],
    schema: Schema,
    batches: Iterable[Any],
    layout: Layout | None,
    paths: Paths,
    run_rows: int = RUN_ROWS,
    folder: str | None = None,
) -> SortedRows:
    """Draws all batches. Raises as `spool`; `folder` has its file."""
    counts: list[Numbers] = []

    def order() -> Iterator[Any]:
        order = partial(_order, engine, schema, layout, paths)
        for of_files, run in in_order(order, row_runs(engine, batches, run_rows), _RUNS_AT_ONCE):
            counts.append(of_files)
            yield from drain(run)

    rows = spool(engine, schema, order(), folder=folder)
    if not counts:
        return SortedRows(rows, layout, paths, ())
    of_runs = np.stack(counts)
    starts = (np.cumsum(of_runs) - of_runs.reshape(-1)).reshape(of_runs.shape)
    files = tuple(RowRuns(starts[:, file], of_runs[:, file]) for file in range(of_runs.shape[1]))
    return SortedRows(rows, layout, paths, files)


def row_runs(engine: Engine[Any, Any, Any], batches: Iterable[Any], run_rows: int = RUN_ROWS) -> Iterator[list[Any]]:
    """The batches of each run."""
    held: list[Any] = []
    rows = 0
    for batch in batches:
        if engine.rows.count(batch) == 0:
            continue
        held.append(batch)
        rows += engine.rows.count(batch)
        if rows >= run_rows:
            yield held
            held, rows = [], 0
    if held:
        yield held


def deal_rows(
    engine: Engine[Any, Any, Any], schema: Schema, layout: Layout, paths: Paths, held: Sequence[Any]
) -> tuple[Numbers, Numbers]:
    """The file of each row of a run, and the rows in order, file by file."""
    parts = [sort_keys_of(engine, schema, batch, paths) for batch in held]
    keys = [concatenate(column) for column in zip(*parts, strict=True)]
    return layout.file_of(keys), layout.order(keys)


def _order(
    engine: Engine[Any, Any, Any], schema: Schema, layout: Layout | None, paths: Paths, held: list[Any]
) -> tuple[Numbers, list[Any]]:
    """How many rows of a run go to each file, and the run in order. Its batches as they came are let go of."""
    if layout is None:
        return np.array([sum(map(engine.rows.count, held))], np.int64), held
    files, order = deal_rows(engine, schema, layout, paths, held)
    counts = np.bincount(files, minlength=layout.files).astype(np.int64)
    ordered = list(engine.rows.gather(held, [order] * len(schema.fields), schema))
    held.clear()
    return counts, ordered


def _select_columns(engine: Engine[Any, Any, Any], schema: Schema, narrow: Schema, batch: Any) -> Any:
    """The batch with the columns of the narrow schema alone."""
    values, root = engine.values, engine.rows.root(batch)
    positions_of = {field.name: position for position, field in enumerate(schema.fields)}
    parts = [(field, values.field(root, positions_of[field.name])) for field in narrow.fields]
    return engine.rows.batch(values.struct(parts, values.is_null(root), root))


def _as_runs(numbers: Numbers) -> RowRuns:
    """Ascending numbers as runs."""
    begins = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 2) != 1)
    return RowRuns(numbers[begins], np.diff(np.append(begins, len(numbers))))
