"""Rows that our own reading of Parquet's pages gives, and those that pyarrow gives where that meets what it does not know.

Our reading is faster and knows less of the format: what it cannot read need not be damage. Rule FORMAT-260.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa

from hudi_arrow.stores.storage import decoding
from hudi_core.errors import CorruptFileError, HudiError, StorageError, TableError

LOGGER: Final = logging.getLogger("hudi_core")
"""What is slower than it could be. Nobody sees it unless they ask for it, as `--verbose` does."""
LOGGER.addHandler(logging.NullHandler())

_UNKNOWN: Final = (
    TableError, pa.ArrowException, ValueError, LookupError, TypeError, ArithmeticError, AssertionError, MemoryError,
)  # fmt: skip
"""What reading pages ends with where they are not as expected."""


def or_by_arrow(
    own: Iterator[pa.RecordBatch], by_arrow: Callable[[], Iterator[pa.RecordBatch]], where: str
) -> Iterator[pa.RecordBatch]:
    """The batches of `own`; after a failure those of `by_arrow` behind the rows that are there already, and a warning in the log.

    Where pyarrow cannot read them either, the file is damaged, and the error is that of `own`.
    """
    given = 0
    try:
        for batch in own:
            yield batch
            given += batch.num_rows
        return
    except StorageError:
        raise
    except _UNKNOWN as problem:
        failure = problem
    text = " ".join(str(failure).split()) or type(failure).__name__
    LOGGER.warning("%s: its pages are read by pyarrow, which is slower: %s", where, text.removeprefix(f"{where}: "))
    yield from _behind(_read(by_arrow, failure, where), given)


def _read(by_arrow: Callable[[], Iterator[pa.RecordBatch]], failure: Exception, where: str) -> Iterator[pa.RecordBatch]:
    try:
        with decoding(where, "a Parquet file"):
            yield from by_arrow()
    except CorruptFileError as damage:
        raise (failure if isinstance(failure, HudiError) else damage) from None


def _behind(batches: Iterator[pa.RecordBatch], skipped: int) -> Iterator[pa.RecordBatch]:
    """The rows behind so many."""
    for batch in batches:
        if skipped < batch.num_rows:
            yield batch.slice(skipped)
        skipped = max(skipped - batch.num_rows, 0)
