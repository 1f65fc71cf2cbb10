"""Base files read to be written again."""

from __future__ import annotations

from hudi_core.evolve.reconcile import ReadRecord
from hudi_core.reading.base_files import BaseFiles
from hudi_core.timeline.slices import FileSlice


class StoredFiles(BaseFiles):
    """Base files as they stand: what is written again keeps the values of partition columns that the file holds, whatever
    the partition path has."""

    def with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        return plan
