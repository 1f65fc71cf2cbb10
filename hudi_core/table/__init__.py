"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

change_effects  what a schema change makes of the columns that keys, paths, order and deletes come from. Rule CHANGE-1540
column_summary  what statistics know of a column: its bounds, and how many slices may hold one of its values
difference   what lies between two instants: commits, schema changes, file slices, rows
distributed  planning a scan with more statistics than one process should hold: shares of the file slices are pruned by a
             runner's tasks
engines      engines by name: whatever the entry points `hudi_core.engines` offer
file_contents  what a single file of a table holds, as objects of JSON
features     which features of Apache Hudi a table uses: those that a reader has to know. Rule TABLE-721
keying       the key generator of a table, by its properties, and where these are ambiguous by one of its keys. Rule KEY-3
metadata_records  the live records of one partition of a table's metadata table, log files merged. Rule META-99
open         opening a table: its properties and its timeline
record_versions  every stored version of a record, and why readers see it or not
readers      who else can read a table: one table of facts, by feature and by reader. Rule TABLE-721
runners      a table whose tasks a given runner runs, whatever engine reads and writes its files. Rule ENGINE-910
scan         `Scan`: a read of chosen columns and rows of a table at an instant: its plan, its rows, and the reasons
summaries    what commits wrote, and what partitions hold
table        `Table`: an open Hudi table: its schema, file slices and rows at any instant
view         `View`: a table as another query engine reads it
"""
