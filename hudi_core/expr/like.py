"""LIKE: its pattern read into parts, and the range of strings that its prefix implies."""

from __future__ import annotations

from typing import Final

from hudi_core.errors import ExpressionError
from hudi_core.expr.bind_term import NotKnownError
from hudi_core.expr.connectives import every, negate
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Cut, Predicate, Term
from hudi_core.expr.preimage import below, matches, one_of, starts_with
from hudi_core.functions.scalar.like import AnyRun, Pattern, pattern_of
from hudi_core.sql.place import Span
from hudi_core.types import nodes as t

_REPLACEMENT: Final = "\ufffd"


def pattern_at(text: str, escape: str, span: Span | None) -> Pattern:
    """The parts of a pattern that stands somewhere in an expression. Raises as `pattern_of`, with the place."""
    try:
        return pattern_of(text, escape)
    except ExpressionError as wrong:
        raise error_at(span, expected=wrong.expected, found=wrong.found) from None


def like(term: Term, pattern: Pattern) -> Predicate:
    """A text without wildcards is that text; one that begins with text is a range of texts, which must also match."""
    match pattern:
        case ():
            return one_of(term, ("",))
        case (str() as text,):
            return one_of(term, (text,))
        case (AnyRun(),):
            return negate(one_of(term, ()))
        case (str() as prefix, AnyRun()):
            return starts_with(term, prefix)
        case (str() as prefix, *_):
            return every([starts_with(term, prefix), matches(term, pattern)])
        case _:
            return matches(term, pattern)


def like_of_bytes(term: Term, text: Term, pattern: Pattern) -> Predicate:
    """LIKE of bytes, which are a text where it is looked into: `text` is the term as one. Patterns of a text or a beginning
    compare bytes. Raises `NotKnownError` for the character that stands for bytes that are no text. Rule EXPR-1657."""
    if any(isinstance(part, str) and _REPLACEMENT in part for part in pattern):
        raise NotKnownError
    if not isinstance(term.type, t.Binary):
        return like(text, pattern)
    match pattern:
        case ():
            return one_of(term, (b"",))
        case (str() as whole,):
            return one_of(term, (whole.encode(),))
        case (AnyRun(),):
            return like(term, pattern)
        case (str() as prefix, *rest):
            begin = prefix.encode()
            after = begin[:-1] + bytes([begin[-1] + 1])  # no byte of UTF-8 is 0xFF
            within = [negate(below(term, Cut(begin))), below(term, Cut(after))]
            return every(within if rest == [AnyRun()] else [*within, matches(text, pattern)])
        case _:
            return like(text, pattern)
