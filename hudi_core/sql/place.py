"""A place in a text, and how messages show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hudi_core.errors import HudiError

_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Span:
    """Where in a text something stands: start and end offset in characters."""

    text: str
    start: int
    end: int

    @property
    def source(self) -> str:
        """The text of the span; empty at the end of the text."""
        return self.text[self.start : self.end]


Complaint = Callable[[Span, str, str | None], HudiError]
"""The error of a reader of SQL text: the place, what was expected, and what is there in other words than the text's own."""


def line_and_column(span: Span) -> tuple[int, int]:
    """Where a place begins, both from 1."""
    return span.text.count("\n", 0, span.start) + 1, span.start - (span.text.rfind("\n", 0, span.start) + 1) + 1


def point_at(span: Span) -> str:
    """The line of the text, or its part around the place, with carets below the place."""
    line, column = line_and_column(span)
    shown = span.text.split("\n")[line - 1].replace("\t", " ").replace("\r", " ")
    column -= 1
    length = max(min(span.end - span.start, len(shown) - column), 1)
    cut = max(column - _WIDTH // 2, 0)
    head, tail = "..." if cut else "", "..." if len(shown) > cut + _WIDTH else ""
    part = shown[cut : cut + _WIDTH]
    return f"{head}{part}{tail}\n{' ' * (len(head) + column - cut)}{'^' * min(length, _WIDTH - (column - cut))}"
