"""Clustering: rows rewritten so that queries skip files. Rules: `specs/clustering.md`.

A clustering is two transactions. `schedule` makes a *plan* without the lock, looks under the lock whether its file groups
are unchanged, and *requests* it. From here on writers do not change these file groups: a write into them is refused, or
cancels the plan where its writer may. `run_plan` carries the plan out. It marks the instant as *inflight*, and writes
markers and new file groups with the rows in order. Under the lock it then writes the metadata table's part and the
completed replace commit, which names the old groups as replaced. Groups that were changed in spite of the plan are left
out, and their new files deleted before the commit.

A death before the request leaves nothing. A death of the run leaves the plan and files that markers name: the next
run removes them and begins again. Old file groups stay until a clean, for readers that have opened them.

The modules:

conflicts   groups that a writer changed while a clustering ran
curves      Z-order and Hilbert curves: the place of a cell of a grid on a line through all cells
cuts        where ordered rows are divided into files
exchanged   groups whose rows tasks exchange, on several machines
file_sizes  how large files get, measured on some rows
forecast    what a clustering makes of queries before it runs: slices, requests and bytes
groups      which file slices are rewritten together: by size, and by overlap of ranges
layout      the order of rows: linear or along a curve through quantile ranks, made from a sample
notes       the note in the commit of a clustering: how it ordered rows
operations  `cluster`: plan, and run
options     options of a clustering
partitions  which partitions are clustered
plan        plans: as values, and in the form in which Apache Hudi stores them
planner     the plan of a clustering on a table as it is
predictions the predicted slices that queries keep, recorded in plans and commits
preview     the gain of a clustering before it runs, estimated
reader      the rows of slices as a clustering reads them
refusals    tables that are not clustered
result      the result of a clustering, as users get it
run         rewriting the groups of a plan, in one replace commit
sample      random rows of slices, sort columns alone
sort_keys   columns as values that compare: ranks, and places among a few values
sorted_rows rows of a group in sorted runs on disk
"""
