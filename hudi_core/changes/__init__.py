"""Queries of other times than now. Rules: `specs/queries.md`.

travel       which times a table can still be asked about
incremental  the latest state of rows that changed between two times
changes      every change between two times: inserts, updates and deletes, with the rows before and after
commit_changes  what one commit changed, file group by file group
logged_changes  changes as a commit logged them
change_rows  the form of changes, and batches of them
relevant     which file groups can hold changes that a predicate wants
"""
