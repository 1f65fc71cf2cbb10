"""Rows: rules that look at values, written once over an engine's operations.

exact_types    rows in the types of a table's columns where only their form differs, exactly or not at all
outside_files  files of rows outside of tables: local paths, and URLs of any store that holds tables
project        execution of a read plan: converts stored rows to rows of the wanted schema by an engine's kernels
truth          the truth of a predicate on every row of a batch: the rules of `expr.outcomes`, for a row is a file with one row
folds          the rows in which a fold has a part without a result
"""
