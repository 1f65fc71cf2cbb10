"""Random bound predicates, and the values of each type that they and the rows of random files are drawn from."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from hudi_core.expr.predicate import (
    Always,
    And,
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
    MatchesOne,
    Not,
    OneOf,
    Or,
    Predicate,
    Within,
)
from hudi_core.functions.registry import function
from hudi_core.functions.scalar.like import AnyChar, AnyRun, Pattern
from hudi_core.truth import Truth
from hudi_core.types import nodes as t
from hudi_core.values.domain import to_binary32
from tests.support.row_truth import sort_key

_INT, _LONG = 2**31, 2**63
_LONG_TEXT = "x" * 5_000

VALUES: dict[t.Type, list[Any]] = {
    t.Boolean(): [False, True],
    t.Int(): [-_INT, -2, -1, 0, 1, 2, 3, _INT - 1],
    t.Long(): [-_LONG, -_LONG + 1, -1, 0, 1, 2, 2**40, _LONG - 2, _LONG - 1],
    t.Float(): [-math.inf, -1.5, -0.0, 0.0, to_binary32(0.1), 2.5, math.inf, math.nan],
    t.Double(): [-math.inf, -1.5, -0.0, 0.0, 0.1, 5e-324, 2.5, math.inf, math.nan],
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

ALIKE = [
    *("x/", "x/a", "x/ab", "x/abc", "x/abca", "x/abcb", "x/abd", "x/b", "x0", "w"),
    *("x/é", "x/éa", "x/\ud7ff", "x/\ud7ffa", "x/\ue000", "x/\ue000a"),
    *("x/\U0010ffff", "x/\U0010ffffa", "x/\U0010ffff\U0010ffff", "x/a\U0010ffff", "x/a\U0010ffffb"),
]
"""Texts that begin alike, with characters of one to four bytes wherever they may be cut; the last ones have no next one."""


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
    match r.randrange(13):
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
            return Matches(column, pattern) if r.random() < 0.5 else MatchesOne(column, (pattern, (AnyRun(), "b")))
        case 6 if isinstance(column.type, t.String | t.Int):
            length = isinstance(column.type, t.String)
            apply = Apply(function("length") if length else function("abs"), (column,), t.Int())
            return Below(apply, Cut(r.randint(-1, 3), r.random() < 0.5))
        case 7:
            two = tuple(Below(Column(column.id, column.name, column.type), Cut(r.choice(pool))) for _ in range(2))
            low = Cut(r.choice(pool), r.random() < 0.5)
            return And((Not(Below(column, low)), two[0]))
        case 8:
            chosen = Choose(((IsNull(column), Constant(1, t.Int())),), Constant(r.choice([0, None]), t.Int()), t.Int())
            return OneOf(chosen, (1,))
        case 10:
            keyed = {sort_key(v, column.type): v for v in r.choices(pool, k=r.randint(1, 5))}
            listed = tuple(keyed[key] for key in sorted(keyed))
            return Within(column, listed, tuple(r.random() < 0.5 for _ in range(2 * len(listed) + 1)))
        case 9 if r.random() < 0.2:
            return Always(r.choice(list(Truth)))
        case _:
            below = Below(column, Cut(r.choice(pool), r.random() < 0.5))
            return below if r.random() < 0.5 else Not(below)


def far_predicate(r: random.Random, of: Column) -> Predicate:
    """A comparison with a number near or far."""
    value = r.choice([-(2**50), -(2**40), -(2**33), -3, 0, 3, 2**33, 2**40, 2**50])
    return r.choice(
        [Below(of, Cut(value)), Not(Below(of, Cut(value, True))), OneOf(of, (value, 7)), Not(OneOf(of, (value,)))]
    )


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
