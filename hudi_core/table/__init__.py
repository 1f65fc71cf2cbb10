"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

distributed  planning a scan with more statistics than one process should hold: shares of the file slices are pruned by a
             runner's tasks
engines      engines by name: whatever the entry points `hudi_core.engines` offer
keying       the key generator of a table, by its properties, and where these are ambiguous by one of its keys. Rule KEY-3
metadata_records  the live records of one partition of a table's metadata table, log files merged. Rule META-99
open         opening a table: its properties and its timeline
scan         `Scan`: a read of chosen columns and rows of a table at an instant: its plan, its rows, and the reasons
summaries    what commits wrote, and what partitions hold
table        `Table`: an open Hudi table: its schema, file slices and rows at any instant
view         `View`: a table as another query engine reads it
"""
