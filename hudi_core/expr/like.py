"""LIKE: its pattern read into parts, and the range of strings that its prefix implies."""

from __future__ import annotations

from hudi_core.errors import ExpressionError
from hudi_core.expr.connectives import every, negate
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Predicate, Term
from hudi_core.expr.preimage import matches, one_of, starts_with
from hudi_core.functions.scalar.like import AnyRun, Pattern, pattern_of
from hudi_core.sql.place import Span


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
