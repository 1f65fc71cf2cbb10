"""Engines by name: whatever the entry points `hudi_core.engines` offer.

The core imports none of them. It names one, the default: users get it who choose none, and layered engines build on it.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from hudi_core.engine import Engine, LayeredEngine
from hudi_core.errors import UnsupportedError, UsageError

GROUP = "hudi_core.engines"
DEFAULT_ENGINE = "arrow"


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {entry_point.name: entry_point for entry_point in entry_points(group=GROUP)}


def load_engine(name: str, files: str = DEFAULT_ENGINE) -> Engine[Any, Any, Any]:
    """The engine of this name; a layered one on top of the engine named `files`, which reads its files.

    Raises `UsageError` for an unknown name, `UnsupportedError` when its library is not installed.
    """
    entry_point = _entry_points().get(name)
    if entry_point is None:
        raise UsageError(
            f"engine {name!r}", expected=f"one of {', '.join(sorted(_entry_points()))}", found="no such engine"
        )
    try:
        engine: Engine[Any, Any, Any] | LayeredEngine = entry_point.load()
    except ModuleNotFoundError as missing:
        raise UnsupportedError(
            f"engine {name!r}", message=f"needs the package {missing.name}: pip install 'hudi-core[{name}]'"
        ) from missing
    if not isinstance(engine, LayeredEngine):
        return engine
    if files == name:
        raise UsageError(f"engine {name!r}", expected="another engine that reads its files", found=repr(files))
    return engine.over(load_engine(files))
