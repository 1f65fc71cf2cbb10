"""The rows of file slices.

ahead           files of slices that will be read soon: the storage fetches them while others are read
array_files     arrays in files of a folder that goes away with its last user. Rule MERGE-861
base_files      rows of base files, brought to a wanted schema by column id; row groups that cannot match are not read
block_files     Parquet files that are the content of a log block, opened as files of their own
damage          what a read does about damaged files: an error, or the rest of the rows with a warning. Rule LOG-262
file_schemas    which files of a scan have one stored schema, by their footers: another reader can take them together. Rule
                AWAY-3
key_runs        record keys in files, divided by their hashes
latest_records  the latest record of each key in the logs of a slice, unchanged, for a log compaction
log_blocks      the blocks of a slice's log files that count. What a completed write wrote and is not there is damage. Rules
                LOG-260 to LOG-262
log_buffer      records of log blocks, gathered one block after the other as arrays that can be merged
log_records     the records of log files: rows of data blocks, and the arrays that merging needs of data and delete blocks
log_runs        records of logs in files, in runs of bounded size, for slices whose logs do not fit into memory. Rule MERGE-860
merge_columns   the columns that merging needs beside the wanted ones: the record key, ordering fields and delete markers
merged_slices   rows of slices with log files: rows of the base file that no log record touches, and merged rows
native_deletes  native files of deletes of table version 10: the keys, and their values of the ordering fields. Rule LOG-712
remote          remote scans: what an executor needs to read file slices of a scan. It opens no table and lists nothing
result          `QueryResult`: rows of a query as batches, Arrow, pandas, Polars, JSON or a file
selection       the columns and rows that a query selects: wanted columns, columns of its predicate, and the rows that match
slice_merge     the merge of one slice: its base file with newer records, those of its logs or of a write
sorted_runs     runs of records in files, in the order of their keys' places in the base file
slices          rows of file slices: chooses the reader of a slice, and gives the rows that match
small_files     small base files, several read as one: a batch costs more than the rows of a small file. Rule TABLE-16
spilled_merge   the merge of a slice with its logs in files: one stretch of its base file after another
tasks           which file slices a scan reads together in one task, and how many it has to read for a limit
"""
