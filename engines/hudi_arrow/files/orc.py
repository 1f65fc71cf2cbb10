"""ORC base files: footers and batches, by pyarrow's reader. It gives no statistics, so none are known.

Parts of columns are cut out of whole ones: pyarrow's names for them are not one to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from hudi_arrow.files.footers import arrow_types, cast_batch, file_schema, texts
from hudi_arrow.files.selection import selection
from hudi_arrow.stores.storage import decoding, native_file
from hudi_core.arrays import Bools
from hudi_core.engine import FileInfo, Footer, Storage
from hudi_core.errors import UnsupportedError
from hudi_core.schema.schema import Path

try:
    from pyarrow import orc
except ImportError:  # not in every build of pyarrow
    orc = None

_WHAT = "an ORC file"
_BATCH_ROWS = 65_536


class OrcReader:
    """`hudi_core.engine.FileReader` of ORC. One stripe is in memory at a time; row groups are stripes."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedOrc:
        return OpenedOrc(storage, file, f"{storage.uri.rstrip('/')}/{file.path}")


@dataclass(frozen=True)
class OpenedOrc:
    """`hudi_core.engine.OpenedFile` of ORC, whose library parses the footer again for the rows."""

    storage: Storage
    file: FileInfo
    where: str

    @cached_property
    def footer(self) -> Footer:
        with native_file(self.storage, self.file) as source, decoding(self.where, _WHAT):
            opened = _open(source, self.where)
            metadata = texts(opened.metadata)
            return Footer(opened.nrows, file_schema(opened.schema, metadata, self.where), metadata)

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[pa.RecordBatch]:
        with native_file(self.storage, self.file) as source, decoding(self.where, _WHAT):
            opened = _open(source, self.where)
            whole = file_schema(opened.schema, texts(opened.metadata), self.where)
            of_file = selection(whole, columns, self.where)
            types = arrow_types(of_file.read)
            names = types.names or opened.schema.names[:1]  # a stripe without columns would have no rows
            stripes = range(opened.nstripes) if row_groups is None else row_groups
            rows = (cast_batch(opened.read_stripe(stripe, columns=names), types) for stripe in stripes)
            yield from of_file.batches((batch for stripe in rows for batch in _cut(stripe)), keep)


def _cut(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    for start in range(0, rows.num_rows, _BATCH_ROWS):
        yield rows.slice(start, _BATCH_ROWS)


def _open(source: pa.NativeFile, where: str) -> Any:
    if orc is None:
        raise UnsupportedError(where, message="this build of pyarrow reads no ORC files")
    return orc.ORCFile(source)
