"""The metadata table of a table: its records of files and columns, read and merged. Rules: `specs/metadata-table.md`.

changed_keys  record keys whose entries in the record index a write changed. Rule CONFLICT-530
counting      the records of a file group that count, all sources merged: of each key the newest, or those that add up. Rule
              META-99
definitions   `index.json`: what the indexes of a table are made of. Rule META-40
expressions   what an expression index is of: a function of one column, as its definition names it. Rules META-114, META-115
file_keys     keys of files in metadata partitions, where most files are those of an earlier time: only new names are hashed
files         `files`: the live files of each partition, with their sizes. Rules META-5 to META-8
filters       `bloom_filters`: the bloom filters of base files. Rules META-30 to META-33
kinds         the kinds of metadata partitions, one record each
live_records  which records count among those of one metadata partition: of equal keys those from the last that resets what
              was before
lookup        single records of a metadata partition, found by key or by the start of it: of each key the newest that is not
              deleted
merged        statistics of several records of one key put together: the least lower bound, the greatest upper one, counts
              added
native_logs   native log files of metadata tables, whose bytes are inferred: used where each is as it should be. Rule META-710
record_index  `record_index`: in which file group each record key is. Rules META-30 to META-32
recorded      records of column statistics as they stand: decoded to columns, with the type that each states or looks like
records       the records of a metadata partition: base files and log blocks of its file groups, whole or by prefix of their
              keys
statistics    `column_stats` and `partition_stats`: the live records of columns, merged by key. No Python object a record
typed_by_file  statistics whose records do not state their type, read as the type that the file has
table         `MetadataTable`: the metadata table of a table, opened: whether it is behind, which of its instants count, and the
              contents of its partitions
trust         which recorded statistics can be trusted: all that is known of how Apache Hudi makes them, in one place
whole_strings lower bounds of strings that are recorded in short and, beside the type, in whole. Rule META-67
written       what a metadata partition must consist of: the files that instants of the metadata table record as written. Rule
              META-4
"""
