"""Rows written to a local file as they come; the extension gives the format."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from hudi_arrow.arrays import Array, plain
from hudi_arrow.json_values import json_lines, to_json_values
from hudi_arrow.numpy_arrays import from_python, to_scalar
from hudi_arrow.types import schema_to_arrow, to_arrow
from hudi_core.errors import HudiError, StorageError, UnsupportedError, UsageError
from hudi_core.rows.outside_files import whole_file
from hudi_core.schema.project import optional_inside
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t


class _Sink(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> bool | None: ...

    def write_batch(self, batch: pa.RecordBatch) -> None: ...


def write(path: str, schema: Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Writes batches of a schema; gives the number of rows. The file appears under its name, or where that links to, when it
    is whole.

    Raises `UsageError` for an unknown extension, `UnsupportedError` for types the format lacks, `StorageError` when the file
    cannot be written.
    """
    zipped = Path(path).suffix.lower() == ".gz"
    suffix = Path(Path(path).stem).suffix if zipped else Path(path).suffix
    open_sink = _SINKS.get(suffix.lower())
    if open_sink is None or (zipped and suffix.lower() not in _TEXTS):
        known = f"{', '.join(_SINKS)}; .gz may follow {', '.join(_TEXTS)}"
        raise UsageError(path, expected=f"a file name ending in {known}", found=Path(path).suffix or "no extension")
    rows = 0
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            raise UsageError(path, expected="a file", found="a folder" if target.is_dir() else "a device or a pipe")
        with whole_file(target) as partial:
            with open_sink(partial, schema) as sink:
                for batch in batches:
                    sink.write_batch(batch)
                    rows += batch.num_rows
            if zipped:
                _compress(partial)
    except HudiError:
        raise
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError, pa.ArrowInvalid) as problem:
        raise UnsupportedError(path, message=" ".join(str(problem).split())) from problem
    except OSError as problem:
        raise StorageError(path, message=os.strerror(problem.errno) if problem.errno else str(problem)) from problem
    return rows


def _compress(path: Path) -> None:
    """Compresses a file in its place."""
    with (
        whole_file(path) as packed,
        path.open("rb") as plain_file,
        gzip.open(packed, "wb", compresslevel=6) as made,
    ):
        shutil.copyfileobj(plain_file, made, 1 << 20)


class _Arrow:
    """A writer of pyarrow's for record batches of one Arrow schema."""

    def __init__(self, writer: Any, schema: pa.Schema, columns: Callable[[pa.RecordBatch], list[Array]]) -> None:
        self._writer, self._schema, self._columns = writer, schema, columns

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(pa.RecordBatch.from_arrays(self._columns(batch), schema=self._schema))


class _Lines:
    """NDJSON: an object a line."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path, self._schema = path, schema

    def __enter__(self) -> Self:
        self._file = self._path.open("wb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._file.write(json_lines(batch, self._schema))


def stream(schema: Schema, batches: Iterable[pa.RecordBatch]) -> pa.RecordBatchReader:
    """Batches of a schema as a stream, every column nullable; read on as the taker goes. Rule TABLE-1427."""
    arrow = schema_to_arrow(_all_optional(schema)).value
    columns = _as(arrow)
    if not arrow.names:  # made of no arrays, a batch would have no rows
        return pa.RecordBatchReader.from_batches(
            arrow, (batch.replace_schema_metadata(arrow.metadata) for batch in batches)
        )
    return pa.RecordBatchReader.from_batches(
        arrow, (pa.RecordBatch.from_arrays(columns(batch), schema=arrow) for batch in batches)
    )


def _parquet(path: Path, schema: Schema) -> _Sink:
    arrow = schema_to_arrow(_all_optional(schema)).value
    return _Arrow(pq.ParquetWriter(path, arrow, compression="zstd"), arrow, _as(arrow))


def _ipc(path: Path, schema: Schema) -> _Sink:
    arrow = schema_to_arrow(schema).value
    return _Arrow(pa.ipc.new_file(str(path), arrow), arrow, _as(arrow))


def _csv(path: Path, schema: Schema) -> _Sink:
    """Nested values and bytes as JSON; nothing between the commas for null, `""` for an empty text. In a file of one column null
    is `""` too: readers take an empty line for no row."""
    is_single = len(schema.fields) == 1
    fields = [
        (field.name, pa.string() if is_single or _is_json_in_csv(field.type) else to_arrow(field.type))
        for field in schema.fields
    ]
    arrow = pa.schema(fields)

    def columns(batch: pa.RecordBatch) -> list[Array]:
        arrays = [
            _json_text(array, field.type) if _is_json_in_csv(field.type) else plain(array).cast(kind.type)
            for array, field, kind in zip(batch.columns, schema.fields, arrow, strict=True)
        ]
        return [pc.fill_null(array, to_scalar("", array.type)) for array in arrays] if is_single else arrays

    return _Arrow(csv.CSVWriter(str(path), arrow), arrow, columns)


def _all_optional(schema: Schema) -> Schema:
    """A required field below a null struct has no value, which the Parquet writer takes for a contradiction."""
    record = optional_inside(schema.record)
    assert isinstance(record, t.Record)
    return Schema(record, schema.version, schema.max_column_id)


def _as(schema: pa.Schema) -> Callable[[pa.RecordBatch], list[Array]]:
    def columns(batch: pa.RecordBatch) -> list[Array]:
        arrays = [plain(array) for array in batch.columns]
        return [a if a.type == field.type else a.cast(field.type) for a, field in zip(arrays, schema, strict=True)]

    return columns


def _is_json_in_csv(type: t.Type) -> bool:
    return isinstance(type, t.Nested | t.Binary | t.Fixed | t.Vector | t.Uuid)


def _json_text(array: Array, type: t.Type) -> Array:
    shown = to_json_values(array, type)
    if isinstance(type, t.Uuid):
        return from_python(shown, pa.string())
    return from_python(
        [None if value is None else json.dumps(value, ensure_ascii=False) for value in shown], pa.string()
    )


_SINKS: dict[str, Callable[[Path, Schema], _Sink]] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".arrow": _ipc,
    ".feather": _ipc,
    ".json": _Lines,
    ".jsonl": _Lines,
    ".ndjson": _Lines,
}
_TEXTS = (".csv", ".json", ".jsonl", ".ndjson")
"""Formats that `.gz` may follow."""
