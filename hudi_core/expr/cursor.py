"""Going through the tokens of a text, one ahead, and saying what is unexpected."""

from __future__ import annotations

from hudi_core.errors import ExpressionError
from hudi_core.expr.lex import Kind, Token, name_value, text_value, token_at
from hudi_core.expr.nodes import Span
from hudi_core.expr.place import error_at


class Cursor:
    """A place in a text: the token there, the one that follows, and the last one taken."""

    __slots__ = ("_following", "_last", "_text", "_token")

    def __init__(self, text: str) -> None:
        self._text = text
        self._last = self._token = self._following = token_at(text, 0)
        self._go_to(0)

    def _go_to(self, at: int) -> None:
        self._token = token_at(self._text, at)
        self._following = token_at(self._text, self._token.end)

    def _next(self) -> Token:
        taken = self._last = self._token
        self._token = self._following
        self._following = token_at(self._text, self._token.end)
        return taken

    def _take(self, key: str) -> bool:
        if self._token.key != key:
            return False
        self._next()
        return True

    def _expect(self, key: str) -> Token:
        if self._token.key != key:
            raise self._unexpected(f"`{key}`")
        return self._next()

    def expect_end(self) -> None:
        if self._token.kind is not Kind.END:
            raise self._unexpected("AND, OR or the end")

    def _source(self, token: Token) -> str:
        return self._text[token.start : token.end]

    def _span(self, start: Token) -> Span:
        """From a token to the last one taken."""
        return Span(self._text, start.start, self._last.end)

    def _unexpected(self, expected: str, token: Token | None = None) -> ExpressionError:
        token = token or self._token
        found = "the end" if token.kind is Kind.END else f"`{self._source(token)}`"
        return error_at(Span(self._text, token.start, token.end), expected=expected, found=found)

    def _part(self) -> str:
        token = self._token
        if token.kind not in (Kind.WORD, Kind.NAME):
            raise self._unexpected("a name")
        self._next()
        return name_value(self._source(token)) if token.kind is Kind.NAME else self._source(token)

    def _text_of(self, token: Token) -> str:
        value = text_value(self._source(token))
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise self._unexpected("text (half of a surrogate pair is none)", token)
        return value
