"""Drawings of what is known of slices against a predicate.

picture  what a drawing of value ranges needs, for one column: places between 0 and 1, and texts
ranges   the ranges of a column in some slices, as values
scale    values of a column on an axis from 0 to 1, with round ticks
"""
