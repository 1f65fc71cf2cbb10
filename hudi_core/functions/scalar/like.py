"""LIKE patterns, taken apart."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnyChar:
    """`_` in LIKE: exactly one character."""


@dataclass(frozen=True, slots=True)
class AnyRun:
    """`%` in LIKE: any characters, also none."""


Pattern = tuple[str | AnyChar | AnyRun, ...]
