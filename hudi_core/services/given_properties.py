"""Properties that a caller gives to a service, over those of the table. Rule UPKEEP-1241."""

from __future__ import annotations

import difflib
from typing import Final

from hudi_core.errors import UsageError
from hudi_core.service_properties import READ, is_of_others, refuse_unknown
from hudi_core.stated_properties import property_texts

FILE_BYTES: Final = "hoodie.parquet.max.file.size"
"""The one property of writes that a service reads: a compaction."""


def read_given(properties: object, where: str = "properties") -> dict[str, str]:
    """The properties by name, as texts.

    Raises `UsageError`, at `where`, for what is no mapping, for a property that no service of this library reads, and for a value
    that is not of its kind.
    """
    texts = property_texts(properties, where)
    refuse_unknown(texts, where)
    for name in texts:
        if name not in READ and name != FILE_BYTES:
            near = [] if is_of_others(name) else difflib.get_close_matches(name, sorted(READ), n=2)
            expected = f"one of {', '.join(near)}" if near else "a property that some service of this library reads"
            raise UsageError(where, expected=expected, found=name)
    return texts
