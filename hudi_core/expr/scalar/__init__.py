"""The known functions on values, as Spark SQL defines them without ANSI mode and in UTC: the meaning every engine gives.

apply       one function of values; null in, null out
arithmetic  + - * / % negative abs, on integers that wrap, binary32 and binary64, and decimals
rounding    ceil, floor, round
cast        SQL's CAST; what does not convert is null
text        lower, upper, length, substring, concat, trims, regular expressions, parts between their matches
dates       parts, truncation, sums and texts of dates and timestamps
patterns    Java's date patterns
row         the truth of a predicate on one row
regex       Java's regular expressions and LIKE, for Python's `re` and for RE2
"""
