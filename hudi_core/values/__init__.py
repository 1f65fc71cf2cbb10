"""Values: the one Python form of each type's values.

domain    what form a value has; checking one, and bringing Python's own forms to it
order     the total order of each type
calendar  days, months and clock times as integers, for every year a table can hold
text      one line of text for a value of a primitive type, and back
json      the JSON form
cast      one conversion per row of `types/promote`
"""
