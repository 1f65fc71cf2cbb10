"""The plain engine: Python values, one row at a time; no dependency, the reference in tests, the example to copy.

values   operations on a Python value
engine   the bundle
"""
