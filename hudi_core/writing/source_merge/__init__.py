"""Merges of a source into a table by clauses, as SQL's MERGE has them. Rules: WRITE-610 to WRITE-613, WRITE-1580 to WRITE-1584.

An overwrite of the rows of a predicate is a merge too. Rows with stored keys replace these rows, and others are added.
Other rows that match are deleted.

clauses     what a merge is made of: the columns that rows are matched by, and clauses
bound       a merge in the schemas of its source and its table, checked
matched     rows of a source that meet rows of the table, rows of either alone, and what becomes of them
operations  a merge of rows that are all here: from the source to a commit
"""
