"""Python workers of Spark, which run one task after another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from zipimport import zipimporter

import pyarrow as pa

BatchWork = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""What `mapInArrow` takes."""


def in_worker(work: BatchWork) -> BatchWork:
    """The work of a task, after which the worker is ready for its next one sooner.

    PySpark lets importers look for new modules before each task. Those of zip archives, of which PySpark's is one, read the
    whole directory of the archive then, on Python 3.11 and 3.12 (cpython#103200). Importers that are not there have nothing to
    read, and an import that needs one makes it from a directory that was read before.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from work(batches)
        finally:
            forget_archives()

    return run


def forget_archives() -> None:
    """Lets go of the importers of zip archives."""
    for path, importer in list(sys.path_importer_cache.items()):
        if isinstance(importer, zipimporter):
            del sys.path_importer_cache[path]
