"""Findings: what a check reports. Rules VALID-1, VALID-2."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hudi_core.errors import TableError, UnsupportedError
from hudi_core.notebook import show_briefly


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """A query, an index or a later write can go wrong by it."""
    WARNING = "warning"
    """It is not as a sound writer leaves it; no query goes wrong by it."""
    INFO = "info"
    """It costs speed, or could not be examined."""


@show_briefly
@dataclass(frozen=True, slots=True)
class Mending:
    """How a finding is mended: in words, and what `mend` does about it, if anything."""

    words: str
    rebuilds: str | None = None
    """The partition of the metadata table that is built again."""
    removes: str | None = None
    """The file or folder that is deleted, by path from the table's root."""
    drops: str | None = None
    """The requested time of an action whose plan cannot be read: it is dropped, with what runs of it wrote."""
    forgets: str | None = None
    """The metadata partition whose definition is removed."""


@show_briefly
@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be. `where` is a path from the table's root, with a place in that file."""

    check: str
    severity: Severity
    where: str
    expected: str
    found: str
    mending: Mending

    def __str__(self) -> str:
        return f"{self.severity}: {self.check}: {self.where}: expected {self.expected}, found {self.found}"

    def as_record(self) -> dict[str, str]:
        """The finding as the command line's JSON has it."""
        return {
            "severity": self.severity.value,
            "check": self.check,
            "where": self.where,
            "expected": self.expected,
            "found": self.found,
            "mending": self.mending.words,
        }


def rebuild(partition: str) -> Mending:
    """Mended by building a partition of the metadata table again."""
    return Mending(f"rebuild the metadata partition {partition} (validate --mend)", rebuilds=partition)


def forget(partition: str) -> Mending:
    """Mended by removing the definition of an index that is not there."""
    return Mending(f"remove the definition of {partition} (validate --mend)", forgets=partition)


def by_hand(words: str) -> Mending:
    """Mended by people alone: it is no index, and no leftover that nobody misses."""
    return Mending(words)


def problem(check: str, root: str, error: TableError, mending: Mending, where: str | None = None) -> Finding:
    """What was raised while a part of the table was read, at `where`, else at the error's own place. What cannot be read here is
    information, damage is an error."""
    severity = Severity.INFO if isinstance(error, UnsupportedError) else Severity.ERROR
    place = where or error.where.removeprefix(root).lstrip("/") or root
    expected, found = error.expected or "a part of the table that can be read", error.found or str(error)
    return Finding(check, severity, place, expected, found, mending)
