"""Random files with statistics, and the brute force that pruning of them is held against: what a predicate means row by row.

Predicates are those of `random_predicates`; what one is for a row tells `row_truth`.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from hudi_core.errors import SchemaError
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import And, Column, Is, Less, Matches, Not, Or, Predicate
from hudi_core.expr.preimage import starts_with
from hudi_core.functions.scalar.like import AnyRun
from hudi_core.pruning import intervals, ordered, program, search, store
from hudi_core.pruning import statistics as columns
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.truth import TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.types.promote import Purpose, promotion
from hudi_core.values.cast import cast
from tests.support.random_predicates import ALIKE, VALUES, alike_predicate, far_predicate, predicate
from tests.support.row_truth import sort_key, truth_of
from tests.support.single_file import SingleFile, ValueInterval

EFFORT = int(os.environ.get("PRUNING_EFFORT", "1"))
"""How many times as many cases as usual."""

STORED: dict[t.Type, list[t.Type]] = {
    t.Long(): [t.Int()],
    t.Double(): [t.Int(), t.Long(), t.Float()],
    t.Float(): [t.Int(), t.Long()],
    t.String(): [t.Enumeration(("RED", "GREEN", "BLUE")), t.Int(), t.Boolean()],
    t.Binary(): [t.String(), t.Fixed(2)],
    t.Decimal(30, 10): [t.Decimal(9, 2), t.Int(), t.Long()],
    t.Timestamp(t.Unit.MICROS, False): [t.Date(), t.Long(), t.Timestamp(t.Unit.NANOS, False)],
}
"""Types that older files may store a column with."""


@dataclass(frozen=True)
class World:
    """Files with their rows, by brute force; and the statistics of them in plain and in fast form."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[dict[int, Any], ...], ...]
    plain: tuple[SingleFile, ...]
    pieces: dict[int, list[StatisticsPart]]

    def store(self) -> FileStatistics:
        return FileStatistics(len(self.rows), lambda column: self.pieces.get(column.id, []))


@dataclass(frozen=True)
class _Version:
    """How a schema version stores a column; `type` None: it does not have it, and rows read as the default."""

    type: t.Type | None
    default: Any = None


def world(r: random.Random, types: Sequence[t.Type], files: int) -> World:
    """Random files of a few rows, written under one of a few schema versions, with statistics lost and widened at random."""
    # Names repeat, as those of a column that was dropped and added again do: ids alone tell columns apart.
    of = tuple(Column(10 + number, f"c{number % 2}", kind) for number, kind in enumerate(types))
    rows: list[list[dict[int, Any]]] = [[{} for _ in range(r.randint(0, 3))] for _ in range(files)]
    plain: list[dict[int, ValueInterval]] = [{} for _ in range(files)]
    pieces: dict[int, list[StatisticsPart]] = {}
    for column in of:
        versions = [_Version(column.type)] * 2 + [_Version(stored) for stored in STORED.get(column.type, ())]
        versions += [_Version(None), _Version(None, r.choice(VALUES[column.type]))]
        versions = r.sample(versions, min(len(versions), 3))
        groups: dict[int, list[tuple[int, list[Any]]]] = {}
        for number in range(files):
            version = r.randrange(len(versions))
            values = _write(r, versions[version], column.type, rows[number], column.id)
            if r.random() < 0.97 or versions[version].type is None:  # else nobody speaks for the file
                groups.setdefault(version, []).append((number, values))
        found = [_summarised(r, versions[version], column, group, plain) for version, group in sorted(groups.items())]
        pieces[column.id] = found
    return World(of, tuple(map(tuple, rows)), tuple(SingleFile(known) for known in plain), pieces)


def _write(r: random.Random, version: _Version, wanted: t.Type, rows: list[dict[int, Any]], id: int) -> list[Any]:
    """Fills a column of the rows of one file with what a reader sees; returns the values as stored."""
    if version.type is None:
        for row in rows:
            row[id] = version.default
        return []
    domain = VALUES[version.type]
    domain = domain[: r.randint(1, len(domain))] if r.random() < 0.5 else r.sample(domain, r.randint(1, len(domain)))
    read = cast(version.type, wanted)
    stored = []
    for row in rows:
        value = None if r.random() < 0.25 else r.choice(domain)
        try:
            row[id] = read(value)
        except SchemaError:
            value = row[id] = None
        stored.append(value)
    return stored


def _summarised(
    r: random.Random,
    version: _Version,
    column: Column,
    group: list[tuple[int, list[Any]]],
    plain: list[dict[int, ValueInterval]],
) -> StatisticsPart:
    if version.type is None:
        for number, _ in group:
            value = version.default
            nan = value is not None and value != value
            known = None if nan else value
            plain[number][column.id] = ValueInterval(
                known, known, nulls=value is None, values=value is not None, nans=nan
            )
        numbers = np.array([number for number, _ in group])
        return StatisticsPart(numbers, columns.absent(column.type, len(group), version.default))
    written: list[tuple[int, Any, Any, int | None, int | None, bool]] = []
    for number, values in group:
        # A base file and a log, say: each tells of some of the rows.
        cut = r.randint(0, len(values)) if r.random() < 0.15 else len(values)
        parts = [values[:cut], values[cut:]] if cut < len(values) else [values]
        reported = [_statistics(r, version.type, part) for part in parts]
        written += [(number, *one) for one in reported]
        known = [_plain(version.type, column.type, *one) for one in reported]
        plain[number][column.id] = known[0] if len(known) == 1 else _hull(known[0], known[1], column.type)
    if r.random() < 0.3:
        r.shuffle(written)
    numbers = [number for number, *_ in written]
    lowers, uppers, nulls, rows, nans = ([one[place] for one in written] for place in range(1, 6))
    statistics = columns.from_values(version.type, lowers, uppers, nulls, rows, None if all(nans) else nans)
    return StatisticsPart(np.array(numbers, np.int64), statistics)


def _hull(one: ValueInterval, other: ValueInterval, type: t.Type) -> ValueInterval:
    if not (one.values and other.values):
        known = one if one.values else other
        return ValueInterval(known.lower, known.upper, one.nulls or other.nulls, known.values, known.nans)
    key = lambda value: sort_key(value, type)  # noqa: E731
    lower = None if one.lower is None or other.lower is None else min(one.lower, other.lower, key=key)
    upper = None if one.upper is None or other.upper is None else max(one.upper, other.upper, key=key)
    return ValueInterval(lower, upper, one.nulls or other.nulls, True, one.nans or other.nans)


def _statistics(r: random.Random, type: t.Type, values: list[Any]) -> tuple[Any, Any, int | None, int | None, bool]:
    """Low, upper, nulls, rows and whether NaN may be there: true, but often wider than need be or not known."""
    got = [value for value in values if value is not None]
    nan = any(value != value for value in got)
    real = sorted((value for value in got if value == value), key=lambda value: sort_key(value, type))
    lower, upper = (real[0], real[-1]) if real else (None, None)
    if real and r.random() < 0.3:  # truncated, merged or stale
        others = [value for value in VALUES[type] if value == value]
        lower = min([lower, r.choice(others)], key=lambda value: sort_key(value, type))
        upper = max([upper, r.choice(others)], key=lambda value: sort_key(value, type))
    if real and isinstance(type, t.Binary) and r.random() < 0.5:
        lower, upper = lower[:1], widened_high(upper[:1])
    if not real and r.random() < 0.5 and not isinstance(type, t.String):
        lower = upper = VALUES[type][0]  # bounds of no value: to be ignored when all rows are null
        if len(values) - len(got) != len(values):
            lower = upper = None
    lower, upper = (None if r.random() < 0.08 else lower), (None if r.random() < 0.08 else upper)
    nan_is_bound = nan and r.random() < 0.3  # NaN taken for the greatest value
    upper = math.nan if nan_is_bound else upper
    counted = r.random() < 0.85
    nulls = len(values) - len(got) if counted else None
    rows = len(values) if r.random() < 0.9 else None
    if not real and (nulls is None or rows is None or nulls != rows):
        lower, upper = None, math.nan if nan_is_bound else None
    return lower, upper, nulls, rows, (nan and not nan_is_bound) or r.random() < 0.15


def widened_high(cut: bytes) -> bytes | None:
    """An upper bound of all byte texts that start with `cut`, for a bound that was cut; None: there is none (PRUNE-9)."""
    kept = cut.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _plain(
    stored: t.Type, wanted: t.Type, lower: Any, upper: Any, nulls: int | None, rows: int | None, nan: bool
) -> ValueInterval:
    values = nulls is None or rows is None or nulls != rows
    number = isinstance(stored, t.Float | t.Double)
    if upper is not None and upper != upper:
        upper, nan = None, True
    known = [_read(bound, stored, wanted) for bound in (lower, upper)]
    return ValueInterval(*known, nulls=nulls != 0, values=values, nans=nan and number)


def _read(bound: Any, stored: t.Type, wanted: t.Type) -> Any:
    if bound is None or promotion(stored, wanted, Purpose.STATISTICS) is None:
        return None
    if isinstance(stored, t.Boolean) and isinstance(wanted, t.String):
        return None
    try:
        return cast(stored, wanted)(bound)
    except SchemaError:
        return None


def far_world(r: random.Random) -> World:
    """Files of small numbers, among them a few with far greater ones of which the statistics say nothing."""
    of = Column(10, "far", r.choice([t.Long(), t.Time(), t.Timestamp()]))
    far = [-(2**50), -(2**33), 2**33, 2**50]
    rows, plain, lowers = [], [], []
    for _ in range(12):
        hidden = r.random() < 0.3
        value = r.choice(far) if hidden else r.randint(-5, 5)
        rows.append(({10: value},))
        lower = None if hidden and (value < 0 or r.random() < 0.5) else min(value, 0)
        upper = None if hidden and (value > 0 or r.random() < 0.5) else max(value, 0)
        lowers.append((lower, upper))
        plain.append(SingleFile({10: ValueInterval(lower, upper, nulls=False)}))
    bounds = list(zip(*lowers, strict=True))
    statistics = columns.from_values(of.type, *bounds, [0] * 12, [1] * 12)
    return World((of,), tuple(rows), tuple(plain), {10: [StatisticsPart(np.arange(12), statistics)]})


CUTS = [1, 2, 3, 4]
"""After how many bytes behind their common beginning they are cut."""


def alike_world(r: random.Random) -> World:
    """Files of such texts; in most worlds all begin with `x/`, so that this is kept once."""
    of = Column(10, "alike", t.String())
    domain = r.sample(ALIKE if r.random() < 0.3 else [text for text in ALIKE if text.startswith("x/")], 8)
    rows, plain, bounds = [], [], []
    for _ in range(30):
        values = sorted(r.choices(domain, k=r.randint(1, 2)), key=str.encode)
        rows.append(tuple({of.id: value} for value in values))
        bounds.append((values[0], values[-1]))
        plain.append(SingleFile({of.id: ValueInterval(values[0], values[-1], nulls=False)}))
    lower, upper = zip(*bounds, strict=True)
    statistics = columns.from_values(of.type, lower, upper, [0] * 30, [2] * 30)
    return World((of,), tuple(rows), tuple(plain), {of.id: [StatisticsPart(np.arange(30), statistics)]})


def _compares_texts(p: Predicate) -> bool:
    """Whether text columns are compared with each other, which the fast form does not do."""
    match p:
        case Less(left):
            return columns.carrier(left.type) is columns.Carrier.TEXTS
        case Not(part) | Is(part):
            return _compares_texts(part)
        case And(parts) | Or(parts):
            return any(map(_compares_texts, parts))
        case _:
            return False


@contextmanager
def small_blocks(r: random.Random) -> Iterator[None]:
    """Blocks of a few files and lower thresholds, so that few files take all the ways that many take."""
    block = r.choice([2, 4, 8])
    with ExitStack() as stack:
        for module in (intervals, ordered, search):
            stack.enter_context(mock.patch.object(module, "BLOCK", block))
        for module in (search, store):
            stack.enter_context(mock.patch.object(module, "SMALL", r.choice([0, 0, 10**9])))
        stack.enter_context(mock.patch.object(program, "SMALL_REMAINDER", r.choice([1, 2, 16])))
        stack.enter_context(mock.patch.object(program, "NARROWING_THRESHOLD", r.choice([0, 0, 10**9])))
        cost = r.choice([0, 1, 16])
        for name in ("_SCATTERED", "_SEARCHED"):
            stack.enter_context(mock.patch.object(search, name, cost))
        stack.enter_context(mock.patch.object(ordered, "MAX_COMPARED_RANGES", r.choice([1, 3])))
        yield


class UnsoundError(AssertionError):
    """A row's truth is not among the outcomes of its file, or two ways to one answer differ."""


def check_world(r: random.Random, of: World, predicates: int) -> int:
    """Holds random predicates against brute force; returns how many cases, raises `UnsoundError`."""
    with small_blocks(r):
        store_ = of.store()
        return sum(check(predicate(r, of.columns), of, store_) for _ in range(predicates))


def check_far_world(r: random.Random, predicates: int) -> int:
    """The same for numbers beyond all known bounds."""
    of = far_world(r)
    with small_blocks(r):
        store_ = of.store()
        return sum(check(far_predicate(r, of.columns[0]), of, store_) for _ in range(predicates))


def check_alike_world(r: random.Random, predicates: int) -> int:
    """The same for texts that begin alike; and for prefixes, whose meaning is that of a pattern."""
    of = alike_world(r)
    column = of.columns[0]
    with small_blocks(r):
        store_ = of.store()
        cases = sum(check(alike_predicate(r, column), of, store_) for _ in range(predicates))
        for prefix in r.sample(ALIKE, 5):
            cases += check(starts_with(column, prefix), of, store_, Matches(column, (prefix, AnyRun())))
        return cases


def check(p: Predicate, of: World, store_: FileStatistics, meaning: Predicate | None = None) -> int:
    """Holds one predicate against brute force and against the plain form. `meaning` says the same in another way."""
    truths = [{truth_of(meaning or p, row) for row in rows} for rows in of.rows]
    exact = not _compares_texts(p)
    plan = store_.plan(p)
    possible, all_match = plan.possible().tolist(), plan.all_match().tolist()
    if possible != sorted(set(possible)) or all_match != sorted(set(all_match)):
        raise UnsoundError(f"numbers out of order: {p}")
    kept, sure = set(possible), set(all_match)
    for number, truth in enumerate(truths):
        answer = plan.outcomes(number)
        plain = {outcome for outcome in Truth if can_be(outcome, p, of.plain[number])}
        problem = (
            "unsound" if not truth <= answer
            else "plain form unsound" if not truth <= plain
            else "looser than the plain form" if exact and not answer <= plain
            else "plan and outcomes differ" if (TRUE in answer) != (number in kept)
            else "all match, and yet" if number in sure and not truth <= {TRUE}
            else "all match is not told" if answer == {TRUE} and number not in sure
            else ""
        )  # fmt: skip
        if problem:
            reported = ", ".join(sorted(outcome.name for outcome in answer))
            raise UnsoundError(
                f"{problem}: file {number} can be {reported}; rows {of.rows[number]}; {of.plain[number]}; {p}"
            )
    return len(truths) * len(Truth)
