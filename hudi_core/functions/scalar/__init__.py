"""Meanings of functions on values, as Spark SQL defines them without ANSI mode and in UTC.

arithmetic  + - * / % negative abs, on integers that wrap, binary32 and binary64, and decimals
rounding    ceil, floor, round
cast        SQL's CAST; what does not convert is null
text        substring, trims, regular expressions, parts between their matches
dates       truncation of dates and timestamps
patterns    Java's date patterns, and texts by them
pattern_reading points in time read by date patterns
hashes      Spark's Murmur3 and xxHash
like        LIKE patterns
regex       Java's regular expressions and LIKE, for Python's `re` and for RE2
"""
