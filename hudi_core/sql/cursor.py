"""A cursor over the tokens of a text, with two ahead, and the errors for unexpected ones."""

from __future__ import annotations

from typing import Final, NoReturn

from hudi_core.errors import HudiError
from hudi_core.sql.place import Complaint, Span
from hudi_core.sql.tokens import Kind, Token, name_value, string_value, token_at

_OPENERS: Final = {
    "'": "a closing quote",
    '"': "a closing quote",
    "`": "a closing back-tick",
    "/": "the end of the comment",
}
_MAX_DIGITS: Final = 100
"""Digits of an integer that are read; Python itself stops at some thousands."""


class Cursor:
    """A place in a text: the token there, the one that follows, and the last one taken. `complaint` makes its errors."""

    __slots__ = ("_complaint", "following", "last", "text", "token")

    def __init__(self, text: str, complaint: Complaint) -> None:
        self.text = text
        self._complaint = complaint
        self.last = self.token = self.following = Token(Kind.END, "", 0, 0)
        self.go_to(0)

    def go_to(self, offset: int) -> None:
        """Moves to an offset, which lies between tokens."""
        self.token = self._token_at(offset)
        self.following = self._token_at(self.token.end)

    def go_back(self, token: Token) -> None:
        """Moves back to a token that was taken."""
        self.go_to(token.start)

    def advance(self) -> Token:
        """Moves on; gives the token that was there."""
        taken = self.last = self.token
        self.token = self.following
        self.following = self._token_at(self.token.end)
        return taken

    def take(self, *keys: str) -> bool:
        """Moves behind these words or symbols if they come next, all of them."""
        if self.token.key != keys[0]:
            return False
        begin = self.token
        for key in keys:
            if self.token.key != key:
                self.go_back(begin)
                return False
            self.advance()
        return True

    def expect(self, key: str, expected: str | None = None) -> Token:
        """Moves behind a word or symbol that has to come next."""
        if self.token.key != key:
            raise self.make_error(expected or f"`{key}`")
        return self.advance()

    @property
    def at_end(self) -> bool:
        return self.token.kind is Kind.END

    def expect_end(self, expected: str) -> None:
        if not self.at_end:
            raise self.make_error(expected)

    def source(self, token: Token) -> str:
        """A token as it is written."""
        return self.text[token.start : token.end]

    def span(self, start: Token) -> Span:
        """From a token to the last one taken."""
        return Span(self.text, start.start, self.last.end)

    def adjoins(self, before: Token, after: Token) -> bool:
        """Whether nothing stands between two tokens, not even a blank."""
        return before.end == after.start

    def name(self, expected: str = "a name") -> str:
        """One name, bare or in back-ticks."""
        token = self.token
        if token.kind not in (Kind.WORD, Kind.NAME):
            raise self.make_error(expected)
        self.advance()
        return name_value(self.source(token)) if token.kind is Kind.NAME else self.source(token)

    def read_hyphenated(self, expected: str = "a name") -> str:
        """One name; words with hyphens and no blanks between them are one, as in `local-timestamp-millis`."""
        bare = self.token.kind is Kind.WORD
        name = self.name(expected)
        while bare and self.token.key == "-" and self.following.kind is Kind.WORD:
            hyphen = self.token
            if not (self.adjoins(self.last, hyphen) and self.adjoins(hyphen, self.following)):
                break
            self.advance()
            name += f"-{self.name()}"
        return name

    def path(self, expected: str = "a name") -> tuple[str, ...]:
        """Names, also with hyphens, with dots between them."""
        names = [self.read_hyphenated(expected)]
        while self.take("."):
            names.append(self.read_hyphenated("a name behind the dot"))
        return tuple(names)

    def string(self, expected: str) -> str:
        """A quoted string."""
        if self.token.kind is not Kind.STRING:
            raise self.make_error(expected)
        return self.string_of(self.advance())

    def string_of(self, token: Token) -> str:
        """The value of a string token."""
        value = string_value(self.source(token))
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise self.make_error("a string (half of a surrogate pair is none)", token)
        return value

    def integer(self, expected: str) -> int:
        """Digits, not too many of them, without a sign."""
        shown = self.source(self.token)
        if self.token.kind is not Kind.NUMBER or not shown.isascii() or not shown.isdigit() or len(shown) > _MAX_DIGITS:
            raise self.make_error(expected)
        self.advance()
        return int(shown)

    def make_error(self, expected: str, token: Token | None = None, found: str | None = None) -> HudiError:
        """The error that a token, by default the next one, is not what was expected."""
        token = token or self.token
        return self._complaint(Span(self.text, token.start, token.end), expected, found)

    def fail(self, expected: str, token: Token | None = None, found: str | None = None) -> NoReturn:
        """Raises `make_error`."""
        raise self.make_error(expected, token, found)

    def _token_at(self, offset: int) -> Token:
        token = token_at(self.text, offset)
        if token.kind is Kind.BAD:
            opener = _OPENERS.get(self.source(token))
            raise self.make_error(
                opener or "a word, a number, a string or a symbol", token, "the end" if opener else None
            )
        return token
