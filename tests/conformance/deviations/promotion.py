"""Deviations of promotion: which changes of types are allowed, checked and covered.

A question holds `ask` and the types `from` and `to`. What becomes of values is told beside.
"""

from __future__ import annotations

from hudi_core.types import nodes as t
from hudi_core.types.promote import INT_DIGITS, LONG_DIGITS, is_mislabelled
from tests.conformance.deviations import Deviation, Question, always, refused
from tests.conformance.deviations.promoted_values import PROMOTED_VALUES, is_about
from tests.conformance.deviations.promotion_answers import (
    does_not_fit,
)

_NUMBERS = (t.Int, t.Long, t.Float, t.Double)


def _to_enumeration(q: Question) -> bool:
    if is_about(q, "alter", t.Enumeration, t.Enumeration):
        return not set(q["from"].symbols) <= set(q["to"].symbols)
    return is_about(q, "alter", (*_NUMBERS, t.String, t.Binary, t.Decimal, t.Date), t.Enumeration)


def _out_of_enumeration(q: Question) -> bool:
    return (
        is_about(q, "alter", t.Enumeration, (t.Binary, t.Date, t.Decimal))
        and getattr(q["to"], "fixed", True) is not None
    )


def too_few_digits(q: Question) -> bool:
    if not is_about(q, "alter", (t.Int, t.Long), t.Decimal) or q["to"].fixed is None:
        return False
    digits = INT_DIGITS if isinstance(q["from"], t.Int) else LONG_DIGITS
    return bool(q["to"].precision - q["to"].scale < digits)


def _reads_more(q: Question) -> bool:
    return (
        is_about(q, "covers", t.Boolean, t.String)
        or is_about(q, "covers", _NUMBERS, t.Decimal)
        or is_about(q, "covers", t.Long, t.Timestamp)
        or is_about(q, "covers", t.String, (t.Date, t.Decimal, t.Uuid))
        or is_about(q, "covers", (t.Date, t.Uuid), t.String)
        or is_about(q, "covers", (t.Fixed, t.Vector), t.Binary)
        or (is_about(q, "covers", t.Date, t.Timestamp) and not q["to"].zoned)
        or is_about(q, "covers", t.Int, t.Timestamp)
        or is_about(q, "covers", (*_NUMBERS, t.Decimal, t.Date, t.Enumeration), t.Binary)
        or is_about(q, "covers", (*_NUMBERS, t.Decimal, t.Binary, t.Enumeration), (t.Date, t.Uuid))
        or is_about(q, "covers", (t.Date, t.Binary, t.Enumeration), (t.Decimal, t.Uuid))
    )


def reads_less(q: Question) -> bool:
    return (
        (is_about(q, "covers", t.Fixed, t.Fixed) and q["from"].size != q["to"].size)
        or (is_about(q, "covers", t.Vector, t.Vector) and q["from"] != q["to"])
        or (
            is_about(q, "covers", t.Timestamp, t.Timestamp)
            and q["from"].zoned != q["to"].zoned
            and not is_mislabelled(q["from"], q["to"])
        )
    )


def _coarser(q: Question) -> bool:
    return (
        is_about(q, "check", t.Timestamp, t.Timestamp)
        and q["from"].zoned == q["to"].zoned
        and q["from"].unit.value > q["to"].unit.value
    )


PROMOTION = (
    Deviation(
        "type_promotion",
        "enumerations in type changes",
        lambda q: _to_enumeration(q) or _out_of_enumeration(q),
        refused,
        "A column changes to an enumeration only from one whose symbols it all has; an enumeration changes to string.",
        "Hudi's schema of evolution has no enumeration and calls it a string, so that it accepts changes after which no stored "
        "value can be read (number to enumeration) or written (text that is no symbol).",
    ),
    Deviation(
        "type_promotion",
        "integers to decimals with too few digits",
        too_few_digits,
        refused,
        "An int column changes to a decimal with at least 10 digits before the point, a long to one with 19; files written "
        "before such a change was accepted elsewhere are still read, value by value.",
        "Hudi accepts int to decimal(3,0) and then fails on the first row above 999.",
    ),
    Deviation(
        "type_promotion",
        "a batch of milliseconds for a column of microseconds",
        _coarser,
        does_not_fit,
        "A batch with milliseconds does not fit a column of microseconds.",
        "Hudi's check accepts it, and all stored values lose their last three digits.",
    ),
    Deviation(
        "type_promotion",
        "projection check: types that can be read are covered",
        _reads_more,
        always(True),
        "A file covers a wanted column when its values can be read as the wanted type.",
        "Hudi's projection check is a table of its own that disagrees with its reader and its evolution matrix.",
    ),
    Deviation(
        "type_promotion",
        "projection check: types that cannot be read are not covered",
        reads_less,
        always(False),
        "Fixed types of another size, vectors of another shape and timestamps of another zone flag are not covered.",
        "Hudi's projection check looks at the kind of type only; reading then fails or changes the meaning.",
    ),
    *PROMOTED_VALUES,
)
