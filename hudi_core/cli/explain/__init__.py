"""`explain`: why a query reads the file slices it reads, as text, as data, and as a page with pictures.

command  `explain`: how many slices each step removed, in what time, which slices are left, and why
drawing  the picture of one column as SVG: the ranges of slices against the values that can match, kept and skipped apart
page     the explanation of a plan as one self-contained HTML page: how many are left, who removed what, where the values lie
picture  what a drawing of value ranges against a predicate needs, for one column: places between 0 and 1, and texts
scale    values of a column on an axis from 0 to 1, and the round values that are written below it
"""
