"""Texts of JSON that anybody may have written. Rule FORMAT-830."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """The value of a text. Raises `ValueError` for one that is no JSON, and for nesting or numbers beyond what Python reads.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
