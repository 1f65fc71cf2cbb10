"""Building, listing and dropping indexes while writers continue. Rules: `specs/metadata-table.md`.

build            indexes built on a table that has rows, while writers continue
built_rows       the files of a table that its metadata table is to record
check            whether a metadata table can be used, and has what writers did while an index was built
dropped_plans    plans that cannot be read: dropped with what their runs wrote
expression_rows  records with which expression indexes begin, from the values in the files of slices
footers          records of statistics and bloom filters, from the footers of base files and from log files
group_files      the base files of an index build: records read by tasks, then a file of each file group
keys             records of the record index, from the keys of file slices
listing          the indexes of a table: what each is made of, whether it may be used, how large it is
removal          indexes that go: dropped ones, and what builds that died have left behind
row_sources      the records with which metadata partitions begin: which files they are made from, and by what
runs             records of metadata partitions by file group: sorted runs as they come, and each group's in order
secondary_rows   records with which secondary indexes begin, from the values of file slices
undo             what an index build that is refused puts back
"""
