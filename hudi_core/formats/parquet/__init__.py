"""Parquet's metadata, read from a footer's own bytes: which statistics may be trusted, and where pages lie.

thrift      Thrift's compact protocol
chunks      column chunks of a footer: value and null counts, encoded bounds
leaves      statistics of leaf columns as values, unknown where in doubt
page_index  the first row and the place of each data page
"""
