"""The Arrow engine: pyarrow arrays, a batch at a time; the default. What it answers: `specs/engine.md`.

engine       the bundle
stores/      the storage of tables: local folders, object stores, what fsspec opens
files/       base files in Parquet, ORC, HFile and Lance
incoming/    rows that come from outside: Arrow data, values of Python, CSV, JSON
types        core types to and from Arrow's, one table
schema_text  the form `arrow` of schema text: Arrow's own JSON
memory       Arrow's memory from the system's allocator while it is scarce
buffers      decoded columns to arrays, wrapped where they lie, and back
rows         batches of a scan
json_values  the JSON form of rows: as values, and as lines of text
gather       rows put together from rows of several batches
frames       rows as a frame of pandas
output       rows written to a file
values       operations on an Arrow array: the engine's `Values`
arrays       arrays in one physical form, taken apart and put together, from and to values
nested       functions of arrays and maps: all elements as one column
integers     integers, dates and ticks as NumPy arrays, and functions of them
compare      order and equality
functions    the known functions
arithmetic   + - * / % negative abs
text         LIKE, regular expressions, substrings, strings joined
casts        stored conversions and SQL's CAST
distinct     a function of values, called once for each distinct one
"""
