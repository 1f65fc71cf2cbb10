"""Expressions: what a user writes, what it means, and which outcomes it can have.

As written
nodes       the language: a closed tree over column names
build       `col("a") > 3`, the friendly way to write one
parse       SQL text to nodes: operators and conditions
operands    what stands between operators
call_syntax calls, and those with a syntax of their own
collations  comparisons by a collation as those by the bytes of other strings
calls       what a call in the text stands for
sql_predicate the tree of a predicate in any form; the clock read once; warnings for unknown functions
queries     predicates and how often each was put; files of them
interval    months, days and microseconds
text        nodes to SQL text
json        nodes to JSON, and back
walk        the parts of a node, the names among them
place       errors that point into the text

What it means
bind        conditions to the leaves of `predicate`, with literals in the column's type
bind_term   scalar expressions to terms: names to column ids, calls, casts, intervals
lambdas     what names stand for inside a lambda
paths       names that lead into lists and maps
moments     arithmetic on dates and timestamps
comparisons of bound terms
literals    literals to constants, with their type and the session's zone
applied     terms of functions (`hudi_core.functions`) and casts, evaluated where they are constant
like        LIKE patterns
leaves      predicates that are simple from the start
folding     chains of conditions on one term as one
preimage    comparisons of a function of a column as comparisons of the column
inverse     a function of one argument turned round, on values that stand one after the other

What it can be
predicate   the bound form: few leaves, every comparison a cut through its type's total order
cuts        which side of a cut a value lies on, and sets of values as ranges
outcomes    the rules, once: which truths can occur, given answers to a handful of questions
row         the truth of a predicate on one row
"""
