"""Tables that are read once more: in memory up to a limit, those behind it in a file. Rule ROWS-1320."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import IO, Any, Final, Self

import pyarrow as pa

from hudi_core.data_files.spool import SPOOL_FOLDER
from hudi_core.temporary import report_unusable

MAX_BYTES_IN_MEMORY: Final = 32 << 20


class SpilledTables:
    """Tables of any schemas, each of which is drawn once, in order."""

    def __init__(self, limit: int = MAX_BYTES_IN_MEMORY) -> None:
        self._held: list[pa.Table] = []
        self._starts: list[int] = []
        """Where the tables of the file begin."""
        self._limit = limit
        self._file: IO[bytes] | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def add(self, table: pa.Table) -> None:
        """Keeps a table. Raises `StorageError` where the file cannot be written."""
        if self._file is None and table.nbytes <= self._limit:
            self._limit -= table.nbytes
            self._held.append(table)
            return
        folder = os.environ.get(SPOOL_FOLDER) or None
        with report_unusable(folder):
            if self._file is None:
                self._file = self._open.enter_context(_open_unnamed(folder))
            self._starts.append(self._file.tell())
            with pa.ipc.new_stream(self._file, table.schema) as stream:
                stream.write_table(table)

    def drain(self) -> Iterator[pa.Table]:
        """The tables, which are let go of as they are drawn."""
        self._held.reverse()
        while self._held:
            yield self._held.pop()
        for start in self._starts:
            file: Any = self._file
            file.seek(start)
            with pa.ipc.open_stream(file) as stream:
                yield stream.read_all()


@contextmanager
def _open_unnamed(folder: str | None) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile(prefix="hudi-core-", dir=folder) as file:
        yield file
