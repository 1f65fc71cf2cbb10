"""Rows: rules that look at values, written once over an engine's operations.

truth    the truth of a predicate on every row of a batch
project  a batch of one schema as rows of another
"""
