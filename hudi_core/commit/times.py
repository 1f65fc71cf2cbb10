"""New instant times: later than all that the timeline has. Rule COMMIT-5."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from time import time_ns
from typing import Any, Final

from hudi_core.errors import UsageError, describe
from hudi_core.timeline.timeline import Timeline

Clock = Callable[[], datetime]
"""Gives the time, with its zone."""

_FORMATS = {14: "%Y%m%d%H%M%S", 17: "%Y%m%d%H%M%S%f"}
_YEARS: Final = (1970, 9998)
"""A lock counts for some minutes from now on, and instants follow one another."""
_MILLISECOND = timedelta(milliseconds=1)


def system_clock() -> datetime:
    """The machine's clock, in UTC."""
    return datetime.fromtimestamp(time_ns() / 1e9, UTC)


def read_clock(clock: Clock) -> datetime:
    """The clock's time. Raises `UsageError` for what is none that instants can have, also some time later. Rule COMMIT-1685."""
    now: Any = clock()
    if isinstance(now, datetime) and _YEARS[0] <= now.year <= _YEARS[1]:
        return now
    expected = f"a datetime of a year from {_YEARS[0]} to {_YEARS[1]}"
    raise UsageError("clock", expected=expected, found=now.isoformat() if isinstance(now, datetime) else describe(now))


def next_time(timeline: Timeline, clock: Clock = system_clock, after: Iterable[str] = ()) -> str:
    """A time in the timeline's zone, greater than every requested and completion time of the timeline and than `after`.

    The clock's time; where an instant lies ahead of it, by a writer with another zone or a clock that is fast, the next
    millisecond after that.
    """
    latest = max((*_times(timeline), *after), default="")
    now = time_of(read_clock(clock), timeline.zone)
    return now if now > latest else _following(latest)


def time_of(moment: datetime, zone: tzinfo | None) -> str:
    """A moment as an instant time of 17 digits; without a zone in the machine's own."""
    local = moment.astimezone(zone)
    return local.strftime("%Y%m%d%H%M%S") + f"{local.microsecond // 1000:03d}"


def _times(timeline: Timeline) -> Iterable[str]:
    for instant in timeline.instants:
        for time in (instant.requested_time, instant.completion_time):
            if time is not None and len(time) in _FORMATS:
                yield f"{time}999" if len(time) == 14 else time


def _following(time: str) -> str:
    whole = time[:14]
    moment = datetime.strptime(whole, _FORMATS[14]).replace(tzinfo=UTC)
    return time_of(moment + timedelta(milliseconds=int(time[14:17])) + _MILLISECOND, UTC)
