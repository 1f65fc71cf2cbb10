"""The rows of slices as a clustering reads them. Rule CLUSTER-10."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hudi_core.parallel.streams import read_ahead
from hudi_core.planning.sources.sources import Sources
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot
from hudi_core.timeline.slices import FileSlice, slices_of
from hudi_core.types import nodes as t
from hudi_core.writing.input_files import InputFiles


@dataclass(frozen=True)
class RowReader:
    """Reads all rows of slices, merged with their log records, as they are stored. It can be pickled.

    `snapshot` has the schemas of the table and none of its slices. The columns `blank` are null: what the writer of a file fills
    in, its name, and the times of rows that count as new, as plans of old writers ask for.
    """

    snapshot: Snapshot
    rows: Schema
    blank: frozenset[str] = frozenset()

    def batches(self, slices: Sequence[FileSlice]) -> Iterator[Any]:
        """The rows of slices, one slice after the other."""
        files = InputFiles(Sources(self.snapshot.of_slices(slices_of(slices))))
        merged = MergedSlices(files)

        def rows(file_slice: FileSlice) -> Iterator[Any]:
            if file_slice.base is None or file_slice.logs:
                return merged.rows(file_slice, self.rows)
            return files.rows(file_slice, file_slice.base, self.rows)

        batches = read_ahead([partial(rows, file_slice) for file_slice in slices])
        return map(self._without, batches) if self.blank else batches

    def _without(self, batch: Any) -> Any:
        """The rows without the blank columns."""
        engine = self.snapshot.engine
        root = engine.rows.root(batch)
        none = engine.values.literal(None, t.String(), root)
        parts = [
            (field, none if field.name in self.blank else engine.values.field(root, position))
            for position, field in enumerate(self.rows.fields)
        ]
        return engine.rows.batch(engine.values.struct(parts, engine.values.is_null(root), root))
