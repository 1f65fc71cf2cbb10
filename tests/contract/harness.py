"""How a contract suite puts values into an engine's columns and takes answers out of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hudi_core.engine import Values
from hudi_core.types.nodes import Type

Given = tuple[Sequence[Any], Type]
"""The rows of a column, in the form of `hudi_core.values.domain`, and their type."""


class Columns(Protocol):
    """An engine under test. `masks` and `column` run an operation on columns of equal length."""

    @property
    def values(self) -> Values[Any, Any]: ...

    def mask(self, operation: Callable[..., Any], *columns: Given) -> list[bool]:
        """An operation that gives a mask."""
        ...

    def column(self, operation: Callable[..., Any], of: Type, *columns: Given) -> list[Any]:
        """An operation that gives a column of type `of`."""
        ...
