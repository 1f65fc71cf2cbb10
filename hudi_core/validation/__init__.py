"""The consistency of a table: what is wrong with it, where, and how to mend it. Rules: `specs/validation.md`.

Checks of names and listings:
properties         properties that are missing, damaged, or contradict each other
timeline           names and times of instants, states that are missing, metadata that cannot be read
leftovers          markers and heartbeats of writes that are over, writes of dead writers, locks
listing            the metadata table's listing beside that of the folders
commits            the files that commits record against those on storage
orphans            data files that no completed write names

Checks of what files hold, each file opened once:
contents           one data file: its rows, the statistics of its columns, its keys
cover              statistics that are stated beside statistics of what is there
footers            footers of base files
logs               log files: whole blocks, and each can be read
column_stats       records of `column_stats` and `partition_stats`
bloom_filters      records of `bloom_filters`
reads              data files read to their end by tasks on other machines
record_index       the record index: each live key once, where it is, and no other key
column_indexes     the frame of checks that compare indexes of single columns with the table
secondary_index    secondary indexes: each live row under its value, and nothing else
expression_index   expression indexes: statistics cover the values in files, filters let them pass

findings  what a check reports
subject   the table under validation, looked up once for all checks
validate  the checks by name, run side by side
mend      rebuilding indexes and removing leftovers
"""
