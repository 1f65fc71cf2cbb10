"""What a command prints on a terminal of some width, or into a pipe, in this process."""

from __future__ import annotations

import os
import re
from unittest.mock import patch

from tests.support.commands import Ran, ran

_STYLES = re.compile(r"\x1b\[[0-9;]*m")
_HEADING = re.compile(r"(?<=left  )time {2,}")
"""The heading of a column of times, which is as wide as these."""
_TIMES = re.compile(r" *[0-9.,]+ (?:µs|ms|s)\b *")


def screen(width: int | None, *arguments: object) -> Ran:
    """What a command printed, without colours; no width is a pipe."""
    wide = {} if width is None else {"COLUMNS": str(width), "FORCE_COLOR": "1", "TERM": "xterm", "LINES": "50"}
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with patch.dict(os.environ, {**kept, **wide}, clear=True):
        printed = ran(*arguments)
    return Ran(printed.status, _STYLES.sub("", printed.out), printed.err)


def without_times(text: str) -> str:
    """A text without what differs from run to run."""
    lines = (_HEADING.sub("time  ", _TIMES.sub(" TIME ", line)).rstrip() for line in text.splitlines())
    return "\n".join(lines) + "\n"
