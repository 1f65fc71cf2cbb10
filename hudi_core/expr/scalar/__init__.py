"""The known functions on values, as Spark SQL defines them without ANSI mode and in UTC: the meaning every engine gives.

apply       one known function of values, by Spark SQL's meaning without ANSI mode: the reference that every engine has to
            equal
arithmetic  arithmetic on values: integers wrap as Java's do, zero divisors give null, decimals round half up or overflow to
            null
cast        SQL's CAST of a value, as Spark does without ANSI mode and in UTC: what does not convert is null
dates       functions of dates and timestamps on values: days, and ticks of a unit, since 1970-01-01; in UTC
patterns    java's date patterns (`yyyy-MM-dd HH:mm:ss`): text of a point in time, and back
regex       java's regular expressions and LIKE patterns, written for Python's `re` and for RE2 so that both find the same
rounding    rounding of numbers: to whole ones, down or up, and to a number of decimal places, half away from zero
row         the truth of a predicate on one row in plain Python, for rows that are known without reading a file, and so
            without an engine
text        functions of text on values. Positions and lengths count characters; of bytes, bytes
"""
