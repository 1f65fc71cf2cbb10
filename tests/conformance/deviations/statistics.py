"""Deviations of column statistics in the metadata table.

A question holds `ask`; of two records that are merged their `parts`, as (least, greatest, nulls, rows) with None for what is not
recorded, the older one first; of one bound its `value`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any
from uuid import UUID

from tests.conformance.deviations import Deviation, Question

SUBJECT = "column_stats_merge"


def _bounds(q: Question) -> Iterator[Any]:
    return (value for part in q["parts"] for value in part[:2])


def _counts_unknown(q: Question) -> bool:
    return q["ask"] == "merged" and any(None in part[2:] for part in q["parts"])


def _empty(part: Any) -> bool:
    return part[2] == part[3]


def _bound_unknown(q: Question) -> bool:
    """A record that has values lacks a bound that the other has."""
    if q["ask"] != "merged" or _counts_unknown(q):
        return False
    sides = list(zip(*(part[:2] for part in q["parts"]), strict=True))
    lacking = [any(value is None for value in side) and any(value is not None for value in side) for side in sides]
    return any(lacking) and not any(_empty(part) for part in q["parts"])


def _zeros_or_nan(q: Question) -> bool:
    return q["ask"] == "merged" and any(map(_tells_nothing, q["parts"]))


def _tells_nothing(part: Any) -> bool:
    """The least value is NaN, which is forgotten in a merge, as the greatest is not; or both are zero."""
    low, high = part[:2]
    return isinstance(low, float) and (math.isnan(low) or low == high == 0.0)


def _otherwise_ordered(q: Question) -> bool:
    """The order of Java has another least or greatest bound."""
    if q["ask"] != "merged" or not all(isinstance(value, str | bytes) for value in _bounds(q)):
        return False
    low, high = zip(*(part[:2] for part in q["parts"]), strict=True)
    java = partial(_java_order, is_uuid=q["type"] == "uuid")
    return bool(min(low) != min(low, key=java) or max(high) != max(high, key=java))


def _java_order(value: str | bytes, *, is_uuid: bool) -> Any:
    """UTF-16 units, signed bytes, and signed halves of a uuid."""
    if isinstance(value, bytes):
        return [(octet ^ 0x80) - 0x80 for octet in value]
    if is_uuid:
        whole = UUID(value).bytes
        return [int.from_bytes(half, "big", signed=True) for half in (whole[:8], whole[8:])]
    return value.encode("utf-16-be")


def _added(q: Question) -> tuple[int, int]:
    nulls, rows = zip(*(part[2:] for part in q["parts"]), strict=True)
    return sum(nulls), sum(rows)


def _widest(q: Question) -> object:
    """The least and the greatest of bounds by value; unknown where a part's is."""
    low, high = zip(*(part[:2] for part in q["parts"]), strict=True)
    counts = (-1, -1) if _counts_unknown(q) else _added(q)
    return (None if None in low else min(low), None if None in high else max(high), *counts)


def _without_nan(q: Question) -> object:
    parts = [
        (None, None, *part[2:])
        if _tells_nothing(part) and part[0] == part[1] == 0.0
        else (*(None if math.isnan(value) else value for value in part[:2]), *part[2:])
        for part in q["parts"]
    ]
    return _widest({**q, "parts": parts})


DEVIATIONS = (
    Deviation(
        SUBJECT,
        "an unknown count stays unknown",
        _counts_unknown,
        _widest,
        "Counts are added where all are known, and unknown otherwise.",
        "Hudi raises a `NullPointerException` when one of two records has no counts.",
    ),
    Deviation(
        SUBJECT,
        "an unknown bound stays unknown",
        _bound_unknown,
        _widest,
        "Where one of two records has values and no bound, the bound of both is unknown.",
        "Hudi takes the other record's bound, and so skips files whose rows lie outside of it.",
    ),
    Deviation(
        SUBJECT,
        "zeros and NaN in bounds of floats tell nothing",
        _zeros_or_nan,
        _without_nan,
        "A bound of NaN, and bounds of 0.0 and 0.0, are unknown, alone and merged with others.",
        "Hudi writes zeros for a file that holds NaN, whose bounds its footer does not have, and merges them like others.",
    ),
    Deviation(
        SUBJECT,
        "bounds merge in the order of SQL",
        _otherwise_ordered,
        _widest,
        "Strings are compared by code points, bytes without a sign, uuids by their text.",
        "Hudi compares with Java's `compareTo`: UTF-16 units, signed bytes, signed halves of a uuid. The least is then above "
        "the greatest, and files are skipped whose rows match.",
    ),
    Deviation(
        SUBJECT,
        "NaN is no bound",
        lambda q: q["ask"] == "bound" and isinstance(q["value"], float) and math.isnan(q["value"]),
        lambda _: None,
        "A bound of NaN is unknown.",
        "No value lies between NaN and NaN by IEEE 754, and every value below it by SQL.",
    ),
)
