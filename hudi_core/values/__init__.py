"""Values: the one Python form of each type's values.

calendar  the proleptic Gregorian calendar on integers, for every year a 32-bit date or a 64-bit timestamp can hold
cast      one value from a type to another: exactly the ways of `types.promote`, on values in the form of `values.domain`
domain    the one Python form of each type's values: checking a value, and bringing Python's own forms to it
json      the JSON form of values, as the command line writes it, and back
order     the total order of each type: what every comparison, cut, bound and sort goes by
text      one line of text for a value of a primitive type, and back: Spark's `CAST(... AS STRING)` and `CAST(text AS ...)` in
          UTC
"""
