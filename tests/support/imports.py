"""Attempts to import a module while something runs.

pyarrow tries to import `dateutil` whenever it has to guess the type of a Python value. Where that is not installed, it looks
through all folders of packages in vain, and what is raised meanwhile, as by Ctrl-C, is lost.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def imports() -> Iterator[list[str]]:
    """The names that are imported in the block, by all threads, whether they can be or not, in order."""
    names: list[str] = []
    original = builtins.__import__

    def counted(name: str, *rest: Any, **options: Any) -> Any:
        names.append(name)
        return original(name, *rest, **options)

    builtins.__import__ = counted
    try:
        yield names
    finally:
        builtins.__import__ = original
