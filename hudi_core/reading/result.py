"""`QueryResult`: rows of a query as batches, Arrow, pandas, Polars, JSON or a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from hudi_core.engine import Rows
from hudi_core.errors import UnsupportedError
from hudi_core.rows.outside_files import options_beside, refuse_within_table, write_file
from hudi_core.schema.schema import Schema
from hudi_core.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from hudi_core.libraries import ArrowReader, ArrowTable, PandasFrame, PolarsFrame


class QueryResult(ABC):
    """Rows of one schema; each call reads them again."""

    schema: Schema
    _snapshot: Snapshot

    @property
    def _rows(self) -> Rows[Any, Any, Any]:
        return self._snapshot.engine.rows

    @abstractmethod
    def batches(self) -> Iterator[Any]:
        """The engine's batches of the rows, bounded in size."""

    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    def to_batches(self) -> Iterator[Any]:
        """The rows as an iterator of the engine's batches, as `pyarrow.RecordBatch`, bounded in size; read as it goes on."""
        return self.batches()

    def to_json_rows(self) -> Iterator[dict[str, Any]]:
        """The rows as objects that `json.dumps` takes (their form: `values.json`)."""
        for batch in self.batches():
            yield from self._rows.to_json(batch, self.schema)

    def to_json_lines(self) -> Iterator[bytes]:
        """The rows as lines of JSON in UTF-8 (their form: `values.json`), those of a batch at a time."""
        for batch in self.batches():
            yield bytes(self._rows.json_lines(batch, self.schema))

    def to_stream(self) -> ArrowReader:
        """The rows as a `pyarrow.RecordBatchReader`: bounded memory, whatever the size of the answer."""
        return self._rows.stream(self.schema, self.batches())

    def to_arrow(self) -> ArrowTable:
        """The rows as a `pyarrow.Table`."""
        return self.to_stream().read_all()

    def to_pandas(self, *, dtype_backend: Literal["pyarrow"] | None = None) -> PandasFrame:
        """The rows as a `pandas.DataFrame`; needs pandas. Raises `UnsupportedError` for values that pandas cannot have.

        With `dtype_backend="pyarrow"` columns have Arrow's types, as in `pandas.read_parquet`: null and NaN are two values, and
        nested columns keep their types. Rule ROWS-1519.
        """
        return self._rows.frame(self.schema, self.batches(), dtype_backend)

    def to_polars(self) -> PolarsFrame:
        """The rows as a `polars.DataFrame`; needs polars."""
        try:
            library: Any = import_module("polars")
        except ModuleNotFoundError:
            raise UnsupportedError(
                "to_polars", message="needs the package polars: pip install 'hudi-core[polars]'"
            ) from None
        frame: PolarsFrame = library.DataFrame(self)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Lets DuckDB, Polars, DataFusion and others take the rows without a copy."""
        return self.to_stream().__arrow_c_stream__(requested_schema)

    def write(self, path: str | PathLike[str], report: Callable[[int], None] | None = None) -> int:
        """Writes the rows to a file in the format of its extension and returns their number; `report` gets that of each batch.

        The file is a local one, or one that a URL of a store names. The options of the table's storage open a URL of its kind.
        Raises `UsageError` for a file within a table.
        """

        def batches() -> Iterator[Any]:
            for batch in self.batches():
                if report is not None:
                    report(self._rows.count(batch))
                yield batch

        snapshot, target = self._snapshot, fspath(path)
        refuse_within_table(target, snapshot.storage.uri)
        return write_file(
            snapshot.engine,
            target,
            lambda local: self._rows.write(local, self.schema, batches()),
            options_beside(snapshot.storage, target),
        )
