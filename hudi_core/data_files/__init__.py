"""The data files of a write: rows in, one base file or log file and what is reported of it out. Rules: `specs/writing-rows.md`.

base_file      one base file: rows with the meta columns filled in, the size of its bloom filter, its footer, what is reported
change_log     the log of what a new base file changes of the one before it, in tables that keep such logs
column_ranges  statistics of columns that are written: of base files, and of the rows of log files
file_properties  what properties state of new files: their codec, the size of the blocks of log files
footer_filters  the bloom filter of a base file as its footer has it
log_file       one log file: newer rows and deletes of a file slice, and what is reported of it
log_keys       keys that a log file adds to its slice and removes from it, where ordering values decide that
log_ranges     what a log file holds, in the form of a base file's footer
spool          rows that wait to be written: in memory up to a limit, beyond it in a local file
waiting        tasks that wait for storage: how many of them run at once, by where it is and by the memory that each takes
"""
