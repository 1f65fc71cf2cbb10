"""Times as they are typed: a number of seconds, minutes, hours or days."""

from __future__ import annotations

import re
from typing import Final

from hudi_core.errors import UsageError

_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)")


def seconds_of(name: str, text: str) -> float:
    """The seconds of a time such as `10m`. Raises `UsageError` for another text."""
    matched = _DURATION.fullmatch(text.strip())
    if matched is None or float(matched[1]) <= 0:
        raise UsageError(name, expected="a time, as 30s, 10m, 1h or 1d", found=repr(text))
    return float(matched[1]) * _SECONDS[matched[2]]
