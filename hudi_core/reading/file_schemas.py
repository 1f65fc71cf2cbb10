"""Which files of a scan have one stored schema, by their footers: another reader can take them together. Rule AWAY-3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from hudi_core.arrays import Numbers32
from hudi_core.engine import FileInfo, Footer, Runner
from hudi_core.evolve.reconcile import AsStored, Default, Keep, ReadRecord, Source
from hudi_core.formats.names import is_skeleton
from hudi_core.reading.base_files import BaseFiles, FilePlan
from hudi_core.reading.remote import RemoteScan, SliceRead
from hudi_core.reading.selection import Selection
from hudi_core.schema.schema import Schema
from hudi_core.timeline.slices import FileSlice

NO_SCHEMA: Final = -1
_FOOTERS_PER_TASK: Final = 1_000


@dataclass(frozen=True, slots=True)
class FileSchemas:
    """The schemas that the files of a scan's parts have."""

    schemas: list[Schema]
    indexes: Numbers32
    """For each part the index of its file's schema. `NO_SCHEMA` for one that is not a Parquet file alone, whose path states what
    its rows do not hold, whose size is not the one that the table records, or whose footer cannot be read."""


def read_file_schemas(files: BaseFiles, wanted: Selection, parts: Sequence[SliceRead]) -> FileSchemas:
    """The schemas by the footers of the parts, read here."""
    headers = files.sources.headers
    bases = [_single_parquet(part.slice) for part in parts]
    footers = headers.footers([base for base in bases if base is not None])
    positions: dict[Schema, int] = {}
    indexes = np.full(len(parts), NO_SCHEMA, np.int32)
    for row, (part, base) in enumerate(zip(parts, bases, strict=True)):
        footer = None if base is None else footers.get(base.path)
        if base is None or footer is None or footer.size not in (None, base.size):
            continue
        stored = headers.read_stored_schema(footer, base.path)
        reading = files.plan_of(stored, wanted.schema_to_read(filtered=part.filtered))
        if _agrees_with_path(files.with_path_values(reading.plan, part.slice), reading, footer):
            indexes[row] = positions.setdefault(stored, len(positions))
    return FileSchemas(list(positions), indexes)


def read_file_schemas_by(
    runner: Runner, scan: RemoteScan, parts: Sequence[SliceRead], footers_per_task: int = _FOOTERS_PER_TASK
) -> FileSchemas:
    """As `read_file_schemas`, the footers read by a runner's tasks."""
    count = max(runner.parallelism, -(-len(parts) // footers_per_task))
    shares = [share for share in np.array_split(np.arange(len(parts)), count) if len(share)]
    results = runner.run(partial(_of_share, scan), [[parts[row] for row in share.tolist()] for share in shares])
    positions: dict[Schema, int] = {}
    indexes = np.full(len(parts), NO_SCHEMA, np.int32)
    for share, result in zip(shares, results, strict=True):
        of_result = [positions.setdefault(schema, len(positions)) for schema in result.schemas]
        indexes[share] = np.array([*of_result, NO_SCHEMA], np.int32)[result.indexes]
    return FileSchemas(list(positions), indexes)


def _of_share(scan: RemoteScan, share: Sequence[SliceRead]) -> FileSchemas:
    sources = scan.sources(share)
    snapshot = sources.snapshot
    wanted = Selection(snapshot.engine, snapshot.schema, scan.wanted, scan.predicate)
    return read_file_schemas(BaseFiles(sources), wanted, share)


def _single_parquet(slice: FileSlice) -> FileInfo | None:
    """The slice's only file, if it is a Parquet file."""
    base = slice.base
    alone = base is not None and not slice.logs and not is_skeleton(base.name)
    return base if alone and base is not None and base.name.endswith(".parquet") else None


def _agrees_with_path(by_path: ReadRecord, reading: FilePlan, footer: Footer) -> bool:
    """The file holds in every row the partition values that its path states, as its footer proves."""
    return all(
        of_path == of_file or _is_constant(of_path, of_file, reading.stored, footer)
        for of_path, of_file in zip(by_path.fields, reading.plan.fields, strict=True)
    )


def _is_constant(of_path: Source, of_file: Source, stored: Schema, footer: Footer) -> bool:
    """The file's column holds the value that the path states, and nothing else."""
    match of_path, of_file:
        case Default(value), Keep(position, AsStored()):
            leaf = footer.statistics.get((stored.fields[position].name,))
            return leaf is not None and leaf.null_count == 0 and leaf.lower == value == leaf.upper
        case _:
            return False
