"""How a contract suite puts values into an engine's columns and takes answers out of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from hypothesis import HealthCheck, given, settings

from hudi_core.engine import Engine, Rows, Values
from hudi_core.schema.schema import Schema
from hudi_core.types.nodes import Type
from tests.support.drawing import cases

AnyEngine: TypeAlias = Engine[Any, Any, Any]


def law(
    *arguments: Any, most: int = 100, part: int = 6, **named: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`given`, for suites: each engine's class runs the same method, and a busy machine is no failure. `most` cases are
    drawn in a long run, and of `part` so many one in an ordinary run."""

    def settled(test: Callable[..., None], **more: Any) -> Callable[..., None]:
        calm = settings(
            deadline=None,
            suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow, *more.pop("calm", ())],
            **{"max_examples": cases(most, part=part), **more},
        )
        found = calm(given(*arguments, **named)(test))
        setattr(found, _AGAIN, lambda **other: settled(test, **other))
        return found

    return settled


_AGAIN = "law_with_other_settings"


def with_settings(suite: type, **named: Any) -> type:
    """The suite with other settings of Hypothesis for its laws: for an engine of which each question takes long."""
    changed: dict[str, Any] = {}
    for name in dir(suite):
        test = getattr(suite, name)
        if hasattr(test, _AGAIN):
            changed[name] = getattr(test, _AGAIN)(**named)
            changed[name].pytestmark = list(getattr(test, "pytestmark", ()))
    return type(suite.__name__, (suite,), changed)


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


class Batches(Protocol):
    """An engine's batches under test."""

    @property
    def rows(self) -> Rows[Any, Any, Any]: ...

    def of(self, rows: Sequence[Any], schema: Schema) -> list[Any]:
        """Batches with these rows, in the form of `hudi_core.values.domain`; none of them is empty."""
        ...

    def mask(self, batch: Any, yes: bool) -> Any:
        """The same answer for every row of a batch."""
        ...
