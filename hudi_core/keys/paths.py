"""Strings of partition paths: escapes, and what stands for null. Rule KEY-11."""

from __future__ import annotations

import re
from typing import Final

HIVE_DEFAULT: Final = "__HIVE_DEFAULT_PARTITION__"
"""Stands for null and for the empty string alike; both are read as null, as Apache Hudi reads them."""
LEGACY_DEFAULT: Final = "default"
"""What writers before 0.12 used in its place; a value like any other since."""

_SPECIAL = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
_SPECIAL_IN_NAMES = re.compile(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^_-]")
_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")


def escape(text: str) -> str:
    """The string with Hive's special characters as `%XX`; letters beyond ASCII stay.

    >>> escape("50% a/b"), escape("ü")
    ('50%25 a%2Fb', 'ü')
    """
    return _SPECIAL.sub(_hex, text)


def escape_name(text: str) -> str:
    """`escape` for names of files, where `_` and `-` part what they are made of."""
    return _SPECIAL_IN_NAMES.sub(_hex, text)


def unescape(text: str) -> str:
    """The string before `escape`: each `%` with two hexadecimal digits is one character; others stay."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _hex(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"
