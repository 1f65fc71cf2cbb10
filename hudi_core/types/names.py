"""Names that Avro allows, which those of columns are: every commit stores the schema as Avro."""

from __future__ import annotations

import re
from typing import Final, TypeGuard

_NAME: Final = re.compile(r"[^\W\d]\w*")
"""Letters of any script, as Avro's Java library takes them; the specification has ASCII only, where Python's identifiers
are these names."""


def is_name(name: object) -> TypeGuard[str]:
    """A name that Avro allows: a letter or `_`, then letters, digits or `_`.

    >>> is_name("größe"), is_name("1a"), is_name("a-b")
    (True, False, False)
    """
    if not isinstance(name, str):
        return False
    return name.isidentifier() if name.isascii() else _NAME.fullmatch(name) is not None
