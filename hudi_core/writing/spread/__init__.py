"""Writes of rows that are spread over many machines, by the rules and tasks of `hudi_core.writing`. Rules WRITE-420 to WRITE-423.

operations  the operations: from parts of an input to a commit
by_predicate  deletes and updates of the rows that match a predicate
source_merge  merges of a source into a table by clauses
prepared    parts of the input: rows as they are written, keys, checks, counts, samples
located     ranges of keys: where each row's key is
routed      rows to the tasks that write them
written     attempts of tasks
cuts        cuts between keys, from samples
key_sums    rows that are computed again are the same
packs       rows packed for other tasks
"""
