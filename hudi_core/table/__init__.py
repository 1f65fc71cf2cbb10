"""Tables: open one, find its file slices, plan a scan, read it.

slices      file names + timeline → the latest slice of each live file group
partitions  partition paths → values of the partition columns
listing     the files of each partition, from the metadata table or by listing folders
knowledge   what is known of each slice's columns: sources of statistics put into one store per step
plan        predicate → which slices to read, and which step decided
picture     what a drawing of value ranges against a predicate needs
ranges      the ranges of a column in some slices, as values
scale       values of a column on an axis from 0 to 1, with round ticks
scan        a chosen read: batches, rows, explanation
table       `Table`, and opening one
"""
