"""SQL text, read once for predicates, schema changes and definitions of columns: what it says, before what it means.

cursor     going through the tokens of a text, two ahead, and saying what is unexpected
place      A place in a text, and how messages show it
tokens     tokens of SQL text, with Spark SQL's literals, names and comments, and the values they stand for
type_text  types as they are written: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`, `interval day
           to second`
"""
