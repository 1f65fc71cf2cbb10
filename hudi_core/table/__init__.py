"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

engines  engines by name: those of the entry points `hudi_core.engines`. The core names none of them itself
keying   the key generator of a table, by its properties, and where these are ambiguous by one of its keys. Rule KEY-3
open     opening a table: its properties and its timeline
scan     `Scan`: a read of chosen columns and rows of a table at an instant: its plan, its rows, and the reasons
table    `Table`: an open Hudi table: its schema, file slices and rows at any instant
"""
