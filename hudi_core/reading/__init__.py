"""The rows of file slices.

slices      the way to read each slice
base_files  base files read, brought to a wanted schema by column id
ahead       streams read side by side in threads, given one after the other
merged_slices  slices with logs: base rows and log records merged
log_records    the records of log files
gathered       log records gathered as arrays that can be merged
merge_columns  the columns that merging looks at
elsewhere   reading on other machines: what goes there
wanted      the columns a query gives and looks at, and the rows that match
"""
