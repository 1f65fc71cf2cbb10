"""Rows: rules that look at values, written once over an engine's operations.

project  A read plan run: rows as a file stores them become rows of the wanted schema, by an engine's operations alone
truth    the truth of a predicate on every row of a batch: the rules of `expr.outcomes`, for a row is a file with one row
"""
