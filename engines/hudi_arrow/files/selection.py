"""Columns and rows chosen of a file whose library reads whole columns alone: ORC, HFile, Lance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from hudi_arrow.files.footers import select_columns
from hudi_arrow.numpy_arrays import from_numpy
from hudi_arrow.values import ArrowValues
from hudi_core.arrays import Bools
from hudi_core.evolve.reconcile import reconcile
from hudi_core.rows.project import projection
from hudi_core.schema.schema import Path, Schema


@dataclass(frozen=True)
class Selection:
    """What is wanted of a file: `read` has the whole columns that hold the wanted ones, and parts are cut out of them."""

    read: Schema
    """The columns to read."""
    wanted: Schema
    _narrow: Callable[[Any], Any] = field(repr=False)

    def batches(self, read: Iterable[pa.RecordBatch], keep: Bools | None = None) -> Iterator[pa.RecordBatch]:
        """The wanted columns of rows of `read`. `keep` has a flag for each row, None for all rows."""
        begin = 0
        for whole in read:
            rows = whole
            if keep is not None:
                begin, flags = begin + whole.num_rows, keep[begin : begin + whole.num_rows]
                rows = whole.filter(from_numpy(flags))
            if self.read != self.wanted:
                rows = pa.RecordBatch.from_struct_array(self._narrow(rows.to_struct_array()))
            yield rows


def selection(file: Schema, columns: Sequence[str | Path] | None, where: str) -> Selection:
    """The selection of columns, None for all, of a file with this schema. Raises as `footers.chosen`."""
    wanted = select_columns(file, columns, where)
    read = select_columns(file, [column.name for column in wanted.fields], where)
    return Selection(read, wanted, projection(reconcile(read, wanted), ArrowValues()))
