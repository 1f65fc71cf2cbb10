"""Objects that travel: copied, and sent to other processes, as what they were made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


class Portable:
    """A dataclass whose copies are made again of its fields, by `pickle`, `copy.copy` and `copy.deepcopy` alike.

    Fields that neither show nor compare (`repr=False, compare=False`) hold what was looked up, as cached properties do: they
    stay behind. So a copy is small and holds no lock, open file or function, and it looks up by itself what it needs.
    """

    __slots__ = ()

    def as_arguments(self) -> dict[str, Any]:
        """The arguments by name that make an object as this one was when it was new."""
        parts = fields(self)  # type: ignore[arg-type]
        return {part.name: getattr(self, part.name) for part in parts if part.init and (part.repr or part.compare)}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _make, (type(self), self.as_arguments())


def _make(kind: Callable[..., T], arguments: Mapping[str, Any]) -> T:
    return kind(**arguments)
