"""SQL text: the tokens and types that predicates, schema changes and definitions of columns share.

cursor     a cursor over the tokens of a text, with two ahead, and the errors for unexpected ones
place      A place in a text, and how messages show it
tokens     tokens of SQL text, with Spark SQL's literals, names and comments, and the values they stand for
type_text  types as they are written: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`, `interval day
           to second`
"""
