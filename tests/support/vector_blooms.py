"""Keys as the vectors of bloom filters write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def keys_of(written: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """The keys of a list, or of a run of numbers between a prefix and a suffix, either of which may be absent."""
    if not isinstance(written, Mapping):
        return list(written)
    numbers = range(written["from"], written["from"] + written["count"])
    return [f"{written.get('prefix', '')}{number}{written.get('suffix', '')}" for number in numbers]
