"""What a predicate is for one row: a naive three-valued evaluator, which shares nothing with `expr.outcomes` but the tree."""

from __future__ import annotations

import re
from typing import Any

from hudi_core.expr.predicate import (
    Always,
    And,
    Apply,
    Below,
    Choose,
    Column,
    Constant,
    Is,
    IsNull,
    Less,
    Matches,
    MatchesOne,
    Not,
    OneOf,
    Or,
    Predicate,
    Term,
    Within,
)
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t


def sort_key(value: Any, type: t.Type) -> Any:
    """The order of the type, by another way than the library's: text by its UTF-8 bytes, NaN last."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(type, t.Float | t.Double):
        return (1, 0) if value != value else (0, value)
    return value


def truth_of(p: Predicate, row: dict[int, Any]) -> Truth:
    """What the predicate gives on a row."""
    match p:
        case Always(truth):
            return truth
        case Not(part):
            return {TRUE: FALSE, FALSE: TRUE, NULL: NULL}[truth_of(part, row)]
        case And(parts):
            found = [truth_of(part, row) for part in parts]
            return FALSE if FALSE in found else NULL if NULL in found else TRUE
        case Or(parts):
            found = [truth_of(part, row) for part in parts]
            return TRUE if TRUE in found else NULL if NULL in found else FALSE
        case Is(part, truth):
            return _truth(truth_of(part, row) is truth)
        case IsNull(term):
            return _truth(value_of(term, row) is None)
        case Below(term, cut):
            value = value_of(term, row)
            if value is None:
                return NULL
            mine, its = sort_key(value, term.type), sort_key(cut.value, term.type)
            return _truth(mine < its or (cut.after and mine == its))
        case OneOf(term, values, with_null):
            value = value_of(term, row)
            if value is None:
                return NULL
            if any(sort_key(value, term.type) == sort_key(other, term.type) for other in values):
                return TRUE
            return NULL if with_null else FALSE
        case Less(left, right, or_equal):
            one, other = value_of(left, row), value_of(right, row)
            if one is None or other is None:
                return NULL
            mine, its = sort_key(one, left.type), sort_key(other, right.type)
            return _truth(mine < its or (or_equal and mine == its))
        case Matches(term, pattern):
            return truth_of(MatchesOne(term, (pattern,)), row)
        case MatchesOne(term, patterns):
            value = value_of(term, row)
            if value is None:
                return NULL
            likes = [_regex(pattern) for pattern in patterns if isinstance(pattern, tuple)]
            assert len(likes) == len(patterns)
            return _truth(any(re.fullmatch(like, value, re.DOTALL) for like in likes))
        case Within(term, values, members):
            value = value_of(term, row)
            if value is None:
                return NULL
            own, keys = sort_key(value, term.type), [sort_key(listed, term.type) for listed in values]
            return _truth(members[2 * sum(key < own for key in keys) + (own in keys)])
        case _:
            raise NotImplementedError(p)


def value_of(term: Term, row: dict[int, Any]) -> Any:
    match term:
        case Column(id):
            return row[id]
        case Constant(value):
            return value
        case Apply(function, (argument,)):
            value = value_of(argument, row)
            return None if value is None else len(value) if function.name == "length" else abs(value)
        case Choose(branches, otherwise):
            for condition, then in branches:
                if truth_of(condition, row) is TRUE:
                    return value_of(then, row)
            return value_of(otherwise, row)
        case _:
            raise NotImplementedError(term)


def _truth(answer: bool) -> Truth:
    return TRUE if answer else FALSE


def _regex(pattern: Pattern) -> str:
    marks = {AnyChar: ".", AnyRun: ".*"}
    return "".join(re.escape(part) if isinstance(part, str) else marks[type(part)] for part in pattern)
