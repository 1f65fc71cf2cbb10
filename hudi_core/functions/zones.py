"""Points in time moved by what clocks of a zone show, whatever the session's zone is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hudi_core.functions import parameters as p
from hudi_core.functions.record import Argument, Function, Signature
from hudi_core.types import nodes as t
from hudi_core.values.calendar import is_zone, zone_offset, zone_shift


def _sign(arguments: Sequence[Argument]) -> Signature | None:
    """The zone is a constant that is known; that of a column is not."""
    if arguments[1].is_null:
        return Signature((), t.Timestamp(), null=True)
    zone = p.find_known_string(arguments[1])
    if zone is None or not is_zone(zone):
        return None
    data_type = p.moment(arguments[0])
    return Signature((t.Timestamp(data_type.unit), t.String()), t.Timestamp(data_type.unit))


def _move(
    sign: int, ahead: Callable[[int, str], int], values: Sequence[Any], types: Sequence[t.Type], result_type: t.Type
) -> int | None:
    ticks, zone = values
    assert isinstance(result_type, t.Timestamp)
    per_second = result_type.unit.value
    return p.within_long(ticks + sign * ahead(ticks // per_second, zone) * per_second)


FUNCTIONS = (
    Function("from_utc_timestamp", range(2, 3), _sign, partial(_move, 1, zone_offset)),
    Function("to_utc_timestamp", range(2, 3), _sign, partial(_move, -1, zone_shift)),
)
