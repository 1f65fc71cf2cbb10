"""Expressions: what a user writes, what it means, and which outcomes it can have.

applied        terms of functions and casts: evaluated at once where all arguments are constants
axis           types whose values stand one after the other, as integers: what bisection over all values of a type needs
bind           names to column ids, literals to the type of what they are compared with, sugar to the leaves of `predicate`
build          writing expressions in Python: `(col("a") > 3) & col("b").like("x%")` makes the nodes of `a > 3 AND b LIKE
               'x%'`
call_syntax    calls, and those with a syntax of their own: CAST, EXTRACT, TRIM, SUBSTRING, POSITION, OVERLAY, a unit before
               the arguments
calls          what a call in the text stands for: other names of known functions, and functions that are sugar for other
               nodes
coerce         which type two values are compared or calculated in: Spark SQL's rules without ANSI mode, over the types of
               tables
comparisons    comparisons of bound terms: with null, with a constant, with one another
folding        chains of conditions on one term as one condition on the set of its values: EXPR-41
functions      the scalar functions the core knows by name; each is defined by Spark SQL's meaning
interval       intervals (`INTERVAL '1' DAY`, `INTERVAL '1-6' YEAR TO MONTH`) as months, days and microseconds
inverse        A function of one argument turned round: at which of the argument's values it lies below a cut, or between two
               values
json           nodes as JSON, and back: one object a node, told apart by its one name that says what it is
leaves         building predicates that are already simple
like           LIKE: its pattern read into parts, and what it says about the order of texts
literals       literals to constants: the type a number has by itself, texts read as another type, and a session's time zone
moments        arithmetic on dates and timestamps, said with plain functions: `d + 1`, `ts - INTERVAL 1 DAY`, `ts - t0 >
               INTERVAL 1 HOUR`
monotone       where the known functions of one argument rise or fall: the stretches of its values, as positions on the type's
               axis
nodes          the expression language as users write it: a closed tree over column names and literals
numeric        the known functions of numbers: what they take, and the type they calculate in
operands       what operators stand between: names, literals, CASE, intervals, casts, what is in brackets and what follows a
               value
outcomes       the rules, written once: which truths a predicate can have, given answers to a handful of questions
parse          SQL text to nodes: the expressions that stand in a WHERE clause, in Spark SQL's grammar and precedence
paths          names that lead into lists and maps, as Spark SQL takes them
place          where in a predicate's text something is wrong: an error that says line and column, with the line and a caret
               as a note
predicate      bound predicates: columns by id, literals in the column's domain, every comparison a cut through a total order
preimage       comparing a function of a column, said as comparing the column: `year(d) = 2024` is `d >= 2024-01-01 AND d <
               2025-01-01`
scalar/        the known functions on values, as Spark SQL defines them without ANSI mode and in UTC: the meaning every engine
               gives
signatures     the known functions: what arguments each takes, how they are brought to its types, and what it gives
sql_predicate  what was asked for as a tree, in whatever form it came; what the clock says is said once for all of a query.
               EXPR-37
text           nodes to SQL text, which `parse` reads back to the same nodes and Spark SQL understands
tuples         comparisons of several values at once: `(a, b) IN ((1, 2), (3, 4))`, `(a, b) = (1, 2)`
walk           walking over nodes: their parts, the names among them, and where the text of one stands
"""
