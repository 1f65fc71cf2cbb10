"""LIKE: its pattern read into parts, and what it says about the order of texts."""

from __future__ import annotations

from hudi_core.expr.leaves import every, negate
from hudi_core.expr.place import error_at
from hudi_core.expr.predicate import Predicate, Term
from hudi_core.expr.preimage import matches, one_of, starts_with
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern
from hudi_core.sql.place import Span


def pattern_of(text: str, escape: str = "\\", span: Span | None = None) -> Pattern:
    """The parts of a pattern: `_`, `%` and the texts between. Raises `ExpressionError` for an escape of anything else.

    >>> pattern_of("a!%%", "!")
    ('a%', AnyRun())
    """
    parts: list[str | AnyChar | AnyRun] = []
    literal: list[str] = []
    characters = iter(text)
    for character in characters:
        if character == escape:
            escaped = next(characters, None)
            if escaped not in ("%", "_", escape):
                following = "the end of the pattern" if escaped is None else repr(escaped)
                raise error_at(span, expected=f"%, _ or {escape} after the escape character {escape}", found=following)
            literal.append(escaped)
        elif character in "%_":
            if literal:
                parts.append("".join(literal))
                literal.clear()
            if character == "_" or not parts or parts[-1] != AnyRun():
                parts.append(AnyRun() if character == "%" else AnyChar())
        else:
            literal.append(character)
    return (*parts, "".join(literal)) if literal else tuple(parts)


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
