"""Deviations of the times of instants. A question holds `ask` and the `text`."""

from __future__ import annotations

import re
from datetime import datetime

from tests.conformance.deviations import Deviation, Question, always, refused

_LENGTHS = {14: "%Y%m%d%H%M%S", 17: "%Y%m%d%H%M%S"}
"""Digits of an instant: to the second, and to the millisecond."""


def _no_date(q: Question) -> bool:
    """Digits of a date and time that the calendar does not have. Metadata tables begin with instants of zeros."""
    text = q["text"]
    if q["ask"] != "valid" or not text.isdigit() or len(text) not in _LENGTHS or text.startswith("0000"):
        return False
    try:
        datetime.strptime(text[:14], _LENGTHS[len(text)])
    except ValueError:
        return True
    return False


def _uncut(q: Question) -> bool:
    return q["ask"] == "order" and len(q["text"]) > 17


def _other_epoch(q: Question) -> bool:
    return q["ask"] == "epoch" and not re.fullmatch(r"\d{13}", q["text"])


def _itself_or_refused(q: Question) -> object:
    return q["text"] if q["text"].isdigit() else refused(q)


def _in_digits(q: Question) -> str:
    at = datetime.fromisoformat(q["text"])
    return f"{at:%Y%m%d%H%M%S}{at.microsecond // 1000:03}"


def _to_the_second(q: Question) -> bool:
    return q["ask"] == "date" and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", q["text"]) is not None


def _other_form(q: Question) -> bool:
    form = r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?| \d\d:\d\d)?"
    return q["ask"] == "date" and re.fullmatch(form, q["text"]) is not None


INSTANTS = (
    Deviation(
        "instants",
        "a date that the calendar does not have",
        _no_date,
        always(False),
        "Refused as a time to ask about.",
        "Hudi takes whatever digits, the 30th of February and the 13th month too.",
    ),
    Deviation(
        "instants",
        "more digits than milliseconds",
        _uncut,
        lambda q: q["text"],
        "Such a time stands for itself.",
        "Hudi cuts it and forgets that it comes after the millisecond's own instant.",
    ),
    Deviation(
        "instants",
        "milliseconds since 1970 of other than 13 digits",
        _other_epoch,
        _itself_or_refused,
        "Only 13 digits (2001 to 2286) are milliseconds, and 10 are seconds; other digits stand for themselves.",
        "Digits alone do not say whether they are a date, seconds or milliseconds; the length does.",
    ),
    Deviation(
        "instants",
        "a time to the second is its beginning",
        _to_the_second,
        _in_digits,
        "`01:02:03` is `01:02:03.000`.",
        "Hudi takes the last millisecond of the second; a time that people write is that time.",
    ),
    Deviation(
        "instants",
        "dates and times in other forms",
        _other_form,
        _in_digits,
        "A date alone, minutes without seconds, and a `T` between date and time are read.",
        "Hudi raises a `DateTimeParseException`.",
    ),
)
