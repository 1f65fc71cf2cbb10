"""Queries of other times than now. Rules: `specs/queries.md`.

cdc_logs        CDC logs: changes as a commit logged them, read instead of the slices that it changed. Rule QUERY-19
changes         changes, one by one: what each commit inserted, updated and deleted, with the rows before and after
commit_changes  what one commit changed: a file group before it and after it, compared by record key. Rules QUERY-12 to
                QUERY-19
data_skipping   data skipping for changes: the commits and file groups that can hold changes that match, before a row is read
incremental     incremental queries: which commits lie between two times, and the timeline at the end of them. Rules QUERY-5
                to QUERY-10
rows            the form of changes: their columns and operations, and batches of them
"""
