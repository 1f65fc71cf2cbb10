"""How large the files of a clustering get: some rows are written in the order and by the writer of a run. Rule CLUSTER-670."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hudi_core.arrays import Floats, Numbers
from hudi_core.cluster.layout import TOO_LARGE, Strategy, layout
from hudi_core.cluster.sample import Sample, draw_sample
from hudi_core.data_files.base_file import BaseFileWriter, FileTarget
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.meta import bare_schema
from hudi_core.table.table import Table
from hudi_core.temporary import temporary_folder
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.incoming import file_schema, row_schema

MEASURED_ROWS: Final = 1 << 14
"""Rows that are written at most; larger files are extrapolated from a half and the whole of them."""
_READ_ROWS: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class WrittenSizes:
    """The bytes of a file by its rows."""

    fixed: float
    a_row: float

    def sizes(self, rows: Floats) -> Floats:
        """The bytes of files; none of a file without rows, which is not written."""
        return np.where(rows > 0, self.fixed + self.a_row * rows, 0.0)


def whole_rows(table: Table, sources: Sources, members: Sequence[FileSlice], outputs: int) -> Sample:
    """Rows of slices with all columns, from which sizes are measured: enough of one file, were it one of so many."""
    stored = row_schema(table, bare_schema(table.schema))
    return draw_sample(sources, members, stored, min(MEASURED_ROWS * outputs, _READ_ROWS), _READ_ROWS)


def measure_sizes(
    table: Table, sample: Sample, strategy: Strategy, order: Sequence[tuple[str, ...]], outputs: int
) -> WrittenSizes:
    """The bytes of the files that sampled rows become, from one file of them: the middle one by its rows."""
    if sample.rows == 0:
        return WrittenSizes(0.0, 0.0)
    rows = _rows_of_a_file(sample, strategy, order, outputs)
    rows = rows[:: -(-len(rows) // MEASURED_ROWS)]
    half = rows[::2] if len(rows) > 1 else rows[:0]
    with temporary_folder("hudi-core-") as folder:
        storage = table.engine.storage(folder)
        whole_size, half_size = (
            _write_sample(table, storage, sample, part, number) for number, part in enumerate((rows, half))
        )
    a_row = (whole_size - half_size) / (len(rows) - len(half))
    return WrittenSizes(whole_size - a_row * len(rows), a_row)


def _rows_of_a_file(sample: Sample, strategy: Strategy, order: Sequence[tuple[str, ...]], outputs: int) -> Numbers:
    """The rows of the sample that go to the middle file, in the order in which a run writes them; at least one."""
    if not order:
        return np.arange(max(sample.rows // outputs, 1), dtype=np.int64)
    keys = sample.keys(order)
    made = layout(strategy, keys, outputs)
    files, file_of = divide_files(made.file_of(keys), made.files, outputs)
    counts = np.bincount(file_of, minlength=files)
    filled = np.flatnonzero(counts)
    middle = filled[np.argsort(counts[filled], kind="stable")[len(filled) // 2]]
    chosen = np.flatnonzero(file_of == middle)
    return chosen[made.order([column.take(chosen) for column in keys])]


def divide_files(file_of: Numbers, files: int, outputs: int) -> tuple[int, Numbers]:
    """The number of files, and the file of each row, where those that are much too large are cut by number, as a run does."""
    even = -(-len(file_of) // outputs)
    counts, parted_of = np.bincount(file_of, minlength=files), file_of.copy()
    for file in np.flatnonzero(counts > TOO_LARGE * even).tolist():
        parts = -(-int(counts[file]) // even)
        rows = np.flatnonzero(file_of == file)
        for part, of_part in enumerate(np.array_split(rows, parts)[1:]):
            parted_of[of_part] = files + part
        files += parts - 1
    return files, parted_of


def _write_sample(table: Table, storage: Any, sample: Sample, rows: Numbers, number: int) -> int:
    """The bytes of a file with these rows of the sample, as the run writes it."""
    engine = table.engine
    target = FileTarget("", f"sample-{number}", "20000101000000000", number)
    writer = BaseFileWriter(
        engine, storage, file_schema(bare_schema(table.schema)), target, table.config.populate_meta_fields
    )
    batches = engine.rows.gather(sample.batches, [rows] * len(sample.schema.fields), sample.schema)
    return writer.write(batches).size
