"""The cursor over SQL text for schemas: names with hyphens, values as Python has them, errors of use."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from hudi_core.errors import UsageError
from hudi_core.sql import cursor
from hudi_core.sql.place import Span
from hudi_core.sql.tokens import Kind, bytes_value, number_value

_WORDS: Final[Mapping[str, object]] = {"NULL": None, "TRUE": True, "FALSE": False}
_MAX_SHOWN: Final = 40
_MAX_DIGITS: Final = 100
"""Digits of an integer that are read; Python itself stops at some thousands."""


class Cursor(cursor.Cursor):
    """A text and the token that is next. All errors are `UsageError` with the text, the place and what was expected."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, _complaint)

    def path(self, expected: str = "a column") -> tuple[str, ...]:
        return super().path(expected)

    def literal(self) -> object:
        """A value as Python has it: None, bool, int, Decimal, float, string or bytes.

        `DATE` and the like before a string add nothing.
        """
        if self.token.key in ("DATE", "TIMESTAMP", "TIME"):
            self.advance()
            return self.string("a quoted string")
        if self.token.kind is Kind.STRING:
            return self.string("a value")
        start = self.token
        sign = "-" if self.take("-") else ""
        if not sign:
            self.take("+")
        token, shown = self.token, self.source(self.token)
        signed = token is not start
        if token.kind is Kind.NUMBER:
            self.advance()
            return _number(sign + shown)
        if token.key in _WORDS and not signed:
            self.advance()
            return _WORDS[token.key]
        data = bytes_value(shown) if token.kind is Kind.BYTES and not signed else None
        if data is None:
            self.fail("a value", start)
        self.advance()
        return data


def _number(shown: str) -> object:
    """Exact, but for a number that says itself that it is binary."""
    if shown.lstrip("-").isdigit() and len(shown) <= _MAX_DIGITS:
        return int(shown)
    return Decimal(shown) if shown[-1].isdigit() or shown[-1] == "." else number_value(shown)[0]


def _complaint(span: Span, expected: str, found: str | None) -> UsageError:
    shown = found or (repr(span.source) if span.source else "the end")
    near = span.text if len(span.text) <= _MAX_SHOWN else f"{span.text[:_MAX_SHOWN]}..."
    return UsageError(f"{near!r} at {span.start + 1}", expected=expected, found=shown)
