"""Merges that keep the records of logs in files, however few these are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hudi_core.reading import array_files, log_runs, merged_slices, sorted_runs


@contextmanager
def spilled(records: int = 2, stretch: int = 2, folder: Path | None = None) -> Iterator[None]:
    """Runs of so many records, and stretches of so many rows; the files below a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merged_slices, "MAX_LOG_BYTES", -1)
        patch.setattr(log_runs, "RUN_RECORDS", records)
        patch.setattr(log_runs, "RUN_BYTES", 500)
        patch.setattr(sorted_runs, "STRETCH", stretch)
        if folder is not None:
            patch.setenv(array_files.FOLDER, str(folder))
        yield
