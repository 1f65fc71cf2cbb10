"""Conversion losses, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConversionLoss:
    """One thing that the target has no place for: at which path (empty for the root), what it is, and what stands for it."""

    path: str
    what: str
    kept_as: str = ""
    """The replacement in the target; empty when there is none."""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}{self.what} {f'kept as {self.kept_as}' if self.kept_as else 'not kept'}"


@dataclass(frozen=True, slots=True)
class Converted(Generic[T]):
    """The result of a conversion and its losses, in schema order. Without losses the way back gives an equal schema."""

    value: T
    losses: tuple[ConversionLoss, ...] = ()
