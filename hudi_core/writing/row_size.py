"""How many bytes a row takes in a base file: measured on files of the table, else on a sample of the rows to write."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from hudi_core.data_files.base_file import BaseFileWriter, FileTarget
from hudi_core.data_files.spool import Spool
from hudi_core.engine import Engine
from hudi_core.planning.sources.sources import Sources
from hudi_core.schema.schema import Schema
from hudi_core.temporary import temporary_folder

_FILES: Final = 5
"""The largest files are measured, so many of them."""
_ENOUGH_BYTES: Final = 1 << 20
"""Smaller files are not measured: their footer is the greater part."""
_SAMPLE_ROWS: Final = 1 << 15
"""Rows that are written to measure them."""
_FIRST_ROWS: Final = 1 << 12
"""Rows that are written first, which tell whether all rows fit into one file by far: then no more are measured."""
_BY_FAR: Final = 2
"""How many times all rows would fit into the file."""
FEW_ROWS: Final = 1 << 12
"""Fewer rows are not measured: they make no difference to how files are cut."""
GUESS: Final = 1024.0
"""Hudi's own first estimate."""


def row_bytes(sources: Sources, files: Schema, spool: Spool, target: int = 0) -> float:
    """How many bytes a row takes in a base file with the schema `files`: as in files of the table, else as in a sample of the
    rows to write, which is small where all of them fit into a file of `target` bytes by far. `GUESS` for a few rows."""
    stored = measure_stored_row_bytes(sources)
    if stored is not None:
        return stored
    if spool.rows <= FEW_ROWS:
        return GUESS
    return measure_row_bytes(
        sources.snapshot.engine, files, spool, sources.snapshot.config.populate_meta_fields, target
    )


def measure_stored_row_bytes(sources: Sources) -> float | None:
    """The bytes that a row takes in files of the table; None where these are too small to be measured."""
    slices = sources.snapshot.slices
    sizes = slices.files.sizes[slices.bases[slices.bases >= 0]]
    with_base = np.flatnonzero(slices.bases >= 0)
    largest = np.argsort(sizes)[::-1][:_FILES]
    bases = [base for number in with_base[largest].tolist() if (base := slices[number].base) is not None]
    if sum(base.size for base in bases) >= _ENOUGH_BYTES:
        footers = sources.headers.footers(bases)
        rows = sum(footers[base.path].rows for base in bases if base.path in footers)
        if rows:
            size: int = sum(base.size for base in bases if base.path in footers)
            return size / rows
    return None


def measure_row_bytes(
    engine: Engine[Any, Any, Any], files: Schema, spool: Spool, stores_keys: bool, target: int = 0
) -> float:
    """Writes runs of neighbouring rows from all over the input to a file that is thrown away: a few rows first, and more where
    these do not show that all rows are far smaller than a file of `target` bytes."""
    rough = _measure(engine, files, spool, stores_keys, _FIRST_ROWS)
    if _BY_FAR * rough * spool.rows < target or spool.rows <= _FIRST_ROWS:
        return rough
    return _measure(engine, files, spool, stores_keys, _SAMPLE_ROWS)


def _measure(engine: Engine[Any, Any, Any], files: Schema, spool: Spool, stores_keys: bool, sampled: int) -> float:
    rows = spool.rows
    count = min(sampled, rows)
    starts = np.linspace(0, rows - count // 16, 16, dtype=np.int64)
    chosen = (starts[:, None] + np.arange(max(1, count // 16))).reshape(-1) if rows > count else np.arange(rows)
    with temporary_folder("hudi-core-") as folder:
        target = FileTarget("", "sample-0", "0", 0)
        writer = BaseFileWriter(engine, engine.storage(folder), files, target, stores_keys)
        return writer.write(spool.take(chosen)).size / len(chosen)
