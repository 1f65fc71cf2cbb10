"""The scalar functions the core knows by name; each is defined by Spark SQL's meaning."""

from __future__ import annotations

from enum import Enum


class Function(Enum):
    """A known function; the value is its SQL name. Every one gives null when any argument is null, except COALESCE.

    SPLIT takes the number of the part that is wanted as its last argument, from 0.
    """

    CAST = "cast"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"
    NEGATE = "negative"
    ABS = "abs"
    CEIL = "ceil"
    FLOOR = "floor"
    ROUND = "round"
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
    SPLIT = "split"
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    DAY = "day"
    DAY_OF_WEEK = "dayofweek"
    DAY_OF_YEAR = "dayofyear"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"
    DATE = "date"
    DATE_TRUNC = "date_trunc"
    DATE_ADD = "date_add"
    DATE_SUB = "date_sub"
    UNIX_DATE = "unix_date"
    DATE_FORMAT = "date_format"
    UNIX_TIMESTAMP = "unix_timestamp"
    FROM_UNIXTIME = "from_unixtime"
