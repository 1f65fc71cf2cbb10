"""Batches of at most one row: tuples of values in the form of `hudi_core.values.domain`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.columns.nodes import Column, StructColumn
from hudi_core.engine import InputRows
from hudi_core.errors import StorageError, UnsupportedError
from hudi_core.rows.outside_files import whole_file
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from hudi_core.values.json import to_json
from hudi_plain.buffers import from_values, to_values

Row = tuple[Any, ...]
Batch = tuple[Row, ...]


class PlainRows:
    """`hudi_core.engine.Rows`: a batch holds one row, or none when it was filtered out."""

    spills = False

    def root(self, batch: Batch) -> Row:
        (row,) = batch
        return row

    def batch(self, root: Row) -> Batch:
        return (root,)

    def count(self, batch: Batch) -> int:
        return len(batch)

    def filter(self, batch: Batch, mask: bool) -> Batch:
        return batch if mask else ()

    def flags(self, mask: bool) -> Bools:
        return np.array([mask])

    def keep(self, batch: Batch, flags: Bools) -> Batch:
        return batch if flags.all() else ()

    def gather(self, batches: Sequence[Batch], sources: Sequence[Numbers], schema: Schema) -> Iterator[Batch]:
        rows = [row for batch in batches for row in batch]
        for chosen in zip(*(source.tolist() for source in sources), strict=True):
            yield (tuple(None if row < 0 else rows[row][column] for column, row in enumerate(chosen)),)

    def slice(self, batch: Batch, first: int, count: int) -> Batch:
        return batch[first : first + count]

    def compact(self, batch: Batch) -> Batch:
        return batch

    def from_columns(self, columns: StructColumn, schema: Schema, where: str) -> Iterator[Batch]:
        return ((row,) for row in to_values(columns, schema.record, where))

    def to_column(self, value: Any, type: Type, where: str) -> Column:
        return from_values([value], type, where)

    def to_json(self, batch: Batch, schema: Schema) -> list[dict[str, Any]]:
        return [to_json(row, schema.record) for row in batch]

    def json_lines(self, batch: Batch, schema: Schema) -> bytes:
        rows = self.to_json(batch, schema)
        return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()

    def stream(self, schema: Schema, batches: Iterable[Batch]) -> Any:
        raise UnsupportedError(
            "Arrow streams", message="the plain engine has none; the arrow engine has: pip install 'hudi-core[arrow]'"
        )

    def frame(self, schema: Schema, batches: Iterable[Batch], backend: str | None) -> Any:
        return self.stream(schema, batches)

    def read_given(self, data: object, like: Schema | None = None, *, whole: bool = False) -> InputRows[Batch]:
        raise UnsupportedError(
            "Arrow streams", message="the plain engine has none; the arrow engine has: pip install 'hudi-core[arrow]'"
        )

    def read(self, path: str, like: Schema | None = None, *, whole: bool = False) -> InputRows[Batch]:
        raise UnsupportedError(
            path, message="the plain engine reads no files; the arrow engine does: pip install 'hudi-core[arrow]'"
        )

    def write(self, path: str, schema: Schema, batches: Iterable[Batch]) -> int:
        """NDJSON only."""
        target = Path(path)
        if target.suffix not in (".json", ".jsonl", ".ndjson"):
            raise UnsupportedError(
                path,
                message="the plain engine writes .json only; the arrow engine others too: pip install 'hudi-core[arrow]'",
            )
        rows = 0
        try:
            with whole_file(target) as partial, partial.open("wb") as file:
                for batch in batches:
                    file.write(self.json_lines(batch, schema))
                    rows += self.count(batch)
        except OSError as problem:
            raise StorageError(path, message=problem.strerror or str(problem)) from problem
        return rows
