"""Reading files that are going to be rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from hudi_core.arrays import Bools
from hudi_core.engine import FileInfo
from hudi_core.evolve.reconcile import ReadRecord
from hudi_core.reading.base_files import BaseFiles, FilePlan, OpenedBaseFile
from hudi_core.reading.merged_slices import MergedSlices
from hudi_core.schema.meta import FILE_NAME
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice


class InputFiles(BaseFiles):
    """Base files as they are stored: rewritten rows keep the values of partition columns in the file, whatever the
    partition path has. Those of columns that files leave out are in the path alone: rule WRITE-1650."""

    def plan_of(self, stored: Schema, wanted: Schema) -> FilePlan:
        """The plan without the names of files: rows get that of the file that they are written to. Rule WRITE-1185."""
        return super().plan_of(_without_file_names(stored), wanted)

    def with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        return super().with_path_values(plan, slice) if self.sources.snapshot.config.drop_partition_columns else plan


@lru_cache(maxsize=64)
def _without_file_names(stored: Schema) -> Schema:
    fields = tuple(column for column in stored.fields if column.name != FILE_NAME)
    return replace(stored, record=replace(stored.record, fields=fields))


@dataclass(frozen=True, slots=True)
class OpenedRows:
    """`StoredRows` of one base file without log files, which is opened for its footer too."""

    files: InputFiles
    opened: OpenedBaseFile

    def rows(
        self, slice: FileSlice, base: FileInfo, wanted: Schema, row_groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        """Its rows, as those of the schema that it was opened for."""
        return self.files.rows_of(self.opened, row_groups)


def rows_of_slice(files: InputFiles, file_slice: FileSlice, wanted: Schema) -> Iterator[Any]:
    """The rows of a slice as they are stored, its log files merged."""
    if file_slice.logs or file_slice.base is None:
        return MergedSlices(files).rows(file_slice, wanted)
    return files.rows(file_slice, file_slice.base, wanted)


class MergedInputFiles(InputFiles):
    """Base files with the log files of their slices merged, as they are going to be rewritten."""

    def rows(
        self,
        slice: FileSlice,
        base: FileInfo,
        wanted: Schema,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[Any]:
        return rows_of_slice(InputFiles(self.sources), slice, wanted)
