"""Transactions: from the request of a change to its commit, or to its rollback. Rules: `specs/writing.md`.

conflicts          conflicts between writers: whether a write may still complete after others have
dependents         what builds on a completed write, so that it is not undone alone
metadata_services  when the metadata table is compacted and cleaned: by the commit that comes when it is due
metadata_steps     the metadata table's part of a commit of the table
old_versions       table versions that are only read. Rule TABLE-261
refusals           tables that are not written to, each named for what is in the way
rollback           what undoes a write: one that died, and a completed one that nothing builds on
schema_commit      the schema history of a table, which every commit continues
stream_batches     batches of streams, each committed once
taking_back        writes that failed in their work, and plans whose run did, taken back as if they had not been
transaction        transactions: from the request of a write to its commit, or to its rollback
"""
