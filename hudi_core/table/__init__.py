"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

open                opening a table: is it one, what does it say of itself
engines             engines by name, from entry points
table               `Table`, and what it is and has at any instant
snapshot            the table at an instant: schema, metadata, listing, file slices
listing             the files of each partition, from the metadata table or by listing folders
partitions          partition paths → values of the partition columns
scan                a chosen read: plan, batches, rows, explanation
asking              a predicate put to the sources, in their order
prune               one source after the other; what is impossible in any is not read
plan                which slices to read, and which step decided, as data
sources             what is known of a snapshot's slices, kept for any predicate
knowledge           recorded statistics joined to files by column id
facts               what indexes and paths tell of a whole condition
path_facts          conditions on partition columns, tested on the values of paths
indexes             indexes that know in which slices values are
keys                record keys and the columns they are made of
uniqueness          whether the record index may be believed
steady              columns whose name has meant them all the time
expression_indexes  statistics of a function of a column
filters             bloom filters of base files
merges              where the values of a merged row come from
single_files        slices with log files, asked file by file
log_headers         what the headers of log blocks say of columns
heads               footers and block headers, read side by side
footers             statistics from footers
doubt               slices about which only their files can tell more
reading             base files read, brought to the wanted schema, filtered
picture             what a drawing of value ranges against a predicate needs
ranges              the ranges of a column in some slices, as values
scale               values of a column on an axis from 0 to 1, with round ticks
"""
