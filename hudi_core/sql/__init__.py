"""SQL text, read once for predicates, schema changes and definitions of columns: what it says, before what it means.

tokens     the tokens of a text, with Spark SQL's names, strings, numbers and comments, and the values they stand for
cursor     going through the tokens, two ahead; errors that name the place
place      a place in a text, and the line it stands in
type_text  types as they are written: one grammar, which each reader gives its meaning
"""
