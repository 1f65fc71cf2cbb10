"""Lance base files, by the library of Lance where it is installed. They have no statistics here. Rule ENGINE-711."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as LocalPath
from typing import Any, Final

import pyarrow as pa

from hudi_arrow.files.footers import arrow_types, cast_batch, file_schema, texts
from hudi_arrow.files.selection import selection
from hudi_core.arrays import Bools
from hudi_core.engine import FileInfo, Footer, Storage
from hudi_core.errors import CorruptFileError
from hudi_core.formats.random_access import read_range
from hudi_core.local_uris import is_url
from hudi_core.schema.schema import Path
from hudi_core.temporary import report_unusable

_BATCH_ROWS: Final = 16_384
_SPOOLED: Final = 1 << 23


class LanceReader:
    """`hudi_core.engine.FileReader` of Lance. Files that are not local are copied to a temporary file."""

    def open(self, storage: Storage, file: FileInfo) -> OpenedLance:
        return OpenedLance(storage, file, f"{storage.uri.rstrip('/')}/{file.path}")


@dataclass(frozen=True)
class OpenedLance:
    """`hudi_core.engine.OpenedFile` of Lance."""

    storage: Storage
    file: FileInfo
    where: str

    @cached_property
    def footer(self) -> Footer:
        with self._open(None) as reader:
            metadata = reader.metadata()
            pairs = texts(metadata.schema.metadata)
            return Footer(metadata.num_rows, file_schema(metadata.schema.remove_metadata(), pairs, self.where), pairs)

    def batches(
        self,
        columns: Sequence[str | Path] | None = None,
        row_groups: Sequence[int] | None = None,
        keep: Bools | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The rows in file order; there are no row groups to choose from."""
        whole = self.footer.schema
        of_file = selection(whole, columns, self.where)
        types = arrow_types(of_file.read)
        names = types.names or [whole.fields[0].name]  # without columns there would be no rows
        with self._open(names) as reader:
            read = reader.read_all(batch_size=_BATCH_ROWS).to_batches()
            yield from of_file.batches((cast_batch(batch.select(types.names), types) for batch in read), keep)

    @contextmanager
    def _open(self, columns: Sequence[str] | None) -> Iterator[Any]:
        """The library's reader of the file. What it raises is damage of the file."""
        library: Any = importlib.import_module("lance.file")
        with self._local() as path:
            try:
                yield library.LanceFileReader(path, columns=columns)
            except (OSError, RuntimeError, ValueError) as error:
                raise CorruptFileError(self.where, expected="a Lance file", found=str(error)[:200]) from error

    @contextmanager
    def _local(self) -> Iterator[str]:
        place = LocalPath(self.where.removeprefix("file://"))
        if not is_url(self.storage.uri) and place.is_file():
            yield str(place)
            return
        source = self.storage.open(self.file.path, self.file.size)
        with report_unusable():
            copied = tempfile.NamedTemporaryFile(suffix=".lance")  # noqa: SIM115  # closed below
        with copied as copy:
            for start in range(0, source.size, _SPOOLED):
                copy.write(read_range(source, start, min(_SPOOLED, source.size - start), "a Lance file"))
            copy.flush()
            yield copy.name
