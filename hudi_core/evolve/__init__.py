"""How schemas change over a table's life, and what that means for files written before and for batches still to come.

apply          schema + changes → schema. Changes are applied one after the other, each to what the earlier ones left
changes        the changes a column can undergo, as frozen data
compat         whether data written under one schema can be read by another, with every reason why not
diff           what changed between two versions of a schema, column by column, by id
draft          A nested type taken apart, so that many changes to it cost one pass in all; what is not touched stays whole
fields         what every change of a field keeps true, whoever makes it: names that can be written, defaults that fit the
               type
identity       column ids for schemas that carry none: given over the table's life, by name
lex            A cursor over the words of SQL text for schemas, with errors that name the place
merge          the write side: what a table's schema becomes by a batch, and what a batch's schema becomes for a table
named_columns  columns that a table's properties name: what a change of the schema makes of them. Rule CHANGE-10
reconcile      file schema × wanted schema → read plan: for every wanted field where it is stored and how it is read, or what
               stands for it
sql            schema changes from SQL text
types_sql      types from SQL text: `decimal(10,2)`, `array<struct<a: int NOT NULL COMMENT 'x', b string>>`,
               `timestamp_ntz(3)`
"""
