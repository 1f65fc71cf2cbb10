"""Which library changed a table's properties last, by the comment at their top. Rule TABLE-720."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hudi_core.formats.properties import leading_comments
from hudi_core.version import __version__

NAMED_SINCE: Final = (1, 2, 1)
"""The release of Apache Hudi from which on its comments have its number."""
_NAMED: Final = re.compile(r"Updated at .*\bhudi_version=([0-9A-Za-z.-]+)")
_OWN: Final = re.compile(r"Updated at .*\bhudi_core_version=([0-9A-Za-z.+-]+)")
_UNNAMED: Final = re.compile(r"(?:Updated at|Properties saved on) .+")
_JAVA_DATE: Final = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} .* [0-9]{4}")
"""The second line of comment, which Java adds to what it writes."""


class Library(StrEnum):
    """A library that writes tables."""

    APACHE_HUDI = "Apache Hudi"
    HUDI_CORE = "hudi_core"


@dataclass(frozen=True, slots=True)
class LastWriter:
    """The library that changed the properties last, None where the comment does not show it, and its release, None for one from
    before releases were named. Others may have committed since: a commit does not change the properties."""

    library: Library | None
    release: str | None = None

    def __str__(self) -> str:
        if self.library is None:
            return "unknown"
        before = f"before {'.'.join(map(str, NAMED_SINCE))}"
        return f"{self.library.value} {self.release or before}"

    @property
    def is_before_named(self) -> bool:
        """Whether it is a release of Apache Hudi before 1.2.1."""
        if self.library is not Library.APACHE_HUDI:
            return False
        numbers = re.findall(r"[0-9]+", self.release or "")[: len(NAMED_SINCE)]
        return self.release is None or tuple(map(int, numbers)) < NAMED_SINCE


def last_writer(properties: bytes) -> LastWriter:
    """The library that wrote this file of properties."""
    comments = leading_comments(properties)
    first = comments[0] if comments else ""
    for library, pattern in ((Library.APACHE_HUDI, _NAMED), (Library.HUDI_CORE, _OWN)):
        if match := pattern.fullmatch(first):
            return LastWriter(library, match[1])
    if _UNNAMED.fullmatch(first) and len(comments) > 1 and _JAVA_DATE.fullmatch(comments[1]):
        return LastWriter(Library.APACHE_HUDI)
    return LastWriter(None)


def own_comment(time: str) -> str:
    """The comment of properties that this library writes."""
    return f"Updated at {time}, hudi_core_version={__version__}"
