"""Chains of conditions on one term as one condition on the set of its values: EXPR-41.

`a = 1 OR a = 2` is `a IN (1, 2)`, `a <> 1 AND a <> 2` is `a NOT IN (1, 2)`, `a < 3 OR a BETWEEN 2 AND 5` is `a <= 5`; many ranges
are one `Within`, many patterns one `MatchesOne`. Exact in three-valued logic: each such condition is NULL where the term is null,
and TRUE or FALSE of every value.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hudi_core.expr.cuts import ranges_of
from hudi_core.expr.predicate import (
    ALWAYS_NULL,
    And,
    Below,
    Cut,
    Matches,
    MatchesOne,
    Not,
    OneOf,
    Or,
    Predicate,
    Term,
    Within,
    term_key,
)
from hudi_core.functions.scalar.like import Pattern
from hudi_core.types.nodes import Nested, Type
from hudi_core.values.order import sort_key

_Edge = tuple[Any, bool, Cut]
"""A cut with what it sorts by: the key of its value, and whether it lies after the value."""


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Values of a type: those below the first edge if `below`, then from every second edge up to the next. Edges ascend."""

    edges: tuple[_Edge, ...]
    below: bool = False

    @property
    def complement(self) -> ValueSet:
        return ValueSet(self.edges, not self.below)


def fold(parts: Sequence[Predicate], kind: type[And] | type[Or]) -> list[Predicate]:
    """The parts of an AND or OR; those that are conditions on the values of one term are one, where the first of them stood."""
    if len(parts) < 2:
        return list(parts)
    result: list[Predicate | _Chain | _PatternChain] = []
    chains: dict[Hashable, _Chain] = {}
    pattern_chains: dict[Hashable, _PatternChain] = {}
    for part in parts:
        match part if kind is Or else _negate(part):
            case Matches(text) | MatchesOne(text) as condition:
                patterns = pattern_chains.get(key := term_key(text))
                if patterns is None:
                    pattern_chains[key] = patterns = _PatternChain(text, [])
                    result.append(patterns)
                patterns.parts.append(condition)
                continue
        term = _only_term(part, kind)
        if term is None:
            result.append(part)
            continue
        chain = chains.get(key := term_key(term))
        if chain is None:
            chains[key] = chain = _Chain(term, [])
            result.append(chain)
        chain.parts.append(part)
    if len(result) == len(parts):
        return list(parts)
    return [
        predicate
        for part in result
        for predicate in (part.fold(kind) if isinstance(part, _Chain | _PatternChain) else (part,))
    ]


def _negate(part: Predicate) -> Predicate | None:
    """The part inside NOT; None for any other predicate."""
    return part.part if isinstance(part, Not) else None


@dataclass(frozen=True, slots=True)
class _PatternChain:
    """Conditions that the text of one term matches patterns: joined by OR, or their negations by AND."""

    term: Term
    parts: list[Matches | MatchesOne]

    def fold(self, kind: type[And] | type[Or]) -> Sequence[Predicate]:
        condition: Predicate = self.parts[0]
        if len(self.parts) > 1:
            patterns = [pattern for part in self.parts for pattern in _patterns(part)]
            condition = MatchesOne(self.term, tuple(dict.fromkeys(patterns)))
        return [condition if kind is Or else Not(condition)]


def _patterns(condition: Matches | MatchesOne) -> tuple[Pattern | str, ...]:
    """The patterns of which a text matches one."""
    return (condition.pattern,) if isinstance(condition, Matches) else condition.patterns


@dataclass(frozen=True, slots=True)
class _Chain:
    """Parts that are conditions on the values of one term."""

    term: Term
    parts: list[Predicate]

    def fold(self, kind: type[And] | type[Or]) -> Sequence[Predicate]:
        if len(self.parts) == 1:
            return self.parts
        # `a IN (1, NULL)` is `a IN (1) OR NULL`, `a NOT IN (1, NULL)` is `a NOT IN (1) AND NULL`
        with_null = any(_has_null(part) for part in self.parts)
        sets = [_value_set(part) for part in self.parts]
        joined = _union(sets) if kind is Or else _union([value_set.complement for value_set in sets]).complement
        predicate = _conditions(self.term, joined, kind)
        if not with_null:
            return predicate
        match predicate:
            case [OneOf(term, values)] if kind is Or:
                return [OneOf(term, values, with_null=True)]
            case [Not(OneOf(term, values))] if kind is And:
                return [Not(OneOf(term, values, with_null=True))]
            case _:
                return [*predicate, ALWAYS_NULL]


def _only_term(part: Predicate, kind: type[And] | type[Or]) -> Term | None:
    """The term of whose values a predicate is a condition; None for any other predicate.

    A list with a null is one in an OR only, its negation in an AND only: elsewhere NULL and FALSE differ.
    """
    match part:
        case OneOf(term, _, with_null):
            is_condition = not with_null or kind is Or
        case Not(OneOf(term, _, with_null)):
            is_condition = not with_null or kind is And
        case Below(term) | Within(term) | Not(Below(term) | Within(term)):
            is_condition = True
        case And((first, *others)) | Or((first, *others)):
            if len(part.parts) > _MAX_PARTS or _has_null(first):
                return None
            first_term = _only_term(first, kind)
            if first_term is None:
                return None
            key = term_key(first_term)
            for other in others:
                same = None if _has_null(other) else _only_term(other, kind)
                if same is None or term_key(same) != key:
                    return None
            return first_term
        case _:
            return None
    return term if is_condition and not isinstance(term.type, Nested) else None


_MAX_PARTS = 64
"""Parts of a condition inside a chain that are examined; what is longer was folded when it was made, and stays apart."""


def _has_null(part: Predicate) -> bool:
    match part:
        case OneOf(with_null=True) | Not(OneOf(with_null=True)):
            return True
        case _:
            return False


def _value_set(part: Predicate) -> ValueSet:
    match part:
        case Below(term, cut):
            return ValueSet((_edge(cut, term.type),), below=True)
        case Within(term, values, members):
            cuts = [cut for ends in ranges_of(values, members) for cut in ends if cut is not None]
            return ValueSet(tuple([_edge(cut, term.type) for cut in cuts]), members[0])
        case OneOf(term, values):
            edges = [_edge(Cut(value, after), term.type) for value in values for after in (False, True)]
            return ValueSet(tuple(sorted(edges, key=_place)))
        case Not(inner):
            return _value_set(inner).complement
        case Or(parts):
            return _union([_value_set(inner) for inner in parts])
        case And(parts):
            return _union([_value_set(inner).complement for inner in parts]).complement
        case _:
            raise AssertionError(part)  # `_only_term` lets nothing else pass


def _edge(cut: Cut, type: Type) -> _Edge:
    return sort_key(cut.value, type), cut.after, cut


def _place(edge: _Edge) -> tuple[Any, bool]:
    return edge[0], edge[1]


def _union(sets: Sequence[ValueSet]) -> ValueSet:
    """All values of the sets, by one sweep over their edges."""
    steps = [
        (_place(edge), edge, 1 if (index % 2 == 0) is not values.below else -1)
        for values in sets
        for index, edge in enumerate(values.edges)
    ]
    steps.sort(key=lambda step: step[0])
    depth = sum(values.below for values in sets)
    below, inside = depth > 0, depth > 0
    edges: list[_Edge] = []
    for index, (place, edge, step) in enumerate(steps):
        depth += step
        if index + 1 < len(steps) and steps[index + 1][0] == place:
            continue
        if (depth > 0) is not inside:
            inside = not inside
            edges.append(edge)
    return ValueSet(tuple(edges), below)


def _conditions(term: Term, values: ValueSet, kind: type[And] | type[Or]) -> list[Predicate]:
    """A set as conditions that `kind` joins: a list of single values and ranges, or what excludes those of its complement."""
    points, ranges = _points_and_ranges(values)
    others, gaps = _points_and_ranges(values.complement)
    if len(ranges) + bool(points) <= len(gaps) + bool(others):
        parts = [
            *([OneOf(term, tuple(points))] if points or not ranges else []),
            *([_within(term, ranges)] if len(ranges) > MAX_RANGES else [_range(term, *cuts) for cuts in ranges]),
        ]
        return _parts(parts, Or, kind)
    parts = [Not(OneOf(term, tuple(others)))] if others or not gaps else []
    outside = [Not(_within(term, gaps))] if len(gaps) > MAX_RANGES else [_outside(term, *cuts) for cuts in gaps]
    return _parts([*parts, *outside], And, kind)


MAX_RANGES = 4
"""Up to so many ranges are conditions of their own, more are one `Within`."""


def _within(term: Term, ranges: Sequence[tuple[Cut | None, Cut | None]]) -> Predicate:
    inside = ranges[0][0] is None
    values: list[object] = []
    members = [inside]
    cuts = [cut for ends in ranges for cut in ends if cut is not None]
    for _, same in groupby(cuts, key=lambda cut: sort_key(cut.value, term.type)):
        of_value = list(same)
        values.append(of_value[0].value)
        for after in (False, True):
            inside ^= any(cut.after is after for cut in of_value)
            members.append(inside)
    return Within(term, tuple(values), tuple(members))


def _parts(parts: list[Predicate], joined_by: type[And] | type[Or], kind: type[And] | type[Or]) -> list[Predicate]:
    if joined_by is not kind and len(parts) > 1:
        return [joined_by(tuple(parts))]
    return [inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,))]


def _points_and_ranges(values: ValueSet) -> tuple[list[Any], list[tuple[Cut | None, Cut | None]]]:
    """The single values of a set, and its ranges: from a cut to a cut, None for no end."""
    ends: list[_Edge | None] = [None, *values.edges] if values.below else [*values.edges]
    if len(ends) % 2:
        ends.append(None)
    points: list[Any] = []
    ranges: list[tuple[Cut | None, Cut | None]] = []
    for lower, upper in zip(ends[::2], ends[1::2], strict=True):
        if lower is not None and upper is not None and lower[0] == upper[0]:
            points.append(lower[2].value)
        else:
            ranges.append((lower and lower[2], upper and upper[2]))
    return points, ranges


def _range(term: Term, lower: Cut | None, upper: Cut | None) -> Predicate:
    """From one cut to the other."""
    parts: list[Predicate] = [] if lower is None else [Not(Below(term, lower))]
    parts += [] if upper is None else [Below(term, upper)]
    return And(tuple(parts)) if len(parts) > 1 else parts[0] if parts else Not(OneOf(term, ()))


def _outside(term: Term, lower: Cut | None, upper: Cut | None) -> Predicate:
    """Not from one cut to the other."""
    parts: list[Predicate] = [] if lower is None else [Below(term, lower)]
    parts += [] if upper is None else [Not(Below(term, upper))]
    return Or(tuple(parts)) if len(parts) > 1 else parts[0] if parts else OneOf(term, ())
