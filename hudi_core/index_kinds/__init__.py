"""What each kind of index is made of, and what a write changes in it. Rules: `specs/metadata-table.md`.

after_write        a table as a write is about to leave it, to read files of the write before it completes
build_plan         the plan of an index build, as a value and as the `indexing` instant that other writers read
expression_values  the values of an expression index in one file: their statistics, or a bloom filter of them
expressions        what a write records in expression indexes: of each new file the statistics, or a filter, of the values
fixed_columns      columns with an index of their own, which stay as they are
secondary          what a write changes in secondary indexes: keys that file groups held before, and those they hold after it
"""
