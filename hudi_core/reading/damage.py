"""What a read does about damaged files: an error, or the rest of the rows with a warning. Rule LOG-262."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from hudi_core.errors import CorruptFileError, NoSuchFileError, TableError

T = TypeVar("T")


class OnDamage(StrEnum):
    """What a read does about a damaged file."""

    ERROR = "error"
    SKIP = "skip"
    """Leaves out what cannot be read, with a warning."""


DAMAGE = (CorruptFileError, NoSuchFileError)
"""Errors of files that are not as they were written."""


@dataclass(frozen=True)
class Damage:
    """The choice for one read, and the warnings about what it left out; safe in threads."""

    on_damage: OnDamage = OnDamage.ERROR
    warnings: list[str] = field(default_factory=list, compare=False)

    @property
    def skips(self) -> bool:
        return self.on_damage is OnDamage.SKIP

    def leave_out(self, error: TableError, what: str) -> None:
        """Notes what is left out because of an error; raises the error where nothing may be."""
        if not self.skips:
            raise error
        warning = f"{error}; {what} left out"
        if warning not in self.warnings:
            self.warnings.append(warning)

    def rest(self, items: Iterator[T], what: str) -> Iterator[T]:
        """The items up to damage; behind it none where it is skipped."""
        try:
            yield from items
        except DAMAGE as error:
            self.leave_out(error, what)


RAISED = Damage()
"""The choice where nobody makes one: damage is an error."""
