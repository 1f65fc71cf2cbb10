"""The functions of SQL: one record for each, with all that is known of it.

record       the fields of a record: names, signature, meaning, where it rises and falls, Spark's function of the same meaning.
             Where parts of strings follow the order of the whole is `expr/preimage`'s
registry     all records by name
parameters   kinds of parameters, for signatures
coerce       which type two values are compared or calculated in
calendar     days and ticks as numbers, and as arrays of numbers
scalar       meanings that take more than a line

The records
arithmetic   + - * / % DIV, negative, abs
array_edits  arrays with an element more, repeated, in order
arrays       arrays put together, sorted, compared as sets
bits         bits of ints and longs
casts        CAST
choices      greatest, least, nanvl, elt
codes        sounds of names, check digits, texts of URLs
collections  arrays, maps, structs
dates        parts of dates and of the clock, days added, truncation
documents    JSON texts
encodings    codes of characters, texts of bytes, hashes
lambdas      functions of an array and a lambda
maps         maps of arrays and of other maps
matching     LIKE and RLIKE with patterns that are values
mathematics  roots, powers, logarithms, angles, pmod
moments      timestamps as counts, and moved by units
months       months, weeks, dates from their parts
numbers      ceil, floor, round
regexes      matches of regular expressions: counted, found, listed
searching    finding, replacing, padding
strings      case, length, substring, trims, regular expressions
texts        masks, digits of a base, character sets, URLs, names of types
times        date patterns, seconds since 1970
tried        arithmetic that gives null in place of a result that does not fit
zones        points in time as clocks of a zone show them
"""
