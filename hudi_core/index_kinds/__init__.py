"""What each kind of index is made of, and what a write changes in it. Rules: `specs/metadata-table.md`.

after_write        a table as a write is about to leave it, to read files of the write before it completes
build_plan         the partitions of the metadata table that an index build makes, and the options of builds
column_definitions the definitions of the indexes of columns that a build makes
expression_values  the values of an expression index in one file: their statistics, or a bloom filter of them
expressions        expression indexes of a table: of which function of which column each is, and which cannot be
file_notes         what writers note of each file that they make, for the indexes that record values of files
fixed_columns      columns with an index of their own, which stay as they are
planned_builds     index builds on the timeline: the `indexing` instants that other writers read
secondary          what a write changes in secondary indexes: keys that file groups held before, and those they hold after it
"""
