"""Tables: open one, plan a scan of it, read it. Rules: `specs/table.md`, `specs/sources.md`.

open      opening a table: is it one, what does it say of itself
engines   engines by name, from entry points
table     `Table`, and what it is and has at any instant
snapshot  the table at an instant: schema, metadata, listing, file slices
footer_cache  what footers say, kept in a local file between processes
keying    the key generator of a table
listing   the files of each partition, by listing folders
scan      a chosen read: plan, batches, rows, explanation
answer    rows of a query in the forms that people take them in
sources/  what is known of a snapshot's slices without reading their rows
conjuncts the parts of a predicate's AND, as sources are asked about them
prune     one source after the other; what is impossible in any is not read
reasons   which leaves of the predicate rule a slice out
plan      which slices to read, and which step decided, as data
shares    pruning cut into shares of slices, and their answers put together
reading/  the rows of slices
queries/  queries of other times than now, and changes
"""
