"""Partition paths to values: what a row's folder says of its partition columns (the inverse of the key generators' paths).

A path is knowledge only when it can be read back without doubt; else its columns are unknown, which costs speed, not rows.
Rule KEY-13.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hudi_core.errors import HudiError
from hudi_core.keys.paths import HIVE_DEFAULT, LEGACY_DEFAULT, unescape
from hudi_core.options import TableConfig
from hudi_core.types import nodes as t
from hudi_core.values.text import parse_text

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
"""How generators write dates. Other digits may be a number of days, and no year."""
_INVERTIBLE = t.String | t.Enumeration | t.Uuid | t.Boolean | t.Int | t.Long | t.Float | t.Double | t.Decimal | t.Date


@dataclass(frozen=True, slots=True)
class PathValue:
    """What a path says of one column: every value lies between `lower` and `upper` (None: there is no value), nulls as said."""

    lower: object
    upper: object
    nulls: bool

    @property
    def is_exact(self) -> bool:
        """Every row has the value `lower`; None is null."""
        return self.lower is None or (self.lower is self.upper and not self.nulls)


def path_values(path: str, config: TableConfig, types: Sequence[t.Type]) -> tuple[PathValue | None, ...]:
    """For each partition field, in order, what the path says; None: nothing.

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
    if segment == LEGACY_DEFAULT:
        return PathValue("", LEGACY_DEFAULT, True)
    return PathValue(value, value, False)
