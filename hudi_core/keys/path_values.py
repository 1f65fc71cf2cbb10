"""Partition paths read back: the values that their strings stand for, what a row's folder implies of its partition columns.

A path is knowledge only when it can be read back without doubt; else its columns are unknown, which costs speed, not rows.
Rule KEY-13.

Escapes, and what stands for null in a path: rule KEY-11.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_core.errors import HudiError
from hudi_core.options import TableConfig
from hudi_core.types import nodes as t
from hudi_core.values.text import parse_text

HIVE_DEFAULT: Final = "__HIVE_DEFAULT_PARTITION__"
"""Stands for null and for the empty string alike; both are read as null, as Apache Hudi reads them."""
LEGACY_DEFAULT: Final = "default"
"""The name that writers before 0.12 used in its place; a value like any other since."""

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


def escape_path_in_name(path: str) -> str:
    """`escape_name` of a partition path, also of the dots before its first `=`: those of a column's name.

    >>> escape_path_in_name("a.b=1.5"), escape_path_in_name("1.5")
    ('a%2Eb%3D1.5', '1.5')
    """
    column, sign, value = path.partition("=")
    return escape_name(column).replace(".", "%2E") + escape_name(sign + value) if sign else escape_name(path)


def unescape(text: str) -> str:
    """The string before `escape`: each `%` with two hexadecimal digits is one character; others stay."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _hex(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
"""How generators write dates. Other digits may be a number of days, and no year."""
_INVERTIBLE = t.String | t.Enumeration | t.Uuid | t.Boolean | t.Int | t.Long | t.Float | t.Double | t.Decimal | t.Date


@dataclass(frozen=True, slots=True)
class PathValue:
    """The values of one column that a path implies: they lie between `lower` and `upper` (None: there is no value), nulls as
    noted."""

    lower: object
    upper: object
    nulls: bool

    @property
    def is_exact(self) -> bool:
        """Every row has the value `lower`; None is null."""
        return self.lower is None or (self.lower is self.upper and not self.nulls)


def path_values(path: str, config: TableConfig, types: Sequence[t.Type]) -> tuple[PathValue | None, ...]:
    """For each partition field, in order, what the path implies; None: nothing.

    `types` are the fields' types. Unknown are: fields of a generator that formats a time or is not known, strings that do not
    parse as the column's type, and every field when the path's depth does not fit.
    """
    fields = config.partition_fields
    unknown: tuple[PathValue | None, ...] = (None,) * len(fields)
    if not fields or config.slash_separated_dates:
        return unknown
    segments = [path] if len(fields) == 1 else path.split("/")
    if len(segments) != len(fields):
        return unknown
    return tuple(
        _value(segment, name, kind, config) if _plain(config, position) else None
        for position, (segment, name, kind) in enumerate(zip(segments, fields, types, strict=True))
    )


def _plain(config: TableConfig, position: int) -> bool:
    """The field's path text is its value's text."""
    match config.key_generator:
        case "SIMPLE" | "SIMPLE_AVRO" | "COMPLEX" | "COMPLEX_AVRO":
            return True
        case "CUSTOM" | "CUSTOM_AVRO":
            return config.partition_field_types[position].upper() == "SIMPLE"
        case _:
            return False


def is_value_of_path(config: TableConfig, position: int, type: t.Type) -> bool:
    """Whether paths are made so that they give the value of the partition field at a position, of this type."""
    return _plain(config, position) and isinstance(type, _INVERTIBLE) and not config.slash_separated_dates


def _value(segment: str, name: str, type: t.Type, config: TableConfig) -> PathValue | None:
    if config.hive_style_partitioning:
        if not segment.startswith(f"{name}="):
            return None
        segment = segment[len(name) + 1 :]
    if segment == HIVE_DEFAULT:
        return PathValue(None, None, True)
    if config.url_encode_partitioning:
        segment = unescape(segment)
    if not isinstance(type, _INVERTIBLE) or (isinstance(type, t.Date) and not _DATE.fullmatch(segment)):
        return None
    try:
        value = segment if isinstance(type, t.String) else parse_text(segment, type)
    except HudiError:
        return None
    if segment == LEGACY_DEFAULT and not config.drop_partition_columns:  # no file says which of them it is
        return PathValue("", LEGACY_DEFAULT, True)
    return PathValue(value, value, False)
