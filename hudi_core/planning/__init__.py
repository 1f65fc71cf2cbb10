"""Data skipping: which file slices a predicate can match, decided source by source, and why.

conjuncts  the parts of a predicate's outermost AND, as they are put to sources of knowledge
plan       A scan plan: which slices a query reads, and what decided about each, as data
prune      data skipping: each source in turn rules out slices that cannot match the predicate
reasons    why a slice is skipped: the source that decided, and the leaves of the predicate that are impossible there. SOURCE-21
shares     pruning in shares: what another machine needs to prune some of a table's slices, and the plan made of all their
           answers
sources/   what is known of a snapshot's slices without reading their rows
"""
