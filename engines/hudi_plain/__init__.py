"""The plain engine: Python values, one row at a time; no dependency, the reference in tests, the example to copy.

engine   the bundle
storage  tables in local folders
buffers  decoded columns to values and back
rows     batches of at most one row
values   operations on a Python value
"""
