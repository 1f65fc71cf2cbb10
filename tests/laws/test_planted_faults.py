"""Known wrong rules, planted one at a time: each has to be caught by the laws, else these would prove nothing."""

from __future__ import annotations

import inspect
import random
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from unittest import mock

import pytest

from hudi_core import truth
from hudi_core.columns import int128 as wide
from hudi_core.expr import outcomes
from hudi_core.pruning import intervals, ordered, program, promoted, ranks, search, store
from hudi_core.pruning import key_ranges as keysets
from hudi_core.pruning import order_keys as keys
from hudi_core.pruning import statistics as columns
from hudi_core.truth import FALSE, NULL, TRUE
from hudi_core.types import nodes as t
from hudi_core.values import order
from tests.support.drawing import SOAK
from tests.support.pruning import CUTS, check_alike_world, check_far_world, check_world, world
from tests.support.random_predicates import VALUES

FAULTS: dict[str, tuple[Callable[..., object], str, str]] = {
    "AND is false only when all parts may be": (
        outcomes._and_can_be,
        "return questions.some([can_be(FALSE, part, questions) for part in parts])",
        "return questions.every([can_be(FALSE, part, questions) for part in parts])",
    ),
    "AND is null only when all parts may be": (
        outcomes._and_can_be,
        "for truth in (NULL, TRUE)",
        "for truth in (NULL,)",
    ),
    "a null in IN does not count": (outcomes.can_be, "absent = NULL if with_null else FALSE", "absent = FALSE"),
    "NOT keeps what is false": (
        outcomes.can_be,
        "can_be(~outcome, part, questions)",
        "can_be(outcome, part, questions)",
    ),
    "IS TRUE takes null for true": (
        outcomes.can_be,
        "for other in Truth if other is not truth",
        "for other in (FALSE,)",
    ),
    "not <= is <": (
        outcomes.can_be,
        "questions.may_be_less(right, left, not or_equal)",
        "questions.may_be_less(right, left, or_equal)",
    ),
    "what is unknown is never false": (
        program.Compiler.may_match,
        "return self.may_hold_value(term)",
        "return NO if negated else self.may_hold_value(term)",
    ),
    "two null flags are joined by AND": (program._either, "one.null or other.null", "one.null and other.null"),
    "survivors of an AND are lost": (program._every, "flags[places[kept]] = True", "flags[places[kept][1:]] = True"),
    "NaN is not greatest": (
        program.mask,
        "return less if greater.nans is None else less | greater.nans",
        "return less",
    ),
    "less by one": (keys.IntegerKeys.below, "self._begin(cut) - 1", "self._begin(cut) - 2"),
    "between two integers counts as after": (
        keys.IntegerKeys._begin,
        "(cut.after and least == units)",
        "cut.after",
    ),
    "a literal out of range matches nothing": (keys.IntegerKeys.not_below, "if self.open else ()", "if False else ()"),
    "a literal out of range equals nothing": (
        keys.IntegerKeys.one_of,
        "clipped if self.open else",
        "clipped if False else",
    ),
    "a text that no bound is has no place": (keys.RankKeys._key, "self._text(near[rank]) == text", "True"),
    "-0.0 is less than 0.0": (keys.float_keys, "(values + 0.0)", "values"),
    "the next value is left out of NOT IN": (keysets.complement, "max(begin, last + 1)", "max(begin, last + 2)"),
    "one value is no range": (keysets.intersection, "if first <= last", "if first < last"),
    "NaN is ignored": (intervals._fold_floats, "replace(intervals, nans=nans if nans.any() else None)", "intervals"),
    "NaN counts only where told": (intervals._fold_floats, "| (upper_nan & statistics.upper_known)", ""),
    "an unknown bound is what stands there": (intervals._interval, "upper_known & sane", "sane"),
    "unknown counts mean all null": (intervals._interval, "(nulls == rows) & (rows >= 0)", "nulls == rows"),
    "unknown null counts mean none": (intervals._interval, "nulls != 0", "nulls > 0"),
    "the hull of a block is its core": (intervals.hull, "intervals.lower.min(1)", "intervals.lower.max(1)"),
    "a file nobody speaks of holds nothing": (intervals.place, "values[unspoken] = not_known", "pass"),
    "the last of several statistics counts": (
        intervals.place,
        "unique = np.count_nonzero(spoken) - (size - count) == len(numbers)",
        "unique = True",
    ),
    "a file older than the column has no default": (columns.absent, "if default is None:", "if True:"),
    "texts that end differ not": (ranks.order_texts, "| _changes(size)", ""),
    "a text among literals counts as the next": (ranks._place_by_words, "+ ended", "+ ended + 2"),
    "float to double keeps the bits": (
        promoted._by_shortest_text,
        "bounds.astype(np.float32).astype(np.str_)",
        "bounds",
    ),
    "any promotion keeps order": (promoted.promote, "if way is None:", "if False and way is None:"),
    "a long decimal loses its sign": (
        wide._to_byte_strings,
        "limbs[0] | limbs[1] << _BITS, negative",
        "limbs[0] | limbs[1] << _BITS, ~negative",
    ),
    "ranges that end at a bound miss it": (ordered._meets_ascending, 'side="right"', 'side="left"'),
    "a run of blocks ends early": (ordered._run, "slice(first, last + 1)", "slice(first, last)"),
    "files with NaN are not listed": (search._way_of_column, "if wanted.nan and", "if False and"),
    "all match though some are null": (
        store.PruningPlan.all_match,
        "for other in (FALSE, NULL):",
        "for other in (FALSE,):",
    ),
    "statistics go by name": (store.FileStatistics._state, "column.id", "column.name"),
}


CUT_FAULTS: dict[str, tuple[Callable[..., object], str, str]] = {
    "a text is all that begin as it does": (keys.RankKeys.places, "self._key(text[: self.cut]) % 2 == 0", "True"),
    "a cut upper bound of the literal's length is the literal": (
        keys.RankKeys.places,
        "len(text) < self.cut",
        "len(text) <= self.cut",
    ),
    "a cut bound is below what goes on after it": (keys.RankKeys.places, "text[: self.cut]", "text"),
    "what goes on after a cut lower bound is above it": (
        keys.RankKeys.below,
        "key if after or key % 2 == 0 else key - 1",
        "key - 1",
    ),
    "all texts begin as the first one does": (intervals._shorten, "common_prefix(texts)", "len(texts[0])"),
    "a text before what all begin with is after it": (keys.RankKeys._place, "text < self._prefix", "False"),
    "after the last character comes none": (
        order.after_prefix,
        r'prefix.rstrip("\U0010ffff")',
        r'prefix.replace("\U0010ffff", "\U0010fffe")',
    ),
    "a prefix ends with its last byte": (order.after_prefix, "ord(head[-1]) + 1", "ord(head[-1])"),
}
"""Faults where long texts are cut, and at the ends of prefixes."""

_FLOATS: list[t.Type] = [t.Double(), t.Float()]
CONCERNS: dict[str, list[t.Type]] = {
    "NaN is not greatest": _FLOATS,
    "-0.0 is less than 0.0": _FLOATS,
    "NaN is ignored": _FLOATS,
    "NaN counts only where told": _FLOATS,
    "files with NaN are not listed": _FLOATS,
    "float to double keeps the bits": [t.Double()],
    "any promotion keeps order": [t.String(), t.Long()],
    "what is unknown is never false": [t.String()],
    "texts that end differ not": [t.Binary()],
    "a long decimal loses its sign": [t.Decimal(30, 10)],
    "between two integers counts as after": [t.Int(), t.Long()],
    "ranges that end at a bound miss it": [t.Int(), t.Long()],
    "a text among literals counts as the next": [t.Binary(), t.String()],
}
"""Which types a fault is about, where that is few: to be found sooner."""


@contextmanager
def planted(function: Callable[..., object], right: str, wrong: str) -> Iterator[None]:
    """The function with another text in its source, for everyone who holds it."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    source = "\n".join(line for line in lines if not line.startswith("@"))
    assert right in source, f"{right!r} is not in {function.__qualname__}"
    assert isinstance(function, FunctionType)
    names = dict(function.__globals__)
    exec(compile(source.replace(right, wrong), function.__code__.co_filename, "exec"), names)
    code = function.__code__
    function.__code__ = names[function.__name__].__code__
    try:
        yield
    finally:
        function.__code__ = code


def first_failure(kinds: Sequence[t.Type], worlds: int = 400) -> str | None:
    """What the laws say first, or None when they find nothing."""
    for seed in range(worlds):
        r = random.Random(seed)
        some = r.sample(kinds, min(2, len(kinds)))
        try:
            check_far_world(r, predicates=4)
            check_world(r, world(r, [*some, some[0]], 25), predicates=20)
        except Exception as error:  # noqa: BLE001  a fault may also break the program
            return f"{type(error).__name__}: {error}"
    return None


def test_nothing_is_wrong_when_nothing_is_planted() -> None:
    assert first_failure(list(VALUES), worlds=15) is None


@pytest.mark.parametrize("fault", list(FAULTS)[:: 1 if SOAK else 5])
def test_a_planted_fault_is_caught(fault: str) -> None:
    with planted(*FAULTS[fault]):
        assert first_failure(CONCERNS.get(fault, list(VALUES)))


def first_failure_of_truncated_strings(worlds: int = 200) -> str | None:
    """The same for texts that begin alike, and are cut where they differ."""
    for seed in range(worlds):
        r = random.Random(seed)
        with (
            mock.patch.object(intervals, "MAX_UNCUT_BYTES", -1),
            mock.patch.object(intervals, "MAX_STRING_BYTES", r.choice(CUTS)),
        ):
            try:
                check_alike_world(r, predicates=20)
            except Exception as error:  # noqa: BLE001
                return f"{type(error).__name__}: {error}"
    return None


def test_truncated_strings_pass_when_no_fault_is_planted() -> None:
    assert first_failure_of_truncated_strings(worlds=40 if SOAK else 10) is None


@pytest.mark.parametrize("fault", list(CUT_FAULTS)[:: 1 if SOAK else 5])
def test_a_planted_fault_is_caught_where_strings_are_truncated(fault: str) -> None:
    with planted(*CUT_FAULTS[fault]):
        assert first_failure_of_truncated_strings()


def test_negation_of_null_is_caught() -> None:
    with mock.patch.dict(truth._NEGATED, {TRUE: FALSE, FALSE: TRUE, NULL: TRUE}):
        assert first_failure(list(VALUES))


def test_the_laws_name_the_file_and_the_predicate() -> None:
    with planted(*FAULTS["less by one"]):
        assert re.match(r"UnsoundError: unsound: file \d+ can be .*; rows .*Below", first_failure([t.Int()]) or "")
