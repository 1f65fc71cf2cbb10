"""Expressions: what a user writes, what it means, and which outcomes it can have.

nodes       the language: a closed tree over column names
build       `col("a") > 3`, the friendly way to write one
parse       SQL text to nodes, over `cursor` (one token ahead), `lex` (tokens), `calls` (what a call stands for)
text, json  nodes to SQL text and JSON, and back
walk        the parts of a node, the names among them
sqltypes    the SQL names of types
interval    months, days and microseconds
place       errors that point into the text
functions   the scalar functions the core knows, and what is known of each
scalar/     what each of them gives
signatures  what arguments each takes
literals    literals to constants, with their type and the session's zone
coerce      which type two values are compared or calculated in
bind        names to column ids, literals to the column's type, sugar to the leaves of `predicate`
like        LIKE patterns
leaves      predicates that are simple from the start
preimage    functions of a column taken back to the column
monotone    where functions rise and fall
axis        values that stand one after the other, as integers
predicate   the bound form: few leaves, every comparison a cut through its type's total order
outcomes    the rules, once: which truths can occur, given answers to a handful of questions
"""
