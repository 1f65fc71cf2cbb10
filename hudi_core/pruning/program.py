"""A predicate's outcome as a program over statistics, and running it over files.

The answers to the questions of `expr.outcomes` are not masks but what to compute. All conditions on one column, however
it is put together, becomes one set of its values: `x > 1 AND x < 9`, `x NOT IN (3, 4)` and `x IS NULL OR x = 1` are one look
at the column each. What is left is AND and OR between columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np

from hudi_core.arrays import Bools, Numbers
from hudi_core.expr.cuts import ranges_of
from hudi_core.expr.predicate import Cut, Opaque, Term
from hudi_core.functions.scalar.like import Pattern
from hudi_core.pruning.intervals import Intervals
from hudi_core.pruning.key_ranges import Ranges, intersection, union, unite
from hudi_core.pruning.loaded import Files, Loaded
from hudi_core.pruning.order_keys import FloatKeys, IntegerKeys, KeyArray, OrderKeys
from hudi_core.pruning.ordered import OrderedFiles, ValueSet, everywhere, holds
from hudi_core.types.nodes import Nested, Type

SMALL_REMAINDER = 16
"""When one in so many consecutive files is left, the rest of an AND examines those alone."""

SMALL_PICKED_REMAINDER = 2
"""The same for files that are picked by number anyway."""

NARROWING_THRESHOLD = 4_096
"""Among so many files or fewer, looking at all costs less than picking some out."""


@dataclass(frozen=True, eq=False)
class ColumnAnswers:
    """The statistics of one column: by file number, as loaded or as intervals, and put in order when that is worth it."""

    type: Type
    keys: OrderKeys
    listed: Intervals | Loaded
    """Intervals are filled up to whole blocks with files that hold nothing."""
    ordered: OrderedFiles | None = None


@dataclass(frozen=True, slots=True)
class SameForAll:
    """The same answer for all files."""

    answer: bool


@dataclass(slots=True, eq=False)
class MayHold:
    """The file may hold a value of the column whose key is in the ranges, or null when that is wanted."""

    answers: ColumnAnswers
    ranges: Ranges
    null: bool
    _wanted: ValueSet | None = field(default=None, init=False, repr=False)

    @property
    def wanted(self) -> ValueSet:
        """The same in the form in which files are searched; made once, when it is first needed."""
        values = self._wanted
        if values is None:
            values = self._wanted = ValueSet.from_ranges(self.answers.keys, self.ranges, self.null)
        return values


@dataclass(frozen=True, slots=True)
class MayBeLess:
    """Some value of the left column may be less than some value of the right one; keys of both compare."""

    left: ColumnAnswers
    right: ColumnAnswers
    or_equal: bool


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple[Program, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple[Program, ...]


Program = SameForAll | MayHold | MayBeLess | AllOf | AnyOf

YES, NO = SameForAll(True), SameForAll(False)


@dataclass(frozen=True, slots=True)
class Compiler:
    """`expr.outcomes.Questions` answered by programs. `known` gives a term's statistics, None when nothing can be known."""

    columns: Callable[[Term], ColumnAnswers | None]

    def lower_is_below(self, term: Term, cut: Cut) -> Program:
        return self._among(term, lambda keys: keys.below(cut))

    def upper_is_above(self, term: Term, cut: Cut) -> Program:
        return self._among(term, lambda keys: keys.not_below(cut))

    def may_hold_one_of(self, term: Term, values: tuple[object, ...]) -> Program:
        return self._among(term, lambda keys: keys.one_of(values)) if values else NO

    def may_hold_none_of(self, term: Term, values: tuple[object, ...]) -> Program:
        return self._among(term, lambda keys: keys.none_of(values)) if values else self.may_hold_value(term)

    def _among(self, term: Term, ranges: Callable[[OrderKeys], Ranges]) -> Program:
        """The file may hold a value in these ranges. Of arrays, maps and structs nothing but nulls is counted."""
        if isinstance(term.type, Nested):
            return self.may_hold_value(term)
        known = self.columns(term)
        return YES if known is None else _holds(known, ranges(known.keys))

    def may_lie_within(self, term: Term, values: tuple[object, ...], members: tuple[bool, ...]) -> Program:
        known = self.columns(term)
        return YES if known is None else _holds(known, unite(_keys_of(known.keys, values, members)))

    def may_hold_null(self, term: Term) -> Program:
        known = self.columns(term)
        return YES if known is None else _holds(known, (), null=True)

    def may_hold_value(self, term: Term) -> Program:
        known = self.columns(term)
        return YES if known is None else _holds(known, known.keys.everything)

    def may_be_less(self, left: Term, right: Term, or_equal: bool) -> Program:
        one, other = self.columns(left), self.columns(right)
        both = self.every([self.may_hold_value(left), self.may_hold_value(right)])
        if one is None or other is None or not _comparable(one, other):
            return both
        return self.every([both, MayBeLess(one, other, or_equal)])

    def may_match(self, term: Term, pattern: Pattern | str, negated: bool) -> Program:
        return self.may_hold_value(term)

    def may_match_one(self, term: Term, patterns: tuple[Pattern | str, ...], negated: bool) -> Program:
        return self.may_hold_value(term)

    def unknown(self, what: Opaque) -> Program:
        return YES

    def every(self, answers: list[Program]) -> Program:
        """All answers are about one and the same row, so their conditions on one column are about one value."""
        parts = _merge(answers, AllOf, _both, YES, NO)
        return YES if not parts else parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def some(self, answers: list[Program]) -> Program:
        parts = _merge(answers, AnyOf, _either, NO, YES)
        return NO if not parts else parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _keys_of(keys: OrderKeys, values: tuple[object, ...], members: tuple[bool, ...]) -> Iterator[tuple[int, int]]:
    """The keys of the values in a set, as `Within` has it."""
    for first, last in ranges_of(values, members):
        after = keys.everything if first is None else keys.not_below(first)
        yield from after if last is None else intersection(after, keys.below(last))


def _holds(known: ColumnAnswers, ranges: Ranges, null: bool = False) -> Program:
    return MayHold(known, ranges, null) if ranges or null else NO


def _merge(
    answers: list[Program],
    kind: type[AllOf] | type[AnyOf],
    join: Callable[[MayHold, MayHold], Program],
    neutral: Program,
    deciding: Program,
) -> list[Program]:
    """The parts of all answers, one at most about the values of each column; the deciding one alone when it is there."""
    merged: list[Any] = []
    places: dict[ColumnAnswers, int] = {}
    shared: dict[int, list[MayHold]] = {}
    for answer in answers:
        for part in answer.parts if isinstance(answer, kind) else (answer,):
            if part is neutral:
                continue
            if part is deciding:
                return [deciding]
            place = places.setdefault(part.answers, len(merged)) if isinstance(part, MayHold) else len(merged)
            if place < len(merged):
                shared.setdefault(place, [merged[place]]).append(part)  # type: ignore[arg-type]
            else:
                merged.append(part)
    for place, parts in shared.items():
        merged[place] = joined = _join(parts, join, deciding)
        if joined is deciding:
            return [deciding]
    return merged


def _join(parts: list[MayHold], join: Callable[[MayHold, MayHold], Program], deciding: Program) -> Program:
    """All of them joined, neighbours first, so that the work for many small sets stays in proportion to them."""
    while len(parts) > 1:
        pairs = [join(one, other) for one, other in zip(parts[::2], parts[1::2], strict=False)]
        if deciding in pairs:
            return deciding
        parts = [*(pair for pair in pairs if isinstance(pair, MayHold)), *(parts[-1:] if len(parts) % 2 else [])]
    return parts[0]


def _both(one: MayHold, other: MayHold) -> Program:
    return _holds(one.answers, intersection(one.ranges, other.ranges), one.null and other.null)


def _either(one: MayHold, other: MayHold) -> Program:
    return _holds(one.answers, union(one.ranges, other.ranges), one.null or other.null)


def _comparable(one: ColumnAnswers, other: ColumnAnswers) -> bool:
    """Whether keys of one column compare with keys of the other. Places of texts do not: equal ones may stand for two texts."""
    return not isinstance(one.type, Nested) and one.type == other.type and isinstance(one.keys, IntegerKeys | FloatKeys)


def mask(program: Program, files: Files) -> Bools:
    """For each of the files whether the program is true."""
    match program:
        case SameForAll(answer):
            return np.full(_size(files), answer)
        case MayHold(known):
            wanted = program.wanted
            # Searching many ranges among ordered files is cheap; it pays even when half of the answer is thrown away.
            if wanted.ends is not None and known.ordered is not None and 2 * _size(files) > known.ordered.size:
                return everywhere(wanted, known.ordered)[files]
            if isinstance(known.listed, Loaded):
                return known.listed.holds(wanted, files)
            return holds(wanted, known.listed, files)
        case MayBeLess(left, right, or_equal):
            lesser, greater = _intervals(left, files), _intervals(right, files)
            lower, upper = _comparable_keys(left, lesser.lower), _comparable_keys(right, greater.upper)
            less: Bools = lower <= upper if or_equal else lower < upper
            return less if greater.nans is None else less | greater.nans  # NaN is greatest, and equal to itself
        case AllOf(parts):
            return _every(parts, files)
        case AnyOf(parts):
            flags = mask(parts[0], files)
            for part in parts[1:]:
                flags = flags | mask(part, files)
            return flags
        case _:
            assert_never(program)


def _every(parts: tuple[Program, ...], files: Files) -> Bools:
    few_left = SMALL_REMAINDER if isinstance(files, slice) else SMALL_PICKED_REMAINDER
    flags = mask(parts[0], files)
    for done, part in enumerate(parts[1:], start=1):
        if len(flags) > NARROWING_THRESHOLD:
            left = np.count_nonzero(flags)
            if not left:
                return flags
            if left * few_left < len(flags):
                places = flags.nonzero()[0]
                kept = _every(parts[done:], pick(files, places))
                flags = np.zeros(len(flags), np.bool_)
                flags[places[kept]] = True
                return flags
        flags = flags & mask(part, files)
    return flags


def pick(files: Files, places: Numbers) -> Numbers:
    """Some of the files, by their places among them."""
    return places + int(files.start) if isinstance(files, slice) else files[places]


def _intervals(known: ColumnAnswers, files: Files) -> Intervals:
    listed = known.listed
    return listed.intervals(files) if isinstance(listed, Loaded) else listed.map(lambda array: array[files])


def _size(files: Files) -> int:
    return files.stop - files.start if isinstance(files, slice) else len(files)


def _comparable_keys(known: ColumnAnswers, keys: KeyArray) -> KeyArray:
    """Keys that compare with those of another column of the type; bounds that are not known stay beyond all others."""
    if not isinstance(known.keys, IntegerKeys) or keys.dtype == np.int64:
        return keys
    wide = keys.astype(np.int64) + known.keys.base
    if known.keys.open:
        limits = np.iinfo(np.int64)
        wide[keys == known.keys.bottom] = limits.min
        wide[keys == known.keys.top] = limits.max
    return wide
