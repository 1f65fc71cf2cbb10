"""Engines by name: whatever the entry points `hudi_core.engines` offer. The core names none of them itself."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from hudi_core.engine import Engine
from hudi_core.errors import UnsupportedError, UsageError

GROUP = "hudi_core.engines"


@cache
def _offered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def load_engine(name: str) -> Engine[Any, Any, Any]:
    """The engine of this name.

    Raises `UsageError` when nobody offers it, `UnsupportedError` when the library it stands on is not installed.
    """
    point = _offered().get(name)
    if point is None:
        raise UsageError(f"engine {name!r}", expected=f"one of {', '.join(sorted(_offered()))}", found="no such engine")
    try:
        engine: Engine[Any, Any, Any] = point.load()
    except ModuleNotFoundError as missing:
        raise UnsupportedError(
            f"engine {name!r}", message=f"needs the package {missing.name}: pip install 'hudi-core[{name}]'"
        ) from missing
    return engine
