"""Which files can match: one query from a bound predicate to file numbers, against masks written by hand in NumPy.

The masks work on statistics as decoded: bounds, null counts, row counts, a flag for NaN. What they leave out (three-valued
logic, types, literals out of range) costs them nothing. Ours are of columns that were asked often; what it takes until then is
shown apart: `preparation_*` is all that a column needs, and `one_query_on_fresh_store_1m` one query on each of four columns as
they were loaded.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hudi_core.expr.predicate import And, Below, Column, Cut, IsNull, Not, OneOf, Or, Predicate, columns_of
from hudi_core.pruning.statistics import Carrier, ColumnStatistics, absent, carrier
from hudi_core.pruning.store import FileStatistics, StatisticsPart
from hudi_core.types import nodes as t
from tests.bench.files import COLUMNS, DAY, DAYS, FIRST_DAY, STEP, Bounds, Files, files
from tests.bench.timing import Pair, Unbuilt

SIZES = {"1k": 1_000, "100k": 100_000, "1m": 1_000_000}
MIDDLE_DAY = FIRST_DAY + DAYS // 2 * DAY


@dataclass(frozen=True)
class Range:
    """`low <= column <= high`, either end open when None."""

    column: str
    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Choice:
    """`column IN (...)`."""

    column: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Null:
    column: str


@dataclass(frozen=True)
class Both:
    parts: tuple[Question, ...]


@dataclass(frozen=True)
class Either:
    parts: tuple[Question, ...]


Question = Range | Choice | Null | Both | Either
"""A query in a form that every peer's own is made from: what must be possible in a file."""


@dataclass(frozen=True)
class Query:
    """A question, and the predicate that asks it when the question alone does not say (a NOT over an AND)."""

    question: Question
    predicate: Predicate | None = field(default=None)

    def bound(self) -> Predicate:
        return self.predicate or predicate_of(self.question)


def queries(count: int) -> dict[str, Query]:
    """The queries on so many files, by the name of the case without its size."""
    top = count * STEP
    middle = top // 2
    seeded = random.Random(3)
    some_ids = tuple(sorted(seeded.sample(range(top), 100)))
    some_users = tuple(sorted(seeded.sample(range(10**9), 100)))
    some_words = tuple(sorted("".join(seeded.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(100)))
    in_order = [
        Range("id", middle, middle + top // 20),
        Range("ts", MIDDLE_DAY, MIDDLE_DAY + 100 * DAY),
        Range("price", 300.0, 400.0),
        Range("user", 10**8, 5 * 10**8),
        Range("score", -20.0, 20.0),
    ]
    scattered = [
        Range("user", 10**8, 10**8 + 10**7),
        Range("seller", 10**8, 5 * 10**8),
        Range("price", 300.0, 400.0),
        Range("score", -20.0, 20.0),
        Range("city", "f", "h"),
    ]
    either = [
        Choice("id", (middle,)),
        Range("ts", MIDDLE_DAY, MIDDLE_DAY + DAY),
        Range("price", 1040.0, None),
        Choice("user", (5 * 10**8,)),
        Range("score", None, -49.9),
    ]
    cheap, late = Range("price", None, 20.0), Range("user", 98 * 10**7, None)
    nand = Not(And((Not(predicate_of(cheap)), Not(predicate_of(late)))))
    return {
        "int_range_clustered": Query(Range("id", middle, middle + top // 100)),
        "int_eq_clustered": Query(Choice("id", (middle + 500,))),
        "timestamp_range_clustered": Query(Range("ts", MIDDLE_DAY, MIDDLE_DAY + DAY)),
        "string_eq_clustered": Query(Choice("key", ("moscow",))),
        "prefix_clustered": Query(Range("key", "mq", "mq{")),
        "int_range_scattered": Query(Range("user", 5 * 10**8, 5 * 10**8 + 10**7)),
        "int_eq_scattered": Query(Choice("user", (123_456_789,))),
        "double_between_nan": Query(Range("price", 500.0, 510.0)),
        "string_eq_scattered": Query(Choice("city", ("moscow",))),
        "prefix_scattered": Query(Range("city", "mq", "mq{")),
        "in100_int_clustered": Query(Choice("id", some_ids)),
        "in100_int_scattered": Query(Choice("user", some_users)),
        "in100_str_scattered": Query(Choice("city", some_words)),
        "and5": Query(Both(tuple(in_order))),
        "and5_scattered": Query(Both(tuple(scattered))),
        "or5": Query(Either(tuple(either))),
        "not_and": Query(Either((cheap, late)), nand),
        "is_null": Query(Null("user")),
        "int_eq_one_percent_unknown": Query(Choice("id_gaps", (middle + 500,))),
        "int_range": Query(Range("id", middle, middle + top // 100)),
        "in100_int": Query(Choice("id", some_ids)),
        "prefix": Query(Range("key", "mq", "mq{")),
    }


def predicate_of(question: Question) -> Predicate:
    """The bound predicate, as `bind` makes it."""
    match question:
        case Range(name, low, high):
            column = COLUMNS[name]
            parts: list[Predicate] = []
            parts += [Not(Below(column, Cut(low)))] if low is not None else []
            parts += [Below(column, Cut(high, after=True))] if high is not None else []
            return parts[0] if len(parts) == 1 else And(tuple(parts))
        case Choice(name, values):
            return OneOf(COLUMNS[name], values)
        case Null(name):
            return IsNull(COLUMNS[name])
        case Both(all_parts):
            return And(tuple(map(predicate_of, all_parts)))
        case Either(any_parts):
            return Or(tuple(map(predicate_of, any_parts)))


Mask = NDArray[np.bool_]


def floor(question: Question, of: Files) -> Callable[[], Mask]:
    """The mask by hand."""
    match question:
        case Range(name, low, high):
            return _range_mask(of.bounds[name], _literal(low), _literal(high), nan=name == "price" and high is None)
        case Choice(name, (value,)):
            return _range_mask(of.bounds[name], _literal(value), _literal(value))
        case Choice(name, values):
            return _choice_mask(of.bounds[name], [_literal(value) for value in values])
        case Null(name):
            nulls = of.bounds[name].nulls
            return lambda: nulls > 0
        case Both(parts):
            all_masks = [floor(part, of) for part in parts]
            return lambda: reduce(
                lambda left, right: np.logical_and(left, right(), out=left), all_masks[1:], all_masks[0]()
            )
        case Either(parts):
            any_masks = [floor(part, of) for part in parts]
            return lambda: reduce(
                lambda left, right: np.logical_or(left, right(), out=left), any_masks[1:], any_masks[0]()
            )


def _literal(value: Any) -> Any:
    return np.bytes_(value) if isinstance(value, str) else value


def _range_mask(of: Bounds, low: Any, high: Any, nan: bool = False) -> Callable[[], Mask]:
    def run() -> Mask:
        found: Mask | None = of.low <= high if high is not None else None
        if low is not None:
            above = of.high >= low
            if nan:
                np.logical_or(above, of.nan, out=above)
            found = above if found is None else np.logical_and(found, above, out=found)
        assert found is not None
        return np.logical_and(found, of.nulls < of.rows, out=found)

    return run


def _choice_mask(of: Bounds, values: Sequence[Any]) -> Callable[[], Mask]:
    wanted = np.array(values, of.low.dtype)

    def run() -> Mask:
        found = np.searchsorted(wanted, of.low, "left") < np.searchsorted(wanted, of.high, "right")
        return np.logical_and(found, of.nulls < of.rows, out=found)

    return run


def pair(case: str, peer: str) -> Pair:
    """The measurement of one goal."""
    if case.startswith("sql_"):
        from_text: Pair = importlib.import_module("tests.bench.prune_sql").pair(case, SIZES)
        return from_text
    if case == "one_query_on_fresh_store_1m" and peer == "numpy":
        return _fresh(SIZES["1m"], FRESH)
    part, _, rest = case.partition("_")
    if part in ("preparation", "fresh"):
        return _fresh(SIZES["1m"], [rest.removesuffix("_1m")], prepared=part == "preparation")
    if case == "or_300_equals_end_to_end":
        chain: Pair = importlib.import_module("tests.bench.prune_chains").pair(case, peer)
        return chain
    if case == "end_to_end_evolved_1m":
        return _evolved(SIZES["1m"])
    name, _, size = case.rpartition("_")
    count = SIZES.get(size, 0)
    if name not in _queries(count):
        raise Unbuilt("no measurement of this case")
    of = files(count)
    query = _queries(count)[name]
    predicate, store = query.bound(), of.store
    for column in columns_of(predicate).values():
        store.prepare(column)

    def ours() -> NDArray[np.int64]:
        return store.plan(predicate).possible()

    if peer == "numpy":
        by_hand = floor(query.question, of)
        return Pair(ours, lambda: np.flatnonzero(by_hand()), assert_equal)
    module = importlib.import_module(f"tests.bench.prune_{peer}")
    theirs = module.query(query.question, of)
    if peer != "pyiceberg":
        return Pair(ours, theirs, assert_equal)
    # PyIceberg leaves NaN out of what is greater than a number; where NaN is greatest a file that holds it has to be read.
    with_nan = np.flatnonzero(floor(query.question, of)() & of.bounds["price"].nan)
    return Pair(ours, theirs, lambda one, other: assert_equal(one, np.union1d(other, with_nan)))


_queries = cache(queries)


def assert_equal(ours: Any, theirs: Any) -> None:
    """The same file numbers, in order."""
    assert np.array_equal(ours, theirs), f"{len(ours)} files, the peer keeps {len(theirs)}"


FRESH = ("int_range_clustered", "int_range_scattered", "string_eq_clustered", "string_eq_scattered")
"""One query on each of four columns: clustered and scattered numbers, clustered and scattered strings."""

WITHOUT_GOAL = tuple(
    (f"{part}_{query}_1m", "numpy") for part in ("preparation", "fresh") for query in (*FRESH, "double_between_nan")
)


def _fresh(count: int, names: Sequence[str], *, prepared: bool = False) -> Pair:
    """Queries on a store that nothing was asked yet; or, with `prepared`, as many as make it put each column in order."""
    of = files(count)
    of.loaded(COLUMNS.values())
    questions = [_queries(count)[name] for name in names]
    masks = [floor(item.question, of) for item in questions]
    predicates = [item.bound() for item in questions]

    def ours() -> object:
        store = FileStatistics(of.count, of.pieces)
        if prepared:
            for item in (leaf for predicate in predicates for leaf in columns_of(predicate).values()):
                store.prepare(item)
        return [store.plan(predicate).possible() for predicate in predicates]

    def check(kept: Sequence[Any], peers: Sequence[Any]) -> None:
        for one, other in zip(kept, peers, strict=True):
            assert_equal(one, other)

    return Pair(ours, lambda: [np.flatnonzero(mask()) for mask in masks], check, 2.0, burst=1)


def _evolved(count: int) -> Pair:
    """Five schema versions, file by file in turn: int, long, float, double, and one older than the column.

    The peer has all bounds as doubles of one version, in one array each.
    """
    random_ = np.random.default_rng(5)
    version = random_.integers(0, 5, count)
    low = random_.integers(0, 10**6, count)
    high = low + random_.integers(0, 20_000, count)
    column = Column(1, "amount", t.Double())
    stored: list[t.Type] = [t.Int(), t.Long(), t.Float(), t.Double()]

    def pieces(column: Column) -> list[StatisticsPart]:
        found = []
        for number, kind in enumerate(stored):
            at = np.flatnonzero(version == number)
            dtype = np.int64 if carrier(kind) is Carrier.INTEGERS else np.float64
            yes, zeros = np.ones(len(at), np.bool_), np.zeros(len(at), np.int64)
            bounds = low[at].astype(dtype), high[at].astype(dtype)
            found.append(StatisticsPart(at, ColumnStatistics(kind, *bounds, yes, yes, zeros, zeros + 1000, ~yes)))
        at = np.flatnonzero(version == len(stored))
        return [*found, StatisticsPart(at, absent(column.type, len(at)))]

    store = FileStatistics(count, pieces)
    predicate = And((Not(Below(column, Cut(500_000.0))), Below(column, Cut(505_000.0, after=True))))
    gone = version == len(stored)
    masked = Bounds(
        np.where(gone, 0.0, low),
        np.where(gone, 0.0, high),
        ~gone,
        np.where(gone, 1000, 0),
        np.full(count, 1000),
        np.zeros(count, np.bool_),
    )
    by_hand = _range_mask(masked, 500_000.0, 505_000.0)
    return Pair(lambda: store.plan(predicate).possible(), lambda: np.flatnonzero(by_hand()), assert_equal)
