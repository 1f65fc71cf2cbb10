"""A cursor over the words of SQL text for schemas, with errors that name the place."""

from __future__ import annotations

import decimal
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from hudi_core.errors import UsageError

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<bytes>[xX]'[0-9a-fA-F]*')
    |(?P<word>[^\W\d]\w*(?:-[^\W\d]\w*)*)
    |(?P<name>`(?:[^`]|``)+`)
    |(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<number>[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)
    |(?P<sign>[(),<>\[\].:;])
    |(?P<end>\Z)
    |(?P<bad>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final[Mapping[str, object]] = {"NULL": None, "TRUE": True, "FALSE": False}
_MOST_SHOWN: Final = 40
_MOST_DIGITS: Final = 100
"""Digits of an integer that are read; Python itself stops at some thousands."""


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is the name of a group of the pattern, `text` what stands there."""

    kind: str
    text: str
    start: int

    @property
    def key(self) -> str:
        """A word in upper case, or a sign; empty for anything else."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


class Cursor:
    """A text and the token that is next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.next = self._token(0)

    def take(self, *keys: str) -> bool:
        """Moves behind these words or signs if they come next, all of them."""
        begin = self.next
        for key in keys:
            if self.next.key != key:
                self.next = begin
                return False
            self.advance()
        return True

    def expect(self, key: str, what: str | None = None) -> None:
        if not self.take(key):
            self.fail(what or f"`{key}`")

    def advance(self) -> Token:
        """Moves on; gives the token that was next."""
        found = self.next
        self.next = self._token(found.start + len(found.text))
        return found

    def name(self, what: str = "a column") -> str:
        """One name, bare or in back-ticks."""
        if self.next.kind == "name":
            return self.advance().text[1:-1].replace("``", "`")
        if self.next.kind != "word":
            self.fail(what)
        return self.advance().text

    def path(self, what: str = "a column") -> tuple[str, ...]:
        """Names with dots between them."""
        names = [self.name(what)]
        while self.take("."):
            names.append(self.name("a name behind the dot"))
        return tuple(names)

    def string(self, what: str) -> str:
        """A quoted text; a doubled quote in it is one."""
        if self.next.kind != "text":
            self.fail(what)
        quoted = self.advance().text
        return quoted[1:-1].replace(quoted[0] * 2, quoted[0])

    def integer(self, what: str) -> int:
        shown = self.next.text
        if self.next.kind != "number" or not shown.isascii() or not shown.isdigit() or len(shown) > _MOST_DIGITS:
            self.fail(what)
        return int(self.advance().text)

    def literal(self) -> object:
        """A value as Python has it: None, bool, int, Decimal, text or bytes. `DATE` and the like before a text add nothing."""
        if self.next.key in ("DATE", "TIMESTAMP", "TIME"):
            self.advance()
            return self.string("a quoted text")
        if self.next.kind == "text":
            return self.string("a value")
        shown = self.next.text
        if self.next.key in _WORDS:
            found = _WORDS[self.next.key]
        elif self.next.kind == "bytes" and len(shown) % 2:
            found = bytes.fromhex(shown[2:-1])
        elif self.next.kind == "number":
            whole = shown.lstrip("+-").isdigit() and len(shown) <= _MOST_DIGITS
            found = int(shown) if whole else decimal.Decimal(shown)
        else:
            self.fail("a value")
        self.advance()
        return found

    def fail(self, expected: str, found: str | None = None) -> NoReturn:
        """Raises `UsageError` at the token that is next."""
        shown = found or (repr(self.next.text) if self.next.text else "the end")
        near = self.text if len(self.text) <= _MOST_SHOWN else f"{self.text[:_MOST_SHOWN]}..."
        raise UsageError(f"{near!r} at {self.next.start + 1}", expected=expected, found=shown)

    def _token(self, at: int) -> Token:
        found = _TOKEN.match(self.text, at)
        assert found is not None  # one of the alternatives always matches
        kind = found.lastgroup or "bad"
        token = Token(kind, found[kind], found.start(kind))
        if kind == "bad":
            self.next = token
            self.fail("a word, a number or a quoted text")
        return token
