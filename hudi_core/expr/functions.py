"""The scalar functions the core knows by name; each is defined by Spark SQL's meaning."""

from __future__ import annotations

from enum import Enum


class Function(Enum):
    """A known function; the value is its SQL name. Every one gives null when any argument is null, except COALESCE."""

    CAST = "cast"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"
    NEGATE = "negative"
    ABS = "abs"
    COALESCE = "coalesce"
    LOWER = "lower"
    UPPER = "upper"
    LENGTH = "length"
    SUBSTRING = "substring"
    CONCAT = "concat"
    TRIM = "trim"
    LTRIM = "ltrim"
    RTRIM = "rtrim"
    REGEXP_REPLACE = "regexp_replace"
    REGEXP_EXTRACT = "regexp_extract"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    DATE = "date"
    DATE_TRUNC = "date_trunc"
    DATE_ADD = "date_add"
    DATE_SUB = "date_sub"
    DATE_FORMAT = "date_format"
    UNIX_TIMESTAMP = "unix_timestamp"
    FROM_UNIXTIME = "from_unixtime"
