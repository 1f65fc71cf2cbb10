"""The plain engine in one bundle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hudi_core.engine import Engine, FileReader, FileWriter, Storage
from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.parallel.runners import SerialRunner
from hudi_plain.rows import Batch, PlainRows
from hudi_plain.storage import PlainStorage
from hudi_plain.values import PlainValues


class PlainEngine:
    """`hudi_core.engine.Engine` without any library: metadata of tables on local disk, and rows that others read."""

    name = "plain"
    values = PlainValues()
    rows = PlainRows()
    runner = SerialRunner()
    formats: frozenset[str] = frozenset()

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        if options:
            raise UsageError(
                uri, expected="a local folder, which has no options", found=f"the option {next(iter(options))}"
            )
        return PlainStorage(uri)

    def reader(self, extension: str) -> FileReader[Batch]:
        raise UnsupportedError(
            f"{extension} files",
            message="the plain engine reads no base files; the arrow engine does: pip install 'hudi-core[arrow]'",
        )

    def writer(self, extension: str, codec: str | None = None, held: int | None = None) -> FileWriter[Batch]:
        raise UnsupportedError(
            f"{extension} files",
            message="the plain engine writes no base files; the arrow engine does: pip install 'hudi-core[arrow]'",
        )


ENGINE: Engine[Any, bool, Batch] = PlainEngine()
