"""What footers say of files that Spark's own reader might take. It needs no session: executors read footers too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hudi_core.engine import FileInfo, Footer
from hudi_core.evolve.reconcile import AsStored, Default, Keep, ReadRecord, Source
from hudi_core.reading.base_files import BaseFiles, FilePlan
from hudi_core.reading.remote import SliceRead
from hudi_core.reading.selection import Selection
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

OTHERWISE: Final = -1


@dataclass(frozen=True, slots=True)
class ReadableFiles:
    """The schemas that files of parts have, and for each part the number of its own; `OTHERWISE` for one that is not a Parquet
    file alone, whose path tells what its rows do not, or whose size is not what the table tells: Spark believes it."""

    schemas: list[Schema]
    numbers: NDArray[np.int32]


def judged(files: BaseFiles, wanted: Selection, parts: Sequence[SliceRead]) -> ReadableFiles:
    """What the footers of a scan's parts say. Those that cannot be read are left to the reader of the rows."""
    heads = files.sources.headers
    bases = [_parquet_alone(part.slice) for part in parts]
    footers = heads.footers([base for base in bases if base is not None])
    places: dict[Schema, int] = {}
    numbers = np.full(len(parts), OTHERWISE, np.int32)
    for number, (part, base) in enumerate(zip(parts, bases, strict=True)):
        footer = None if base is None else footers.get(base.path)
        if base is None or footer is None or footer.size not in (None, base.size):
            continue
        stored = heads.stored_schema(footer, base.path)
        reading = files.plan_of(stored, wanted.schema_to_read(filtered=part.filtered))
        if _paths_say_the_same(files.with_path_values(reading.plan, part.slice), reading, footer):
            numbers[number] = places.setdefault(stored, len(places))
    return ReadableFiles(list(places), numbers)


def _paths_say_the_same(by_path: ReadRecord, reading: FilePlan, footer: Footer) -> bool:
    """What a file's path tells of partition columns is what it holds in every row, as its footer proves."""
    return all(
        told == kept or _is_constant(told, kept, reading.stored, footer)
        for told, kept in zip(by_path.fields, reading.plan.fields, strict=True)
    )


def _parquet_alone(slice: FileSlice) -> FileInfo | None:
    """The slice's only file, if it is a Parquet file."""
    base = slice.base
    return base if base is not None and not slice.logs and base.name.endswith(".parquet") else None


def _is_constant(told: Source, kept: Source, stored: Schema, footer: Footer) -> bool:
    """The file's column holds the value that the path tells, and nothing else."""
    match told, kept:
        case Default(value), Keep(position, AsStored()):
            known = footer.statistics.get((stored.fields[position].name,))
            return known is not None and known.null_count == 0 and known.lower == value == known.upper
        case _:
            return False
