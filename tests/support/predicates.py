"""Bound predicates over a schema at random, and their truth on a row by the definition: Kleene's tables, part by part."""

from __future__ import annotations

from typing import Any, assert_never

from hypothesis import strategies as st

from hudi_core.expr import predicate as p
from hudi_core.functions.record import Function
from hudi_core.functions.registry import function
from hudi_core.functions.scalar import regex
from hudi_core.functions.scalar.like import AnyChar, AnyRun
from hudi_core.schema.schema import Schema
from hudi_core.truth import FALSE, NULL, TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.values.order import distinct, equal, is_ordered, less
from tests.support.strategies import values_of

_FUNCTIONS: list[tuple[Function, type[t.Type], t.Type]] = [
    (function("length"), t.String, t.Int()),
    (function("upper"), t.String, t.String()),
    (function("year"), t.Date, t.Int()),
    (function("negative"), t.Int, t.Int()),
    (function("cast"), t.Int, t.String()),
    (function("cast"), t.Double, t.Long()),
]
_PATTERNS: list[Any] = [(AnyRun(), "a"), ("a", AnyRun()), (AnyChar(),), (), "[a-z]", "^$"]


def columns(schema: Schema) -> list[p.Column]:
    """The columns outside lists and maps whose values SQL compares."""
    places = [place for place in schema.places.values() if not place.repeated and is_ordered(place.field.type)]
    return [p.Column(place.field.id, place.name, place.field.type, place.optional) for place in places]


@st.composite
def terms(draw: st.DrawFn, schema: Schema, of: t.Type | None = None, depth: int = 1) -> p.Term:
    """A term, of a type when one is given."""
    known = [column for column in columns(schema) if of is None or column.type == of]
    if depth == 0 or not known or draw(st.booleans()):
        if known and draw(st.integers(0, 9)):
            return draw(st.sampled_from(known))
        kind = of or draw(st.sampled_from([t.Int(), t.String(), t.Double()]))
        return p.Constant(draw(st.none() | values_of(kind)), kind)
    if draw(st.booleans()):
        chosen = of or draw(st.sampled_from(known)).type
        condition = draw(predicates(schema, 0))
        return p.Choose(((condition, draw(terms(schema, chosen, 0))),), draw(terms(schema, chosen, 0)), chosen)
    inner = draw(terms(schema, None, 0))
    fitting = [(f, to) for f, source, to in _FUNCTIONS if isinstance(inner.type, source) and of in (None, to)]
    if not fitting:
        return draw(st.sampled_from(known))
    function, to = draw(st.sampled_from(fitting))
    return p.Apply(function, (inner,), to)


@st.composite
def predicates(draw: st.DrawFn, schema: Schema, depth: int = 2) -> p.Predicate:
    """A predicate; what it compares with comes from the values of the type, null from time to time."""
    if depth > 0 and draw(st.booleans()):
        part = predicates(schema, depth - 1)
        match draw(st.sampled_from("anoi")):
            case "a":
                return p.And(tuple(draw(st.lists(part, min_size=1, max_size=3))))
            case "o":
                return p.Or(tuple(draw(st.lists(part, min_size=1, max_size=3))))
            case "n":
                return p.Not(draw(part))
            case _:
                return p.Is(draw(part), draw(st.sampled_from(Truth)))
    term = draw(terms(schema, None, min(depth, 1)))
    match draw(st.sampled_from("bbolnmsw0")):
        case "b":
            return p.Below(term, p.Cut(draw(values_of(term.type)), draw(st.booleans())))
        case "o":
            choices = distinct(tuple(draw(st.lists(values_of(term.type), max_size=3))), term.type)
            return p.OneOf(term, choices, draw(st.booleans()))
        case "l":
            return p.Less(term, draw(terms(schema, term.type, 1)), draw(st.booleans()))
        case "m" if isinstance(term.type, t.String):
            return p.Matches(term, draw(st.sampled_from(_PATTERNS)))
        case "s" if isinstance(term.type, t.String):
            return p.MatchesOne(term, tuple(draw(st.lists(st.sampled_from(_PATTERNS), max_size=3))))
        case "w" if not isinstance(term.type, t.Nested):
            listed = distinct(tuple(draw(st.lists(values_of(term.type), min_size=1, max_size=3))), term.type)
            size = 2 * len(listed) + 1
            return p.Within(term, listed, tuple(draw(st.lists(st.booleans(), min_size=size, max_size=size))))
        case "0":
            return p.Always(draw(st.sampled_from(Truth)))
        case _:
            return p.IsNull(term)


def truth_of(predicate: p.Predicate, row: Any, schema: Schema) -> Truth:
    """The truth of a predicate on one row."""
    match predicate:
        case p.Always(truth):
            return truth
        case p.Not(part):
            return ~truth_of(part, row, schema)
        case p.And(parts):
            found = TRUE
            for part in parts:
                found = found & truth_of(part, row, schema)
            return found
        case p.Or(parts):
            found = FALSE
            for part in parts:
                found = found | truth_of(part, row, schema)
            return found
        case p.Is(part, truth):
            return _truth(truth_of(part, row, schema) is truth)
        case p.IsNull(term):
            return _truth(value_of(term, row, schema) is None)
        case p.Less(left, right, or_equal):
            a, b = value_of(left, row, schema), value_of(right, row, schema)
            if a is None or b is None:
                return NULL
            return _truth(less(a, b, left.type) or (or_equal and equal(a, b, left.type)))
        case p.Opaque():
            raise NotImplementedError(predicate.text)
        case p.Below(term, cut):
            value = value_of(term, row, schema)
            if value is None:
                return NULL
            return _truth(less(value, cut.value, term.type) or (cut.after and equal(value, cut.value, term.type)))
        case p.OneOf(term, values, with_null):
            value = value_of(term, row, schema)
            if value is None:
                return NULL
            if any(equal(value, choice, term.type) for choice in values):
                return TRUE
            return NULL if with_null else FALSE
        case p.Matches(term, pattern):
            value = value_of(term, row, schema)
            return NULL if value is None else _truth(_matches(value, pattern))
        case p.MatchesOne(term, patterns):
            value = value_of(term, row, schema)
            return NULL if value is None else _truth(any(_matches(value, pattern) for pattern in patterns))
        case p.Within(term, values, members):
            value = value_of(term, row, schema)
            if value is None:
                return NULL
            below = sum(less(listed, value, term.type) for listed in values)
            return _truth(members[2 * below + any(equal(listed, value, term.type) for listed in values)])
        case _:
            assert_never(predicate)


def _matches(value: str, pattern: Any) -> bool:
    wanted = regex.parse(pattern) if isinstance(pattern, str) else regex.like(pattern)
    return wanted.compiled.search(value) is not None


def value_of(term: p.Term, row: Any, schema: Schema) -> Any:
    """A term's value on one row."""
    match term:
        case p.Column(id=column_id):
            value = row
            for position in schema.place(column_id).positions:
                value = None if value is None else value[position]
            return value
        case p.Constant(value):
            return value
        case p.Apply(function, arguments, of):
            values = [value_of(argument, row, schema) for argument in arguments]
            return function.apply(values, [argument.type for argument in arguments], of)
        case p.Choose(branches, otherwise):
            for condition, then in branches:
                if truth_of(condition, row, schema) is TRUE:
                    return value_of(then, row, schema)
            return value_of(otherwise, row, schema)
        case _:
            assert_never(term)


def _truth(yes: bool) -> Truth:
    return TRUE if yes else FALSE
