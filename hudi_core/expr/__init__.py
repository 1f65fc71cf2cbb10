"""Expressions: what a user writes, what it means, and which outcomes it can have.

nodes      the language: a closed tree over column names
build      `col("a") > 3`, the friendly way to write one
parse      SQL text to nodes
text       nodes to SQL text and JSON
functions  the scalar functions the core knows, and what is known of each
bind       names to column ids, literals to the column's type, sugar to the leaves of `predicate`
predicate  the bound form: few leaves, every comparison a cut through its type's total order
outcomes   the rules, once: which truths can occur, given answers to a handful of questions
"""
