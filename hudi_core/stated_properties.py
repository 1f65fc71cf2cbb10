"""Properties of tables, writes and services as numbers, flags and choices, under any of the names that Apache Hudi has for them.
Rule CLEAN-380."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeVar

from hudi_core.errors import UsageError, describe

T = TypeVar("T")

FLAGS: Final = {"true": True, "false": False}
_BARE: Final = re.compile(r"\s*(?:true|false|[-+]?\d+)\s*", re.IGNORECASE)
"""A truth value or a whole number, with blanks or without."""


def property_texts(given: object, where: str) -> dict[str, str]:
    """Properties as users give them, as texts: truth values and numbers as Java writes them, without blanks. None has none.

    Raises `UsageError`, at `where`, for what is no mapping, and for a name or a value of another type.

    >>> property_texts({"hoodie.clean.automatic": True, "hoodie.keep.min.commits": 5}, "properties")
    {'hoodie.clean.automatic': 'true', 'hoodie.keep.min.commits': '5'}
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(where, expected="a mapping from names to values", found=describe(given))
    texts: dict[str, str] = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise UsageError(where, expected="names of properties", found=describe(name))
        if name != name.strip() or not name:
            raise UsageError(where, expected="names of properties, without blanks around them", found=repr(name))
        if not isinstance(value, str | bool | int | float):
            raise UsageError(name, expected="a text, a number, true or false", found=describe(value))
        text = str(value).lower() if isinstance(value, bool) else str(value)
        # Java takes a truth value with blanks for false, and a number with them for none.
        texts[name] = text.strip() if _BARE.fullmatch(text) else text
    return texts


@dataclass(frozen=True, slots=True)
class StatedProperties:
    """Properties by name; of several names for one the first that is stated counts. An empty text counts as absent."""

    properties: Mapping[str, str]
    others: Sequence[Mapping[str, str]] = ()
    """Properties that count, in this order, where those before state nothing."""

    @classmethod
    def join(cls, first: Mapping[str, str], *others: Mapping[str, str]) -> Self:
        """Joins properties of several sources, as of a write and of its table: the first that states a property counts."""
        return cls(first, others)

    def text(self, *names: str) -> str | None:
        """The text under the first of these names that is stated; None where none is."""
        stated = (properties.get(name, "").strip() for properties in (self.properties, *self.others) for name in names)
        return next(filter(None, stated), None)

    def number(self, *names: str, default: int, least: int = 0) -> int:
        """A whole number. Raises `UsageError` for another text, and for one below `least`."""
        text = self.text(*names)
        if text is None:
            return default
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 20) or int(text) < least:
            raise UsageError(names[0], expected=f"a whole number from {least} on", found=repr(text))
        return int(text)

    def flag(self, *names: str, default: bool) -> bool:
        """`true` or `false`. Raises `UsageError` for another text."""
        text = self.text(*names)
        if text is None:
            return default
        if text.lower() not in FLAGS:
            raise UsageError(names[0], expected="true or false", found=repr(text))
        return FLAGS[text.lower()]

    def choice(self, name: str, choices: Mapping[str, T]) -> T | None:
        """What the stated choice stands for, in letters of any case; None where none is stated. Raises `UsageError` for another
        text."""
        text = self.text(name)
        if text is None:
            return None
        chosen = {one.lower(): value for one, value in choices.items()}
        if text.lower() not in chosen:
            raise UsageError(name, expected=f"one of {', '.join(choices)}", found=repr(text))
        return chosen[text.lower()]
