"""Deviations of promoted values. A question holds `ask`, the types `from` and `to`, and the `value` of a cast."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.types.promote import is_mislabelled
from tests.conformance.deviations import REFUSED, Deviation, Question, refused
from tests.conformance.deviations.promotion_answers import (
    as_day,
    as_decimal,
    as_uuid,
    by_way_of_text,
    cut,
    multiplied,
    of_two_changes,
    plain,
    rescaled,
    same_number,
    text_of,
    truth,
)

_NUMBERS = (t.Int, t.Long, t.Float, t.Double)
_TIMES = (t.Date, t.Time, t.Timestamp)
_BYTES = (t.Binary, t.Fixed, t.Vector)
_TEXTS = (t.String, t.Uuid)
_GREGORIAN = -141_427
"""1582-10-15, the first day of the Gregorian calendar, in days since 1970-01-01."""


def is_about(question: Question, ask: str, from_: Any, to: Any) -> bool:
    return question["ask"] == ask and isinstance(question["from"], from_) and isinstance(question["to"], to)


def _is_whole(of: t.Type) -> bool:
    """Whether Avro carries values of the type by an int or a long."""
    return isinstance(of, t.Int | t.Long | t.Date | t.Time | t.Timestamp)


def _in_int(of: t.Type) -> bool:
    return isinstance(of, t.Int | t.Date) or of == t.Time(t.Unit.MILLIS)


def _relabelled(q: Question) -> bool:
    """A number that Hudi takes over where exactly one side is a time, or both are times of different kinds."""
    from_, to = q["from"], q["to"]
    if q["ask"] != "value" or not _is_whole(from_) or is_about(q, "value", (t.Int, t.Long), t.Timestamp):
        return False
    if is_about(q, "value", t.Date, t.String) or (is_about(q, "value", t.Date, t.Timestamp) and not to.zoned):
        return False
    if not (isinstance(from_, _TIMES) or isinstance(to, _TIMES)) or type(from_) is type(to):
        return False
    if isinstance(to, t.Decimal):
        return to.fixed is not None and _fits(Decimal(q["value"]), to)
    if _is_whole(to):
        return _in_int(from_) or (not _in_int(to) and not (isinstance(from_, _TIMES) and isinstance(to, _TIMES)))
    return isinstance(to, t.Float | t.Double | t.String)


def _not_multiplied(q: Question) -> bool:
    if q["ask"] != "value" or not q["value"]:
        return False
    finer = is_about(q, "value", t.Time, t.Time) and q["from"].unit.value < q["to"].unit.value
    return finer or (is_about(q, "value", t.Date, t.Timestamp) and not q["to"].zoned)


def _coarser_time(q: Question) -> bool:
    return is_about(q, "value", t.Time, t.Time) and q["from"].unit.value > q["to"].unit.value


def _milliseconds_as_microseconds(q: Question) -> bool:
    if not is_about(q, "value", t.Timestamp, t.Timestamp) or not is_mislabelled(q["from"], q["to"]):
        return False
    return q["from"].zoned != q["to"].zoned or q["value"] // 1000 != q["value"]


def _fits(value: Decimal, to: t.Decimal) -> bool:
    """Whether the number has no more digits on either side of the point than the type."""
    return rescaled(value, to) == value


def _rescaled_by_relabelling(q: Question) -> bool:
    if not is_about(q, "value", t.Decimal, t.Decimal):
        return False
    old, new = q["from"].fixed, q["to"].fixed
    if old is not None and new is not None and old.size != new.size:
        return False
    overflows = len(q["value"].as_tuple().digits) > q["to"].precision
    if old is None and new is not None and overflows:
        return False  # refused there too
    return (q["from"].scale != q["to"].scale and q["value"] != 0) or overflows


def _decimal_as_bytes(q: Question) -> bool:
    return is_about(q, "value", t.Decimal, t.String) and q["from"].fixed is None


def _scientific(q: Question) -> bool:
    if not is_about(q, "value", t.Decimal, t.String) or q["from"].fixed is None:
        return False
    return str(q["value"]) != f"{q['value']:f}"


def _no_uuid(q: Question) -> bool:
    """A value whose text, or whose bytes, Hudi takes for a UUID unseen."""
    taken = (t.Int, t.Long, t.Float, t.Double, *_TIMES, t.Decimal, t.String, t.Binary, t.Enumeration)
    return is_about(q, "value", taken, t.Uuid) and not (
        isinstance(q["from"], t.String | t.Binary | t.Enumeration) and as_uuid(q) == text_of(q)
    )


def _into_bytes_backed(q: Question) -> bool:
    if not is_about(q, "value", (*_NUMBERS, *_TEXTS), t.Decimal) or q["to"].fixed is not None:
        return False
    return isinstance(q["from"], _TEXTS) or as_decimal(q) != REFUSED


def _decimal_from_bytes(q: Question) -> bool:
    if is_about(q, "value", t.Decimal, t.Binary):
        return True
    if not is_about(q, "value", _BYTES, t.Decimal):
        return False
    return q["to"].fixed is None or (isinstance(q["from"], t.Binary) and q["value"] != b"")


def _twice_changed(q: Question) -> bool:
    if is_about(q, "value", t.Binary, t.Date):
        return as_day(q) != REFUSED
    return is_about(q, "value", (*_NUMBERS, t.Date, t.Enumeration), t.Binary)


def _fixed_of_another_kind(q: Question) -> bool:
    """A decimal that is backed by as many bytes as a vector has."""
    if not is_about(q, "value", t.Decimal, t.Vector) or q["from"].fixed is None:
        return False
    return bool(q["from"].fixed.size == q["to"].dimension * q["to"].element.value)


def _blanks(q: Question) -> bool:
    return is_about(q, "value", t.String, t.Decimal) and q["to"].fixed is not None and q["value"] != q["value"].strip()


def _not_utf8(q: Question) -> bool:
    if not is_about(q, "value", t.Binary, t.String):
        return False
    try:
        q["value"].decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _boolean_text(q: Question) -> bool:
    return is_about(q, "value", t.Boolean, t.String)


def _julian(q: Question) -> bool:
    return is_about(q, "value", t.Date, t.String) and q["value"] < _GREGORIAN


def _uuid_bytes(q: Question) -> bool:
    return is_about(q, "value", t.Uuid, t.Binary)


def _loose_date(q: Question) -> bool:
    if not is_about(q, "value", t.String, t.Date) or as_day(q) == REFUSED:
        return False
    return not re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", q["value"], re.ASCII)


PROMOTED_VALUES = (
    Deviation(
        "type_promotion",
        "conversions between numbers and times",
        _relabelled,
        refused,
        "Refused.",
        "Hudi takes the number over: day 17409 becomes 17409 microseconds, or a time the string of its number.",
    ),
    Deviation(
        "type_promotion",
        "conversions between dates, times and timestamps",
        _not_multiplied,
        multiplied,
        "A date becomes the beginning of its day (as a timestamp without zone), milliseconds of a day become microseconds.",
        "Hudi keeps the number under the new unit.",
    ),
    Deviation(
        "type_promotion",
        "microseconds of a day read as milliseconds",
        _coarser_time,
        cut,
        "Cut towards midnight.",
        "Hudi's own projection check accepts it, but its rewriting raises.",
    ),
    Deviation(
        "type_promotion",
        "microseconds of a timestamp read as milliseconds",
        _milliseconds_as_microseconds,
        lambda q: q["value"],
        "The number is taken over: no change of a type leads from microseconds to milliseconds, so the file has milliseconds "
        "under the wrong label, as Hudi Streamer wrote from 0.14.1 to 1.0.",
        "Hudi relabels such columns when it reads a file, and divides by a thousand, or refuses, where it promotes a value.",
    ),
    Deviation(
        "type_promotion",
        "decimals of another precision or scale",
        _rescaled_by_relabelling,
        same_number,
        "The value is rescaled; one that does not fit the new precision or scale is refused.",
        "Hudi keeps the unscaled bytes where bytes back a decimal, or fixed types of one size: 56630.81 becomes 566.3081.",
    ),
    Deviation(
        "type_promotion",
        "decimals read as strings",
        _decimal_as_bytes,
        plain,
        "A decimal string, whatever backs the decimal.",
        "Hudi reads the two's-complement bytes of a bytes-backed decimal as UTF-8.",
    ),
    Deviation(
        "type_promotion",
        "decimal strings without exponents",
        _scientific,
        plain,
        "0.0000000000",
        "Hudi writes Java's scientific form (0E-10) from the sixth zero on; the plain form is what Spark 4 writes, and it sorts "
        "and compares as people expect.",
    ),
    Deviation(
        "type_promotion",
        "strings read as UUIDs",
        _no_uuid,
        as_uuid,
        "Text that is a UUID becomes its canonical form; anything else is refused.",
        "Hudi copies any string or number unchecked, `NaN` and `apple` included.",
    ),
    Deviation(
        "type_promotion",
        "numbers and strings read as decimals, whatever backs them",
        _into_bytes_backed,
        as_decimal,
        "Numbers and numeric strings become decimals whatever backs them; other strings are refused.",
        "Hudi raises for numbers, and stores the UTF-8 bytes of a string as if they were the decimal.",
    ),
    Deviation(
        "type_promotion",
        "bytes read as decimals",
        _decimal_from_bytes,
        by_way_of_text,
        "By way of strings, as two changes through string lead there: the bytes of `12.5` are 12.50, anything else is refused.",
        "Hudi takes bytes for the unscaled number of whatever scale is wanted, and gives out a decimal's bytes without it.",
    ),
    Deviation(
        "type_promotion",
        "columns whose type changed twice",
        _twice_changed,
        of_two_changes,
        "A number that was changed to string and then to binary is the bytes of its string; bytes become dates via strings.",
        "Hudi accepts both changes and then cannot read files from before the first.",
    ),
    Deviation(
        "type_promotion",
        "types that take the same number of bytes",
        _fixed_of_another_kind,
        refused,
        "Refused.",
        "Hudi copies the bytes of a decimal into a vector when the sizes happen to agree.",
    ),
    Deviation(
        "type_promotion",
        "blanks around a number",
        _blanks,
        as_decimal,
        "Ignored, as Spark's cast does.",
        "Hudi's Spark reader ignores them and its Avro reader raises: the same column reads from base files and not from logs.",
    ),
    Deviation(
        "type_promotion",
        "bytes that are not UTF-8",
        _not_utf8,
        refused,
        "Refused.",
        "Hudi replaces what is not UTF-8 by U+FFFD, and the value is gone.",
    ),
    Deviation(
        "type_promotion",
        "booleans read as strings",
        _boolean_text,
        truth,
        "`true` or `false`; the change itself stays refused.",
        "Versions of Hudi that accepted the change left tables that they cannot read.",
    ),
    Deviation(
        "type_promotion",
        "dates before 1582",
        _julian,
        plain,
        "Text of the proleptic Gregorian calendar, in which the days were counted.",
        "Hudi prints the day number in the Julian calendar, two or more days off.",
    ),
    Deviation(
        "type_promotion",
        "UUIDs read as bytes",
        _uuid_bytes,
        refused,
        "Refused.",
        "They may be its 16 bytes or those of its string; Hudi's own checks refuse the change too, only its rewriting does not.",
    ),
    Deviation(
        "type_promotion",
        "forms of date strings",
        _loose_date,
        as_day,
        "Text that Spark's cast takes for a date is one (`2024-02`, blanks around).",
        "Hudi's Avro and vectorised readers take `yyyy-mm-dd` only, its reader of rows goes by Spark's cast.",
    ),
)
