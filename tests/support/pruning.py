"""Random files, statistics and bound predicates, and what they mean row by row: the brute force that pruning is held against.

What a predicate is for a row tells `row_truth`.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from unittest import mock

import numpy as np

from hudi_core.errors import SchemaError
from hudi_core.expr.functions import Function
from hudi_core.expr.outcomes import can_be
from hudi_core.expr.predicate import (
    Always,
    And,
    AnyChar,
    AnyRun,
    Apply,
    Below,
    Choose,
    Column,
    Constant,
    Cut,
    Is,
    IsNull,
    Less,
    Matches,
    Not,
    OneOf,
    Or,
    Pattern,
    Predicate,
)
from hudi_core.expr.preimage import starts_with
from hudi_core.stats import columns, intervals, ordered, program, search, store
from hudi_core.stats.plain import Interval, OneFile
from hudi_core.stats.store import FileStatistics, Piece
from hudi_core.truth import TRUE, Truth
from hudi_core.types import nodes as t
from hudi_core.types.promote import Purpose, promotion
from hudi_core.values.cast import cast
from hudi_core.values.domain import to_binary32
from tests.support.row_truth import sort_key, truth_of

EFFORT = int(os.environ.get("PRUNING_EFFORT", "1"))
"""How many times as many cases as usual."""

_INT, _LONG = 2**31, 2**63
_LONG_TEXT = "x" * 5_000
NAN = math.nan

VALUES: dict[t.Type, list[Any]] = {
    t.Boolean(): [False, True],
    t.Int(): [-_INT, -2, -1, 0, 1, 2, 3, _INT - 1],
    t.Long(): [-_LONG, -_LONG + 1, -1, 0, 1, 2, 2**40, _LONG - 2, _LONG - 1],
    t.Float(): [-math.inf, -1.5, -0.0, 0.0, to_binary32(0.1), 2.5, math.inf, NAN],
    t.Double(): [-math.inf, -1.5, -0.0, 0.0, 0.1, 5e-324, 2.5, math.inf, NAN],
    t.Date(): [-_INT, -800_000, -1, 0, 19_000, _INT - 1],
    t.Time(t.Unit.MILLIS): [0, 1, 86_399_999],
    t.Timestamp(t.Unit.MICROS, False): [-(10**17), -1, 0, 1, 1_700_000_000_000_000, 253_402_300_799_999_999],
    t.Timestamp(t.Unit.NANOS): [-_LONG, -1, 0, 1_700_000_000_000_000_000, _LONG - 1],
    t.String(): [
        "",
        "a",
        "ab",
        "abcdefgh",
        "abcdefghi",
        "b",
        "é",
        "\ud7ff",
        "\ue000",
        "\U0001f600",
        "\U0010ffff",
        _LONG_TEXT,
    ],
    t.Binary(): [b"", b"\0", b"a", b"a\0", b"\xff", b"\xff\xff", b"abcdefgh\0"],
    t.Fixed(2): [b"\0\0", b"a\0", b"ab", b"\xff\xff"],
    t.Uuid(): [f"{digit}0000000-0000-4000-8000-000000000000" for digit in "019af"],
    t.Enumeration(("RED", "GREEN", "BLUE")): ["RED", "GREEN", "BLUE"],
    t.Decimal(9, 2): [Decimal(text) for text in ("-9999999.99", "-1.50", "0.00", "0.01", "2.50", "9999999.99")],
    t.Decimal(30, 10): [
        Decimal(text)
        for text in (
            "-99999999999999999999.0000000000",
            "-1.5000000000",
            "0.0000000000",
            "0.0000000001",
            "1000000000000000.0000000000",
            "99999999999999999999.9999999999",
        )
    ],
}
"""Few values of each type, so that they meet; with the ends of the type and what is special in it."""

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

VALUES[t.Timestamp(t.Unit.NANOS, False)] = VALUES[t.Timestamp(t.Unit.NANOS)]

LITERALS: dict[t.Type, list[Any]] = {
    t.Int(): [0.5, Decimal("-1.5"), 2**40],
    t.Long(): [0.5, 2**63, 2**70, -(2**70), math.inf, Decimal("1e30")],
    t.Float(): [0.1, 1e300, 2**70],
    t.Double(): [2**53 + 1, 10**400, Decimal("0.1")],
    t.Decimal(9, 2): [Decimal("0.005"), Decimal("1e12"), 2],
    t.Decimal(30, 10): [Decimal("0.00000000005"), Decimal("1e40"), 0],
    t.String(): ["abcdefgg", "abd", _LONG_TEXT + "y", "\U0010ffffa", "RED", "5"],
}
"""Literals that a column is compared with besides its values: between them, out of range, of another number type."""


@dataclass(frozen=True)
class World:
    """Files with their rows, by brute force; and the statistics of them in plain and in fast form."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[dict[int, Any], ...], ...]
    plain: tuple[OneFile, ...]
    pieces: dict[int, list[Piece]]

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
    plain: list[dict[int, Interval]] = [{} for _ in range(files)]
    pieces: dict[int, list[Piece]] = {}
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
    return World(of, tuple(map(tuple, rows)), tuple(OneFile(known) for known in plain), pieces)


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
    plain: list[dict[int, Interval]],
) -> Piece:
    if version.type is None:
        for number, _ in group:
            value = version.default
            nan = value is not None and value != value
            known = None if nan else value
            plain[number][column.id] = Interval(known, known, nulls=value is None, values=value is not None, nans=nan)
        numbers = np.array([number for number, _ in group])
        return Piece(numbers, columns.absent(column.type, len(group), version.default))
    written: list[tuple[int, Any, Any, int | None, int | None, bool]] = []
    for number, values in group:
        # A base file and a log, say: each tells of some of the rows.
        cut = r.randint(0, len(values)) if r.random() < 0.15 else len(values)
        parts = [values[:cut], values[cut:]] if cut < len(values) else [values]
        told = [_statistics(r, version.type, part) for part in parts]
        written += [(number, *one) for one in told]
        known = [_plain(version.type, column.type, *one) for one in told]
        plain[number][column.id] = known[0] if len(known) == 1 else _hull(known[0], known[1], column.type)
    if r.random() < 0.3:
        r.shuffle(written)
    numbers = [number for number, *_ in written]
    lows, highs, nulls, rows, nans = ([one[place] for one in written] for place in range(1, 6))
    statistics = columns.from_values(version.type, lows, highs, nulls, rows, None if all(nans) else nans)
    return Piece(np.array(numbers, np.int64), statistics)


def _hull(one: Interval, other: Interval, type: t.Type) -> Interval:
    if not (one.values and other.values):
        known = one if one.values else other
        return Interval(known.low, known.high, one.nulls or other.nulls, known.values, known.nans)
    key = lambda value: sort_key(value, type)  # noqa: E731
    low = None if one.low is None or other.low is None else min(one.low, other.low, key=key)
    high = None if one.high is None or other.high is None else max(one.high, other.high, key=key)
    return Interval(low, high, one.nulls or other.nulls, True, one.nans or other.nans)


def _statistics(r: random.Random, type: t.Type, values: list[Any]) -> tuple[Any, Any, int | None, int | None, bool]:
    """Low, high, nulls, rows and whether NaN may be there: true, but often wider than need be or not known."""
    got = [value for value in values if value is not None]
    nan = any(value != value for value in got)
    real = sorted((value for value in got if value == value), key=lambda value: sort_key(value, type))
    low, high = (real[0], real[-1]) if real else (None, None)
    if real and r.random() < 0.3:  # truncated, merged or stale
        others = [value for value in VALUES[type] if value == value]
        low = min([low, r.choice(others)], key=lambda value: sort_key(value, type))
        high = max([high, r.choice(others)], key=lambda value: sort_key(value, type))
    if real and isinstance(type, t.Binary) and r.random() < 0.5:
        low, high = low[:1], widened_high(high[:1])
    if not real and r.random() < 0.5 and not isinstance(type, t.String):
        low = high = VALUES[type][0]  # bounds of no value: to be ignored when all rows are null
        if len(values) - len(got) != len(values):
            low = high = None
    low, high = (None if r.random() < 0.08 else low), (None if r.random() < 0.08 else high)
    nan_is_bound = nan and r.random() < 0.3  # NaN taken for the greatest value
    high = NAN if nan_is_bound else high
    counted = r.random() < 0.85
    nulls = len(values) - len(got) if counted else None
    rows = len(values) if r.random() < 0.9 else None
    if not real and (nulls is None or rows is None or nulls != rows):
        low, high = None, NAN if nan_is_bound else None
    return low, high, nulls, rows, (nan and not nan_is_bound) or r.random() < 0.15


def widened_high(cut: bytes) -> bytes | None:
    """An upper bound of all byte texts that start with `cut`, for a bound that was cut; None: there is none (PRUNE-9)."""
    kept = cut.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1]) if kept else None


def _plain(
    stored: t.Type, wanted: t.Type, low: Any, high: Any, nulls: int | None, rows: int | None, nan: bool
) -> Interval:
    values = nulls is None or rows is None or nulls != rows
    number = isinstance(stored, t.Float | t.Double)
    if high is not None and high != high:
        high, nan = None, True
    known = [_read(bound, stored, wanted) for bound in (low, high)]
    return Interval(*known, nulls=nulls != 0, values=values, nans=nan and number)


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
    rows, plain, lows = [], [], []
    for _ in range(12):
        hidden = r.random() < 0.3
        value = r.choice(far) if hidden else r.randint(-5, 5)
        rows.append(({10: value},))
        low = None if hidden and (value < 0 or r.random() < 0.5) else min(value, 0)
        high = None if hidden and (value > 0 or r.random() < 0.5) else max(value, 0)
        lows.append((low, high))
        plain.append(OneFile({10: Interval(low, high, nulls=False)}))
    bounds = list(zip(*lows, strict=True))
    statistics = columns.from_values(of.type, *bounds, [0] * 12, [1] * 12)
    return World((of,), tuple(rows), tuple(plain), {10: [Piece(np.arange(12), statistics)]})


def far_predicate(r: random.Random, of: Column) -> Predicate:
    """A comparison with a number near or far."""
    value = r.choice([-(2**50), -(2**40), -(2**33), -3, 0, 3, 2**33, 2**40, 2**50])
    return r.choice(
        [Below(of, Cut(value)), Not(Below(of, Cut(value, True))), OneOf(of, (value, 7)), Not(OneOf(of, (value,)))]
    )


ALIKE = [
    *("x/", "x/a", "x/ab", "x/abc", "x/abca", "x/abcb", "x/abd", "x/b", "x0", "w"),
    *("x/é", "x/éa", "x/\ud7ff", "x/\ud7ffa", "x/\ue000", "x/\ue000a"),
    *("x/\U0010ffff", "x/\U0010ffffa", "x/\U0010ffff\U0010ffff", "x/a\U0010ffff", "x/a\U0010ffffb"),
]
"""Texts that begin alike, with characters of one to four bytes wherever they may be cut; the last ones have no next one."""

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
        plain.append(OneFile({of.id: Interval(values[0], values[-1], nulls=False)}))
    low, high = zip(*bounds, strict=True)
    statistics = columns.from_values(of.type, low, high, [0] * 30, [2] * 30)
    return World((of,), tuple(rows), tuple(plain), {of.id: [Piece(np.arange(30), statistics)]})


def alike_predicate(r: random.Random, of: Column) -> Predicate:
    """A comparison with such texts."""
    one, other = r.sample(ALIKE, 2)
    return r.choice(
        [
            Below(of, Cut(one, r.random() < 0.5)),
            Not(Below(of, Cut(one, r.random() < 0.5))),
            And((Not(Below(of, Cut(one))), Below(of, Cut(other, r.random() < 0.5)))),
            OneOf(of, (one, other)),
            Not(OneOf(of, (one, other))),
            OneOf(of, (one,)),
        ]
    )


def predicate(r: random.Random, of: Sequence[Column], depth: int = 3) -> Predicate:
    """A random bound predicate."""
    if depth and r.random() < 0.55:
        kind = r.randrange(8)
        if kind == 0:
            return Is(predicate(r, of, depth - 1), r.choice(list(Truth)))
        if kind < 3:
            return Not(predicate(r, of, depth - 1))
        parts = tuple(predicate(r, of, depth - 1) for _ in range(0 if r.random() < 0.02 else r.randint(1, 4)))
        return And(parts) if kind < 6 else Or(parts)
    return leaf(r, r.choice(of), of)


def leaf(r: random.Random, column: Column, of: Sequence[Column]) -> Predicate:
    """A random predicate on one column, or on one and another of its type."""
    pool = VALUES[column.type] + LITERALS.get(column.type, [])
    match r.randrange(12):
        case 0 | 1:
            return IsNull(column)
        case 2 | 3 | 4:
            values = tuple({sort_key(v, column.type): v for v in r.choices(pool, k=r.randint(0, 5))}.values())
            return OneOf(column, values, r.random() < 0.2)
        case 5:
            same = [other for other in of if other.type == column.type]
            return Less(column, r.choice(same), r.random() < 0.5)
        case 6 if isinstance(column.type, t.String):
            pattern: Pattern = tuple(r.choice(["a", "b", AnyChar(), AnyRun()]) for _ in range(r.randint(0, 3)))
            return Matches(column, pattern)
        case 6 if isinstance(column.type, t.String | t.Int):
            length = isinstance(column.type, t.String)
            apply = Apply(Function.LENGTH if length else Function.ABS, (column,), t.Int())
            return Below(apply, Cut(r.randint(-1, 3), r.random() < 0.5))
        case 7:
            two = tuple(Below(Column(column.id, column.name, column.type), Cut(r.choice(pool))) for _ in range(2))
            low = Cut(r.choice(pool), r.random() < 0.5)
            return And((Not(Below(column, low)), two[0]))
        case 8:
            chosen = Choose(((IsNull(column), Constant(1, t.Int())),), Constant(r.choice([0, None]), t.Int()), t.Int())
            return OneOf(chosen, (1,))
        case 9 if r.random() < 0.2:
            return Always(r.choice(list(Truth)))
        case _:
            below = Below(column, Cut(r.choice(pool), r.random() < 0.5))
            return below if r.random() < 0.5 else Not(below)


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
    """Blocks of a few files and low thresholds, so that few files take all the ways that many take."""
    block = r.choice([2, 4, 8])
    with ExitStack() as stack:
        for module in (intervals, ordered, search):
            stack.enter_context(mock.patch.object(module, "BLOCK", block))
        for module in (search, store):
            stack.enter_context(mock.patch.object(module, "SMALL", r.choice([0, 0, 10**9])))
        stack.enter_context(mock.patch.object(program, "FEW_LEFT", r.choice([1, 2, 16])))
        stack.enter_context(mock.patch.object(program, "WORTH_NARROWING", r.choice([0, 0, 10**9])))
        cost = r.choice([0, 1, 16])
        for name in ("_SCATTERED", "_SEARCHED"):
            stack.enter_context(mock.patch.object(search, name, cost))
        stack.enter_context(mock.patch.object(ordered, "FEW_RANGES", r.choice([1, 3])))
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
        said = plan.outcomes(number)
        plain = {outcome for outcome in Truth if can_be(outcome, p, of.plain[number])}
        problem = (
            "unsound" if not truth <= said
            else "plain form unsound" if not truth <= plain
            else "looser than the plain form" if exact and not said <= plain
            else "plan and outcomes differ" if (TRUE in said) != (number in kept)
            else "all match, and yet" if number in sure and not truth <= {TRUE}
            else "all match is not told" if said == {TRUE} and number not in sure
            else ""
        )  # fmt: skip
        if problem:
            told = ", ".join(sorted(outcome.name for outcome in said))
            raise UnsoundError(
                f"{problem}: file {number} can be {told}; rows {of.rows[number]}; {of.plain[number]}; {p}"
            )
    return len(truths) * len(Truth)
