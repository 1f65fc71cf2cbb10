"""Lists of names as users give them."""

from __future__ import annotations

from collections.abc import Iterable


def name_list(given: str | Iterable[str]) -> tuple[str, ...]:
    """Names from a list, or from one string with commas between them, where blanks around names and empty names are left out."""
    if isinstance(given, str):
        return tuple(name.strip() for name in given.split(",") if name.strip())
    return tuple(given)
