"""Reading base files that are going to be rewritten."""

from __future__ import annotations

from hudi_core.evolve.reconcile import ReadRecord
from hudi_core.reading.base_files import BaseFiles
from hudi_core.timeline.slices import FileSlice


class StoredFiles(BaseFiles):
    """Base files as they are stored: rewritten rows keep the values of partition columns in the file, whatever the
    partition path has."""

    def with_path_values(self, plan: ReadRecord, slice: FileSlice) -> ReadRecord:
        return plan
