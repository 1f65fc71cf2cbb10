"""The metadata table of what is written: its records, its delta commits, and its beginning. Rules: `specs/metadata-table.md`.

bounds            which bounds and counts are recorded of a column, so that Apache Hudi's data skipping loses no row. Rules
                  META-60 to META-64
building          metadata partitions added to an existing metadata table while writers continue. Rules META-90 to
                  META-92
changes           what a commit of the table changes in each partition of the metadata table. Rules META-51 to META-55,
                  META-60 to META-66
cleaning          the metadata table's own cleaning: files of slices that two compactions have replaced. Rule META-104
committed_change  a commit of the table, as rows of the metadata table are made of it: what they share, found once
compaction        the metadata table's own compaction: many log files merged into base files. Rules META-100
                  to META-103
delta_commit      delta commits of the metadata table: rows for its partitions as steps. Rules META-70 to META-74
expression        expression indexes as partitions of the metadata table: definitions and rows. Rules META-35, META-114 to
                  META-118
group_files       file groups of a metadata partition, and the files with their rows. Rules META-70 to META-74
initial           the metadata table of a table that has none yet, and the first commit of each partition of it. Rules
                  META-75 to META-79
locations         the record index's part of a commit: where keys are after it. Rules META-53, META-54, META-72
partition_ranges  statistics of whole partitions, from those of the files that their latest slices are made of. Rule META-65
record_schema     the Avro schema of the metadata table's records, one for all its partitions and table versions. Rule META-50
removed_files     what a clean takes out of each partition of the metadata table. Rule META-380
rows              records of metadata partitions as columns: keys and encoded values. No Python object a record
rows_of_keys      what a commit changes in the list of files and in indexes of keys. Rules META-51 to META-54, META-112
rows_of_statistics  what a commit changes in indexes of statistics: of columns, and of values of expressions. Rules
                  META-60 to META-66, META-116 to META-118
secondary         secondary indexes as partitions of the metadata table: their names, definitions, rows. Rules META-34,
                  META-110 to META-113
statistics_rows   records of `column_stats` and `partition_stats`: one column, in the form of an index version. Rules META-60
                  to META-66
undo              removing a commit of the table from the metadata table, as if it had never been there. Rule META-86
"""
