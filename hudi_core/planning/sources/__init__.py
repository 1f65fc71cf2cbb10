"""What is known of a snapshot's slices without reading their rows. Rules: `specs/sources.md`.

sources             all of it, made ready once and kept for any predicate
asking              a predicate put to the sources, in their order
knowledge           recorded statistics joined to files by column id
facts               what indexes and paths tell of a whole condition
path_facts          conditions on partition columns, tested on the values of paths
indexes             indexes that know in which slices values are
commits             which commits wrote the files, when rows are asked for by them
uniqueness          whether the record index may be believed
steady              columns whose name has meant them all the time
expression_indexes  statistics of a function of a column
filters             bloom filters of base files
stored_filters      their texts, and which of them are worth asking
merges              where the values of a merged row come from
single_files        slices with log files, asked file by file
column_ranges       the ranges of a column in some file slices, as values for people
log_headers         what the headers of log blocks say of columns
heads               footers and block headers, read side by side
footers             statistics from footers
doubt               slices about which only their files can tell more
"""
