"""The rows of file slices.

base_files     rows of base files, brought to a wanted schema by column id; row groups that cannot match are not read
log_buffer     records of log blocks, gathered one block after the other as arrays that can be merged
log_records    the records of log files: rows of data blocks, and what merging needs of them and of delete blocks, as arrays
merge_columns  the columns that merging looks at: the record key, ordering fields and marks of deletes, beside those that are
               wanted
merged_slices  rows of slices with logs: the base file's rows that no log touches, and what the logs make of the others
remote         reading slices of a scan on another machine: what goes there, and the reading there. It opens no table and
               lists nothing
result         `QueryResult`: rows of a query in the forms that people take them in
selection      what a query wants of rows: the columns to give, those its predicate looks at, and the rows that match
slices         rows of file slices: the way to read each, and the rows that match
"""
