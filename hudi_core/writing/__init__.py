"""Creating tables, writing rows, rolling back what failed. Rules: `specs/writing.md`, `specs/writing-rows.md`.

alter_schema     schema changes as commits
after_write      a table as a write is about to leave it, to read files of the write before it completes
announce         what a write announces before it creates data files: partitions, and a marker of each file
base_file        one base file: rows with the meta columns filled in, the size of its bloom filter, its footer, what is reported
batch_columns    columns that only a batch or only its table has: refused, filled, kept or added
built_rows       the files of a table that its metadata table is to record
by_predicate     deletes and updates of the rows that match a predicate
change_log       the log of what a new base file changes of the one before it, in tables that keep such logs
conflicts        conflicts between writers: whether a write may still complete after others have
create           creating tables
creation_options  the options of `create`: kept as properties, with the meaning of an argument, of single writes
deleted_keys     where rows go whose keys log files alone delete: to the file group that had them
exact_types      rows in the types of a table's columns where only their form differs, exactly or not at all
dropped_plans    plans that cannot be read: dropped with what their runs wrote
expression_indexes  what a write records in expression indexes: of each new file the statistics, or a filter, of the values
expression_rows  records with which expression indexes begin, from the values in the files of slices
expression_values  the values of an expression index in one file: their statistics, or a bloom filter of them
incoming         rows that are to be written: in the table's schema, with their keys, and checked
incoming_checks  rows that are refused for their keys before anything is written
index_build      indexes built on a table that has rows, while writers continue
index_check      whether a metadata table can be used, and has what writers did while an index was built
index_files      the base files of an index build: records read by tasks, then a file of each file group
index_footers    records of statistics and bloom filters, from the footers of base files and from log files
index_keys       records of the record index, from the keys of file slices
index_list       the indexes of a table: what each is made of, whether it may be used, how large it is
index_plan       the plan of an index build, as a value and as the `indexing` instant that other writers read
index_removal    indexes that go: dropped ones, and what builds that died have left behind
index_rows       the records with which metadata partitions begin: which files they are made from, and by what
index_runs       records of metadata partitions by file group: sorted runs as they come, and each group's in order
index_undo       what an index build that is refused puts back
indexed_columns  columns with an index of their own, which stay as they are
log_file         one log file: newer rows and deletes of a file slice, and what is reported of it
log_keys         keys that a log file adds to its slice and removes from it, where ordering values decide that
log_ranges       what a log file holds, in the form of a base file's footer
metadata_services  when the metadata table is compacted and cleaned: by the commit that comes when it is due
metadata_steps   the metadata table's part of a commit of the table
moves            keys that a table has once in all its partitions: rows that come with another partition
new_table        the properties of a new table
old_versions     table versions that are only read. Rule TABLE-261
operations       operations that write rows: from data that somebody gives to a commit
partial_rows     log files with rows of some columns alone
plan             which file gets how many rows: tasks, and the way of rows to them
ranges           statistics of columns that are written: of base files, and of the rows of log files
refusals         tables that are not written to, each named for what is in the way
result           what a write did, as users see it
rollback         what undoes a write: of one that died, and of the last one that is complete
row_size         how many bytes a row takes in a base file, measured
schema_commit    the schema history of a table, which every commit continues
schema_on_write  batches brought to a table's schema, before anything is written
secondary_indexes  what a write changes in secondary indexes: keys that file groups held before, and those they hold after it
secondary_rows   records with which secondary indexes begin, from the values of file slices
spool            rows that wait to be written: in memory up to a limit, beyond it in a local file
spread/          writes of rows that are spread over many machines
stored_files     base files read to be written again
taking_back      writes that failed in their work, and plans whose run did, taken back as if they had not been
task_rows        the rows of tasks, where all rows of a write are here
stream_batches   batches of streams, each committed once
tasks            tasks of a write: values that can be sent to other machines, and what each of them does
transaction      transactions: from the request of a write to its commit, or to its rollback
update_outcomes  updates by predicate that win over the rows that they read
write_properties  properties of Apache Hudi that a table or a writer states for writes
write_run        the run of one write: a plan on the table as it is, tasks, a commit; again where another was first
"""
