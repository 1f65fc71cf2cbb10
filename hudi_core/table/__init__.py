"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

engines  engines by name: whatever the entry points `hudi_core.engines` offer. The core names none of them itself
keying   the key generator of a table: what its properties say, and where they do not, a key that is there. Rule KEY-3
open     opening a table: is it one, what does it say of itself, which instants has it
scan     `Scan`: a chosen read of a table at an instant: its plan, its rows, and why
table    `Table`: a Hudi table that was opened, and what it is and has at any instant
"""
