"""The metadata table of a table: what it says of files and columns, read and merged. Rules: `specs/metadata-table.md`.

table       opening it; its partitions and their file slices; which of its instants count
written     which files must be there, as instants say
records     the records of a partition: base files and log blocks, whole or by prefix
files       `files`: the live files of each partition
file_keys   keys of files, hashed once
statistics  `column_stats` and `partition_stats`: the live records of columns, merged
live        which records of a partition count
merged      statistics of several records of one key, put together
recorded    their records as they stand: decoded, with the types they tell or look like
unscaled    unscaled decimals to the carriers of bounds
belief      what of recorded statistics can be believed
stored      statistics whose records do not say their type, read as the type the file has
definitions `index.json`: what the indexes of a table are made of
filters     `bloom_filters`: the bloom filters of base files
lookup      single records of a metadata partition, found by key or its start
record_index  `record_index`: in which file group each record key is
"""
