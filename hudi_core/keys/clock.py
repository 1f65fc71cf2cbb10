"""Timestamp-based partition paths: the time in a field, printed in the wanted form. Rules KEY-14 to KEY-18."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from hudi_core.keys.joda import JodaPattern, print_instant
from hudi_core.keys.joda_read import is_match, read_instant
from hudi_core.keys.zones import UTC, Zone
from hudi_core.values.domain import LONG_RANGE


class TimeUnit(Enum):
    """Java's units of time; the value is a unit's nanoseconds."""

    NANOSECONDS = 1
    MICROSECONDS = 1_000
    MILLISECONDS = 1_000_000
    SECONDS = 1_000_000_000
    MINUTES = 60 * 1_000_000_000
    HOURS = 3600 * 1_000_000_000
    DAYS = 86_400 * 1_000_000_000

    def millis(self, count: int) -> int:
        """Milliseconds, cut towards zero, at the nearest end of 64 bits beyond them, as Java's `TimeUnit.convert` does."""
        nanos = count * self.value
        millis_of_count = nanos // 1_000_000 if nanos >= 0 else -(-nanos // 1_000_000)
        return min(max(millis_of_count, LONG_RANGE[0]), LONG_RANGE[1])


@dataclass(frozen=True, slots=True)
class Clock:
    """How a time is read and printed.

    Numbers count `unit`; None: the field is a string in one of `inputs`. Without `output_zone` a number is printed in the
    machine's zone, a string in its own.
    """

    output: JodaPattern
    unit: TimeUnit | None = None
    inputs: tuple[JodaPattern, ...] = ()
    input_zone: Zone | None = None
    output_zone: Zone | None = None
    this_year: int = 2025
    """Decides the century of years with two digits."""

    def of_null(self, machine: Zone) -> str:
        """The time of a null: one unit, or one millisecond, after 1970 began (a value like any other)."""
        if self.unit is not None:
            return CountPrinter(self, self.unit, machine)(1)
        text = print_instant(1, self.input_zone or self.output_zone or UTC, self.inputs[0])
        return TextPrinter(self, machine)(text) or ""


@dataclass(frozen=True, slots=True)
class CountPrinter:
    """The path of a number of units since 1970-01-01T00:00:00Z."""

    clock: Clock
    unit: TimeUnit
    machine: Zone

    def __call__(self, count: Any) -> str:
        return print_instant(self.unit.millis(count), self.clock.output_zone or self.machine, self.clock.output)

    @property
    def coarse(self) -> tuple[int, int]:
        """How many units may be taken for one, and from which count on; 1 where each counts."""
        zone = self.clock.output_zone or self.machine
        seconds, since = zone.step(self.clock.output.step) if self.clock.output.step else (0, 0)
        step = seconds * TimeUnit.SECONDS.value // self.unit.value
        if step <= 1:
            return 1, 0
        if self.unit.value < TimeUnit.MILLISECONDS.value:  # these are cut towards zero
            since = max(since, 0)
        return step, max(since * TimeUnit.SECONDS.value // self.unit.value, LONG_RANGE[0] + step)


@dataclass(frozen=True, slots=True)
class TextPrinter:
    """The path of a time in a string; None for a string that is of no form."""

    clock: Clock
    machine: Zone

    def __call__(self, text: str) -> str | None:
        clock = self.clock
        form = next((form for form in clock.inputs if is_match(text, form)), None)
        if form is None:
            return None
        zone = clock.input_zone or self.machine
        instant = read_instant(text, form, zone, clock.this_year)
        if instant is None:
            return None
        shown = clock.output_zone or clock.input_zone or instant.zone
        return print_instant(instant.millis, shown, clock.output)


@dataclass(frozen=True, slots=True)
class MomentPrinter:
    """The path of a point in time, in units since 1970-01-01T00:00:00Z: cut to milliseconds, towards the past or towards 1970."""

    clock: Clock
    unit: TimeUnit
    machine: Zone
    floors: bool

    def __call__(self, ticks: int) -> str:
        millis = ticks * self.unit.value // 1_000_000 if self.floors else self.unit.millis(ticks)
        return print_instant(millis, self.clock.output_zone or self.machine, self.clock.output)
