"""The Arrow engine in one bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from hudi_core.by_need import ModuleByNeed
from hudi_core.errors import UnsupportedError
from hudi_core.local_uris import is_url
from hudi_core.parallel.runners import ThreadRunner

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow.dataset as ds

    from hudi_arrow import rows as arrow_rows
    from hudi_arrow import values as arrow_values
    from hudi_arrow.arrays import Array
    from hudi_arrow.files import hfile, lance, orc, parquet, parquet_write
    from hudi_arrow.pushdown import dataset, lazy_frame, relation
    from hudi_arrow.rows import ArrowRows
    from hudi_arrow.stores import remote, storage
    from hudi_arrow.values import ArrowValues
    from hudi_core.engine import Engine, FileReader, FileWriter, Storage
    from hudi_core.table.view import View
else:
    # A table is opened before it is known what is read of it: each part is loaded when it is first used.
    arrow_rows = ModuleByNeed("hudi_arrow.rows")
    arrow_values = ModuleByNeed("hudi_arrow.values")
    dataset = ModuleByNeed("hudi_arrow.pushdown.dataset")
    lazy_frame = ModuleByNeed("hudi_arrow.pushdown.lazy_frame")
    relation = ModuleByNeed("hudi_arrow.pushdown.relation")
    hfile = ModuleByNeed("hudi_arrow.files.hfile")
    lance = ModuleByNeed("hudi_arrow.files.lance")
    orc = ModuleByNeed("hudi_arrow.files.orc")
    parquet = ModuleByNeed("hudi_arrow.files.parquet")
    parquet_write = ModuleByNeed("hudi_arrow.files.parquet_write")
    remote = ModuleByNeed("hudi_arrow.stores.remote")
    storage = ModuleByNeed("hudi_arrow.stores.storage")

_WRITABLE = ("parquet",)


def _has_lance() -> bool:
    """Whether the library of Lance is installed; another one has its name, but not its reader of files."""
    spec = find_spec("lance")
    places = [] if spec is None else spec.submodule_search_locations or []
    return any((Path(place) / "file.py").is_file() for place in places)


class ArrowEngine:
    """`hudi_core.engine.Engine` in one process: record batches of Arrow arrays."""

    name = "arrow"
    runner = ThreadRunner()

    @cached_property
    def formats(self) -> frozenset[str]:
        return frozenset({"parquet", "orc", "hfile", *(["lance"] if _has_lance() else ())})

    def __reduce__(self) -> str:
        """Travels to other processes by its name: it has no state of its own."""
        return "ENGINE"

    @cached_property
    def values(self) -> ArrowValues:
        return arrow_values.ArrowValues()

    @cached_property
    def rows(self) -> ArrowRows:
        return arrow_rows.ArrowRows()

    @cached_property
    def _parquet(self) -> FileReader[pa.RecordBatch]:
        return parquet.ParquetReader()

    @cached_property
    def _hfile(self) -> FileReader[pa.RecordBatch]:
        return hfile.HFileReader()

    @cached_property
    def _lance(self) -> FileReader[pa.RecordBatch]:
        return lance.LanceReader()

    @cached_property
    def _orc(self) -> FileReader[pa.RecordBatch]:
        return orc.OrcReader()

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        kind = remote.RemoteStorage if is_url(uri) else storage.ArrowStorage
        return kind(uri, options or {})

    def reader(self, extension: str) -> FileReader[pa.RecordBatch]:
        name = extension.removeprefix(".")
        match name:
            case "parquet":
                return self._parquet
            case "orc":
                return self._orc
            case "hfile":
                return self._hfile
            case "lance" if name in self.formats:
                return self._lance
            case "lance":
                raise UnsupportedError(
                    "Lance base files",
                    message="rows need the library of Lance: pip install 'hudi-core[lance]' (all but rows works without)",
                )
        raise UnsupportedError(f"{name} files", expected=" and ".join(sorted(self.formats)), found=name)

    def writer(self, extension: str, codec: str | None = None, held: int | None = None) -> FileWriter[pa.RecordBatch]:
        name = extension.removeprefix(".")
        if name in _WRITABLE:
            writer = parquet_write.ParquetWriter(codec) if codec else parquet_write.ParquetWriter()
            return writer if held is None else replace(writer, row_group_bytes=held, lean=True)
        raise UnsupportedError(f"{name} files", expected=" or ".join(_WRITABLE) + " to be written", found=name)

    def lazy_frame(self, view: View) -> polars.LazyFrame:
        return lazy_frame.lazy_frame(view)

    def dataset(self, view: View) -> ds.Dataset:
        return dataset.HudiDataset(view)

    def relation(
        self, view: View, connection: duckdb.DuckDBPyConnection | None, name: str | None
    ) -> duckdb.DuckDBPyRelation:
        return relation.relation(view, connection, name)


ENGINE: Engine[Array, Array, pa.RecordBatch] = ArrowEngine()
