"""Which key and partition path a row has.

records   a record at the edge: its key, where it is stored
"""
