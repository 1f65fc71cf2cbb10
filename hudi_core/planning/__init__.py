"""Data skipping: which file slices a predicate can match, decided source by source, and why.

plan       a scan plan: which slices a query reads, and the deciding source of each, as data
prune      conjuncts and sources; each source in turn rules out slices that cannot match, and gives the reason. SOURCE-21
shares     pruning in shares: the tasks by which other machines prune some of a table's slices, and the plan of all answers
sources/   statistics and indexes of a snapshot's slices
"""
