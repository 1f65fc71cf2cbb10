"""Modules that are loaded when one of their names is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ModuleByNeed:
    """Stands for a module, and loads it when a name is first taken from it.

    Where many functions are offered and few are called, each call loads what it needs and no more. A type checker is given the
    module itself: its imports are under `TYPE_CHECKING`.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)

    def __repr__(self) -> str:
        return f"<{self._name}, loaded when it is used>"
