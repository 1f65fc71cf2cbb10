"""Which key and partition path a row has, and what keys and paths say of rows. Rules: `specs/keys.md`.

records      a record at the edge: its key, where it is stored
choose       options, or a table's properties, to a generator
options      the options of generators, typed
generator    what a generator does, as data
bound        a generator bound to a schema: keys over any engine's columns
texts        the text of a value
times        the part of a path that a time makes, over columns
clock        how a time is read and printed
joda         date patterns, and printing
joda_read    reading by date patterns
zones        time zones by Java's names
composite    keys of several fields, put together and taken apart
paths        escapes of partition paths, and what stands for null
path_values  partition path → values of the partition columns
known        which keys rows have whose key columns have certain values
user         generators of your own
"""
