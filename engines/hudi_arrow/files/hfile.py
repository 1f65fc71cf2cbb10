"""HFile base files: rows are Avro records, by their keys. They have no statistics of columns. Rule ENGINE-710."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from hudi_arrow.buffers import to_arrays
from hudi_arrow.files.selection import selection
from hudi_core.arrays import Bools
from hudi_core.avro.inbound import schema_from_avro
from hudi_core.columns.concat import concat_columns
from hudi_core.columns.nodes import StructColumn
from hudi_core.engine import FileInfo, Footer, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.hfile.file import HFile
from hudi_core.formats.hfile.records import KEY, decode_rows
from hudi_core.schema.schema import Path, Schema


class HFileReader:
    """`hudi_core.engine.FileReader` of HFiles. The rows of a file are in memory together."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedHFile:
        return OpenedHFile(storage, file, f"{storage.uri.rstrip('/')}/{file.path}")


@dataclass(frozen=True)
class OpenedHFile:
    """`hudi_core.engine.OpenedFile` of HFiles."""

    storage: Storage
    file: FileInfo
    where: str

    @cached_property
    def footer(self) -> Footer:
        return Footer(self._opened.entry_count, schema_from_avro(self._schema_text, f"{self.where}, schema"))

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The rows in the order of their keys; there are no row groups to choose from."""
        of_file = selection(self.footer.schema, columns, self.where)
        arrays = to_arrays(self._decode(of_file.read), of_file.read.record, self.where)
        rows = map(pa.RecordBatch.from_struct_array, arrays)
        yield from of_file.batches(rows, keep)

    def _decode(self, read: Schema) -> StructColumn:
        cells = self._opened.cells()
        names = [field.name for field in read.fields]
        parts = decode_rows(self._schema_text, cells, names, self.where, {KEY})
        decoded = concat_columns(parts, len(cells))
        assert isinstance(decoded, StructColumn)
        return decoded

    @cached_property
    def _opened(self) -> HFile:
        return HFile(self.storage.open(self.file.path, self.file.size))

    @property
    def _schema_text(self) -> str:
        text = self._opened.schema_text
        if text is None:
            raise CorruptFileError(self.where, expected="the schema of its records in the file info", found="none")
        return text
