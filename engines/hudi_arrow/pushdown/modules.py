"""Libraries that are used where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hudi_core.errors import UnsupportedError


def import_needed(module: str, what: str) -> Any:
    """The module. Raises `UnsupportedError` that names the package to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        package = module.partition(".")[0]
        raise UnsupportedError(
            what, message=f"needs the package {package}: pip install 'hudi-core[{package}]'"
        ) from missing
