"""Writing rows: from data that somebody gives to a commit. Rules: `specs/writing.md`, `specs/writing-rows.md`.

How an upsert goes, and which module does what:

    operations      opens the input (`incoming`), brings it to the table's schema (`schema_on_write`, `batch_columns`,
                    `rows.exact_types`), refuses what has to be refused (`incoming_checks`) while nothing is written yet,
                    and puts the rows into a `spool`
    write_run       tries the write, again where another writer was first: begins a transaction, plans, runs tasks, commits
      operation_plans
                    looks up the keys (`tagging`), sends updates to the slices that hold them (`moves`: also to other partitions)
        plan        fills small files, cuts new ones; its tasks are values
      announce      creates partition metadata and markers before a task creates a file
      tasks         writes one file for each task (`data_files`) and reports a status with statistics, keys and filters
    transactions    makes the metadata table's part of the commit from the statuses, and commits

The lock is not held while rows are looked up and written. So the plan is made on the table as the transaction saw it
at its beginning, and the commit checks what others did since. A conflict begins the write again with the rows that
are in the spool: the input is read once.

`by_predicate` plans deletes and updates of the rows that match; `spread` does the same steps where rows are on many
machines and only counts come to the driver; `alter_schema` commits a schema and no row.

Decisions: `docs/decisions/0770` to `0774`.

The modules:

alter_schema     schema changes as commits
announce         what a write announces before it creates data files: partitions, and a marker of each file
assignments      new values of columns: expressions in the types of the columns
batch_columns    columns that only a batch or only its table has: refused, filled, kept or added
bucket_places    the place of each key in a table of buckets, for rows that are here and for rows in parts
bucket_plan      the tasks of a write to a table of buckets: each row goes to the file group that its key's hash names
by_predicate     deletes and updates of the rows that match a predicate
conditions       conditions that decide which rows are written, and what SQL refuses of them
deleted_keys     where rows go whose keys log files alone delete: to the file group that had them
duplicates       what an insert does with keys that are there
half_written     file groups with a base file of a write that goes on, beside which some readers miss log files
idle_options     options that would have no effect in a write: they are refused
incoming         rows that are to be written: in the table's schema, with their keys, and checked
incoming_checks  rows that are refused for their keys before anything is written
index_build      the former place of `index_builds.build`
index_plan       the former place of `index_kinds.build_plan`
input_files      base files read to be written again
key_options      options of the times in partition paths that a write states, since the table does not store them
keys_to_compact  keys that a planned compaction puts into a base file, though later log files delete them
map_keys         maps that have a key twice, which are refused
moves            keys that a table has once in all its partitions: rows that come with another partition
no_result        what of an expression has no result in SQL's ANSI mode, so that its value is refused
operation        the operations that write rows with their options, and what follows from them
operation_plans  the plans of operations: the place of every row, and the tasks that write it there
operations       operations that write rows: from data that somebody gives to a commit
partial_rows     log files with rows of some columns alone
plan             which file gets how many rows: tasks, and the way of rows to them
read_places      rows that are changed where they were read: the places of their keys
rehearsal        a storage for dry runs: their tasks write as those of a write, and nothing of it reaches the table
required_parts   nulls in required parts of columns, which are refused
result           what a write did, as users see it
row_size         how many bytes a row takes in a base file, measured
schema_on_write  batches brought to a table's schema, before anything is written
several          several changes of rows in one commit
single_places    places of keys that one row of the table has, where others are refused
source_merge/    merges of a source into a table by clauses, and overwrites of the rows of a predicate
spread/          writes of rows that are spread over many machines
task_rows        the rows of tasks, where all rows of a write are here
tasks            tasks of a write: values that can be sent to other machines, and what each of them does
timestamp_types  columns of times whose type a write corrects
update_outcomes  file groups that are rewritten where a log file would not do what is asked: updates that lose, repeated keys
write_properties  properties of Apache Hudi that a table or a writer states for writes
write_run        the run of one write: a plan on the table as it is, tasks, a commit; again where another was first
"""
