"""Signs of reports where the character set lacks them: each becomes one sign of ASCII, so that columns stay under each other.

Rule CLI-672.
"""

from __future__ import annotations

import codecs
from typing import Final

PLAIN_SIGNS: Final = "hudi-core-plain-signs"
"""The name of the handling of what a character set lacks, as `reconfigure(errors=…)` takes it."""

_PLAIN: Final = {
    "█": "#",
    "░": ".",
    "▁": "_",
    "─": "-",
    "│": "|",
    "├": "|",
    "└": "`",
    "…": "~",
    "−": "-",
    "–": "-",
    "·": "-",
    "→": ">",
    "µ": "u",
    "×": "x",
    "’": "'",
    "“": '"',
    "”": '"',
}


def _plain(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    lacking = problem.object[problem.start : problem.end]
    return "".join(_PLAIN.get(sign, "?") for sign in lacking), problem.end


codecs.register_error(PLAIN_SIGNS, _plain)
