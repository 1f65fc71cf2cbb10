"""Properties of services as numbers and flags, under any of the names that Apache Hudi has for them. Rule CLEAN-380."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hudi_core.errors import UsageError

_FLAGS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class StatedProperties:
    """Properties by name; of several names for one the first that is stated counts. An empty text counts as absent."""

    properties: Mapping[str, str]

    def text(self, *names: str) -> str | None:
        """The text under the first of these names that is stated; None where none is."""
        return next((text for name in names if (text := self.properties.get(name, "").strip())), None)

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
        if text.lower() not in _FLAGS:
            raise UsageError(names[0], expected="true or false", found=repr(text))
        return _FLAGS[text.lower()]
