"""Clustering: rows rewritten so that queries skip files. Rules: `specs/clustering.md`.

conflicts   groups that a writer changed while a clustering ran
curves      Z-order and Hilbert curves: the place of a cell of a grid on a line through all cells
cuts        where ordered rows are cut into files
groups      which file slices are rewritten together: by size, and by overlap of ranges
layout      the order of rows: linear or along a curve through quantile ranks, made from a sample
notes       what a clustering notes in its commit
operations  `cluster`: plan, and run
options     what a clustering is to do
partitions  which partitions are clustered
plan        plans: as values, and in the form in which Apache Hudi stores them
planner     the plan of a clustering on a table as it is
predictions what queries keep by prediction, noted in plans and commits
preview     what a clustering would gain, before it is done
refusals    tables that are not clustered
result      what a clustering did
run         rewriting the groups of a plan, in one replace commit
sample      rows of a group by chance, sort columns alone
sort_keys   columns as values that compare: ranks, and places among a few values
sorted_rows rows of a group in sorted runs on disk
"""
