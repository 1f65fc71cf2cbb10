"""Key generators of your own: a Python class with the methods `record_key(row)` and `partition_path(row)`. Rule KEY-6."""

from __future__ import annotations

import importlib
import re

from hudi_core.errors import UnsupportedError, UsageError
from hudi_core.keys.generator import UserGenerator

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)
_METHODS = ("record_key", "partition_path")


def load_generator(name: str, option: str) -> UserGenerator:
    """An instance of the class `module:Class`.

    Raises `UnsupportedError` for a class in Java, `UsageError` for one that is not there or lacks a method.
    """
    if not _NAME.fullmatch(name):
        raise UnsupportedError(
            option, message=f"{name} is a class in Java and none of Hudi's own; give one in Python as module:Class"
        )
    module, _, called = name.partition(":")
    try:
        loaded = getattr(importlib.import_module(module), called, None)
    except ModuleNotFoundError as missing:
        raise UsageError(option, expected="a module that can be imported", found=str(missing)) from missing
    except Exception as problem:  # of code that is not ours: any
        raise UsageError(option, expected="a module that can be imported", found=_shown(problem)) from problem
    if not isinstance(loaded, type):
        raise UsageError(option, expected=f"a class {called} in the module {module}", found="none")
    try:
        generator = loaded()
    except Exception as problem:  # of code that is not ours: any
        raise UsageError(
            option, expected=f"a class {called} made without arguments", found=_shown(problem)
        ) from problem
    return checked(generator, option)


def _shown(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}"


def checked(generator: object, where: str) -> UserGenerator:
    """The generator. Raises `UsageError` when it lacks a method."""
    for method in _METHODS:
        if not callable(getattr(generator, method, None)):
            raise UsageError(where, expected=f"a method {method}(row)", found=f"none in {type(generator).__name__}")
    return generator  # type: ignore[return-value]  # what was checked is what the protocol asks
