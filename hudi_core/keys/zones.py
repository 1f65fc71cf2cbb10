"""Time zones by Java's names: regions, offsets (`GMT+8:00`) and the abbreviations that Joda reads as regions."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from dataclasses import dataclass
from functools import cache
from math import gcd

from hudi_core.errors import UsageError
from hudi_core.values.calendar import is_region

_OFFSET = re.compile(r"GMT([+-])(\d{1,2})(?::?(\d{2}))?", re.ASCII)
_ZERO = ("UTC", "GMT", "UT", "Z", "Etc/UTC", "Etc/GMT")
_REGIONS = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "CET",
    "EST": "America/New_York",
    "HST": "Pacific/Honolulu",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MET": "CET",
    "MIT": "Pacific/Apia",
    "MST": "America/Denver",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
"""Joda's zones for Java's three-letter names: zones with summer time, whatever the letters mean."""

_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST, _LAST = -62_135_510_400, 253_402_214_400  # a day within the years 1 and 9999
_CALM = 315_532_800
"""1980-01-01: since then clocks have changed on whole minutes only, and differ from UTC by quarters of an hour."""
_KNOWN = 4_102_444_800
"""2100-01-01: what changes clocks later than that does so by the same rules."""
_WEEK = 7 * 86_400
"""Clocks are not put forward and back within it."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A time zone: a region when it has a name, else an offset in seconds."""

    offset: int = 0
    region: str = ""

    def ahead(self, seconds: int) -> int:
        """The seconds by which the zone's clocks are ahead of UTC at an instant, in seconds since 1970-01-01T00:00:00Z.

        Beyond the years 1 to 9999 it is the nearest one's.
        """
        if not self.region:
            return self.offset
        clock = (_EPOCH + datetime.timedelta(seconds=min(max(seconds, _FIRST), _LAST))).replace(tzinfo=datetime.UTC)
        return _shift(clock.astimezone(_info(self.region)))

    def instant(self, seconds: int) -> int | None:
        """The instant at which the zone's clocks show `seconds` since 1970-01-01T00:00:00, the first of two.

        None for a time that the clocks skip.
        """
        if not self.region:
            return seconds - self.offset
        clock = _EPOCH + datetime.timedelta(seconds=min(max(seconds, _FIRST), _LAST))
        instant = seconds - _shift(clock.replace(tzinfo=_info(self.region)))
        return instant if instant + self.ahead(instant) == seconds else None

    def step(self, seconds: int) -> tuple[int, int]:
        """How far an instant may be rounded with its clock time still known to `seconds`, a divisor of a day, and from when on.

        Two instants after the second number, both of one quotient by the first, show one clock time.
        """
        if self.region:
            return gcd(seconds, _grain(self.region)), _CALM
        return gcd(seconds, self.offset), -(2**62)


UTC = Zone()


def parse_zone(name: str, option: str) -> Zone:
    """The zone of a name. Raises `UsageError` with the option for one that is not known (Java would take it for GMT).

    >>> parse_zone("GMT+5:30", "zone"), parse_zone("Asia/Tokyo", "zone").ahead(0)
    (Zone(offset=19800, region=''), 32400)
    """
    if name in _ZERO:
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset and int(offset[2]) < 24 and int(offset[3] or 0) < 60:
        seconds = int(offset[2]) * 3600 + int(offset[3] or 0) * 60
        return Zone(-seconds if offset[1] == "-" else seconds)
    region = _REGIONS.get(name, name)
    if not is_region(region):
        raise UsageError(option, expected="a time zone, as `UTC`, `GMT+8:00` or `Europe/Paris`", found=repr(name))
    return Zone(region=region)


@cache
def _info(region: str) -> zoneinfo.ZoneInfo:
    return zoneinfo.ZoneInfo(region)


@cache
def _grain(region: str) -> int:
    """The greatest number of seconds that divides all differences from UTC since 1980, and all instants at which they change."""
    zone = Zone(region=region)
    step = 0
    for start in range(_CALM, _KNOWN, _WEEK):
        before, after = zone.ahead(start), zone.ahead(start + _WEEK)
        step = gcd(step, before)
        if before != after:
            step = gcd(step, _change(zone, start, start + _WEEK, before))
    return step


def _change(zone: Zone, start: int, end: int, before: int) -> int:
    """The first second at which a zone's clocks are no longer ahead by `before`."""
    while end - start > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if zone.ahead(middle) == before else (start, middle)
    return end


def _shift(clock: datetime.datetime) -> int:
    shift = clock.utcoffset()
    return int(shift.total_seconds()) if shift is not None else 0
