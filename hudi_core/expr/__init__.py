"""Expressions: as written, as bound, and the outcomes that they can have.

As written
nodes       the language: a closed tree over column names
build       `col("a") > 3`, the friendly way to write one
parse       SQL text to nodes: operators and conditions
operands    what stands between operators
call_syntax calls, and those with a syntax of their own
calls       calls as written to nodes: other names of functions, and sugar
sql_predicate the tree of a predicate in any form; the clock read once; warnings for unknown functions
queries     predicates and their weights; files of them
interval    months, days and microseconds
text        nodes to SQL text
json        nodes to JSON, and back
walk        the parts of a node, the names among them
place       errors that point into the text
hints       what was probably meant where a predicate is refused

As bound
bind        conditions to the leaves of `predicate`, with literals in the column's type
bind_term   scalar expressions to terms: names to column ids, calls, casts, intervals
lambdas     the scope of names inside a lambda
paths       names that lead into lists and maps
narrow      values of 8 and 16 bits: how wide an expression is
wraps       calls whose integers wrap around, as predicates on what they are called with
moments     arithmetic on dates and timestamps
comparisons comparisons of bound terms; a collation as a comparison of other strings
terms       constants of literals, terms of functions (`hudi_core.functions`) and casts, evaluated where they are constant
like        LIKE patterns
connectives AND, OR, NOT, IS and CASE of predicates, already simplified
folding     chains of conditions on one term as one
preimage    comparisons of a function of a column as comparisons of the column
inverse     a function of one argument turned round, on values that stand one after the other

Outcomes
predicate   the bound form: few leaves, every comparison a cut through its type's total order
cuts        which side of a cut a value lies on, and sets of values as ranges
outcomes    the rules, once: which truths can occur, given answers to a handful of questions
row         the truth of a predicate on one row
"""
