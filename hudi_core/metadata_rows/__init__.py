"""The rows of the metadata table: their form in each partition, and what a change of the table makes of them.

Rules: `specs/metadata-table.md`.

bounds            which bounds and counts are recorded of a column, so that Apache Hudi's data skipping loses no row. Rules
                  META-60 to META-64
committed_change  a commit of the table, as rows of the metadata table are made of it: what they share, found once
expression        expression indexes as partitions of the metadata table: definitions and rows. Rules META-35, META-114 to
                  META-118
partition_ranges  statistics of whole partitions, from those of the files that their latest slices are made of. Rule META-65
record_schema     the Avro schema of the metadata table's records, one for all its partitions and table versions. Rule META-50
removed_files     what a clean takes out of each partition of the metadata table. Rule META-380
rows              records of metadata partitions as columns: keys and encoded values. No Python object a record
rows_of_change    what a commit of the table changes in each partition of the metadata table. Rules META-51 to META-55,
                  META-60 to META-66
rows_of_keys      what a commit changes in the list of files and in indexes of keys. Rules META-51 to META-54, META-72,
                  META-112
rows_of_statistics  what a commit changes in indexes of statistics: of columns, and of values of expressions. Rules
                  META-60 to META-66, META-116 to META-118
secondary         secondary indexes as partitions of the metadata table: their names, definitions, rows. Rules META-34,
                  META-110 to META-113
statistics_rows   records of `column_stats` and `partition_stats`: one column, in the form of an index version. Rules META-60
                  to META-66
"""
