"""Keys of the secondary index: an indexed value and a record key in one string. Rule FORMAT-13."""

from __future__ import annotations

import re

from hudi_core.columns.hashes import file_group_index
from hudi_core.errors import CorruptFileError

_SPECIAL = re.compile(r"([\\$\0])")
_KEY = re.compile(r"((?:[^\\$]|\\.)*)\$((?:[^\\$]|\\.)*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NULL = "\0"


def secondary_key(value: str | None, record_key: str) -> str:
    """The row key of one record under one value of the indexed column."""
    return secondary_prefix(value) + _escape(record_key)


def secondary_prefix(value: str | None) -> str:
    """What the row keys of all records with this value start with, and no others do."""
    return f"{_NULL if value is None else _escape(value)}$"


def split_secondary_key(key: str, where: str) -> tuple[str | None, str]:
    """The value and the record key of a row key; `where` names the file in a `CorruptFileError`."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise CorruptFileError(where, expected="a secondary key with one unescaped '$'", found=repr(key))
    value, record_key = match.groups()
    return None if value == _NULL else _unescape(value), _unescape(record_key)


def secondary_file_group_index(value: str | None, groups: int) -> int:
    """Which file group holds a value's keys, for an index of version V2: all of a value share one.

    In version V1 each whole key has its own group: `file_group_index` of the key.
    """
    return file_group_index(secondary_prefix(value), groups)


def _escape(string: str) -> str:
    return _SPECIAL.sub(r"\\\1", string)


def _unescape(string: str) -> str:
    return _ESCAPE.sub(r"\1", string)
