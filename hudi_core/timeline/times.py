"""Instant times as people write them: instants, dates, ISO times, epochs, Python's. Rules TIME-5, TIME-1297, TIME-1459."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

import numpy as np

from hudi_core.errors import UsageError, describe

Time = str | int | date | np.datetime64
"""A time of a query. A `datetime` is a `date`; one without a zone is in the timeline's, as a string is."""

EARLIEST = "000"
"""Sorts before every instant."""

_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:[.,]([0-9]{1,9}))?)?"
    r" ?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?",
    re.ASCII,
)
_EPOCHS = {10: 1000, 13: 1}
"""Milliseconds of an epoch's unit, by its number of digits: no instant has as few."""
_HOUR = re.compile("20[0-9]{8}")
_BEGINNINGS = {4: "%Y", 6: "%Y%m", 8: "%Y%m%d", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
"""Formats of the first digits of an instant, by their number."""
_SECONDS = 14
_INSTANTS = (_SECONDS, 17)
"""Digits of instants to the second and to the millisecond."""
_FIRST_YEAR = 1970
_EXPECTED = (
    "an instant (20261121124819754), a date (2026-11-21), a date and time (2026-11-21 12:48:19, an offset or Z may follow) or "
    "seconds or milliseconds since 1970"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_text(time: Time, name: str = "time") -> str:
    """A time as a string that `query_time` reads. A datetime with a zone is a moment, any other a wall clock's time.

    Raises `UsageError` about the argument of this name for other objects.

    >>> time_text(datetime(2024, 3, 1, 10, 20, 30)), time_text(datetime(2024, 3, 1, tzinfo=UTC)), time_text(date(2024, 3, 1))
    ('2024-03-01T10:20:30', '2024-03-01T00:00:00+00:00', '2024-03-01')
    """
    if isinstance(time, np.datetime64) and not np.isnat(time):
        time = time.astype("datetime64[us]").item()
    match time:
        case str():
            return time
        case datetime() if time == time:  # the missing time of pandas is not equal to itself
            try:
                return (time if time.tzinfo is None else time.astimezone(UTC)).isoformat()
            except OverflowError:
                expected = "a time that UTC has from the year 1 to 9999"
                raise UsageError(name, expected=expected, found=time.isoformat()) from None
        case date() if time == time:
            return time.isoformat()
        case bool():
            pass
        case int():
            return str(time)
    raise UsageError(name, expected="a string, datetime or date", found=describe(time))


def query_time(text: str, zone: tzinfo | None = None, name: str = "time") -> str:
    """An instant time as people write it, in the form in which the timeline has it.

    Accepted are an instant (`yyyyMMddHHmmss[SSS]`), a date, a date and time (`yyyy-MM-dd HH:mm[:ss[.SSS]]`, or with a T), either
    with an offset or Z, seconds and milliseconds since 1970 (10 and 13 digits). Without an offset the time is in the
    timeline's zone; with one it is brought there: `zone`, None for the machine's own. Digits beyond milliseconds are cut.
    Shorter and longer rows of digits stand for themselves, also the 10 of an instant to the hour (`yyyyMMddHH`) of this
    century: as seconds they are after 2033. Raises `UsageError` about the argument of this name.

    >>> query_time("2024-03-01 10:20:30")
    '20240301102030000'
    >>> query_time("2024-03-01T10:20:30+02:00", UTC)
    '20240301082030000'
    """
    stripped = text.strip()
    try:
        if stripped.isascii() and stripped.isdigit():
            return _digits(stripped, zone)
        match = _DATE.fullmatch(stripped)
        if match is None:
            raise ValueError(text)
        day, clock, fraction, offset = match.groups()
        millis = int(f"{fraction or '':0<3}"[:3])
        wall = datetime.fromisoformat(f"{day} {clock or '00:00'}{_offset(offset)}") + timedelta(milliseconds=millis)
        return _instant(wall if offset is None else wall.astimezone(zone))
    except (ValueError, OverflowError, OSError):
        raise UsageError(name, expected=_EXPECTED, found=repr(text)) from None


def _digits(digits: str, zone: tzinfo | None) -> str:
    if len(digits) in _EPOCHS and not _is_hour(digits):
        since = timedelta(milliseconds=int(digits) * _EPOCHS[len(digits)])
        return _instant((_EPOCH + since).astimezone(zone))
    # Metadata tables begin with instants of zeros, which are no dates.
    if len(digits) in _INSTANTS and not digits.startswith("0000"):
        datetime.strptime(digits[:_SECONDS], _BEGINNINGS[_SECONDS])
    return digits


def _is_hour(digits: str) -> bool:
    return _HOUR.fullmatch(digits) is not None and begins_instant(digits)


def begins_instant(digits: str) -> bool:
    """Whether digits are an instant from 1970 on, the first ones of it, or it and those that a metadata table appends, or begin
    with a zero, which sorts before all times. TIME-1459.

    >>> begins_instant("202403"), begins_instant("20240301102030000"), begins_instant("000"), begins_instant("3")
    (True, True, True, False)
    """
    if digits.startswith("0"):
        return True
    try:
        return datetime.strptime(digits[:_SECONDS], _BEGINNINGS[min(len(digits), _SECONDS)]).year >= _FIRST_YEAR
    except (KeyError, ValueError):
        return False


def refuse_digits(digits: str, name: str) -> None:
    """Raises `UsageError` about an argument of this name whose digits are no time."""
    raise UsageError(name, expected=_EXPECTED, found=repr(digits))


def _offset(offset: str | None) -> str:
    return "" if offset is None else "+00:00" if offset == "Z" else offset if len(offset) > 3 else f"{offset}:00"


def _instant(wall: datetime) -> str:
    return f"{wall.year:04}{wall:%m%d%H%M%S}{wall.microsecond // 1000:03}"
