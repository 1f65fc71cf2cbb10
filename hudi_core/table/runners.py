"""A table whose tasks a given runner runs, whatever engine reads and writes its files. Rule ENGINE-910."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hudi_core.engine import Engine, FileReader, FileWriter, Runner, Storage
from hudi_core.errors import UsageError, describe
from hudi_core.table.table import Table

T = TypeVar("T", bound=Table)


def on_runner(table: T, runner: Runner | None) -> T:
    """The table, whose services and index builds send their tasks to a runner; itself for None. Raises `UsageError` for what is
    no runner."""
    if runner is None:
        return table
    if not all(hasattr(runner, name) for name in ("run", "parallelism", "reach")):
        raise UsageError("runner", expected="a runner of tasks, as `hudi_spark.SparkRunner`", found=describe(runner))
    return replace(table, engine=EngineWithRunner(table.engine, runner))


@dataclass(frozen=True)
class EngineWithRunner:
    """An engine with another runner. Where it is sent to, it is the engine alone: tasks run no tasks."""

    engine: Engine[Any, Any, Any]
    runner: Runner

    def __reduce__(self) -> tuple[Any, tuple[Engine[Any, Any, Any]]]:
        return itself, (self.engine,)

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def values(self) -> Any:
        return self.engine.values

    @property
    def rows(self) -> Any:
        return self.engine.rows

    def storage(self, uri: str, options: Mapping[str, str] | None = None) -> Storage:
        return self.engine.storage(uri, options)

    @property
    def formats(self) -> frozenset[str]:
        return self.engine.formats

    def reader(self, extension: str) -> FileReader[Any]:
        return self.engine.reader(extension)

    def writer(self, extension: str, codec: str | None = None, held: int | None = None) -> FileWriter[Any]:
        return self.engine.writer(extension, codec, held)


def itself(engine: Engine[Any, Any, Any]) -> Engine[Any, Any, Any]:
    """The engine."""
    return engine
