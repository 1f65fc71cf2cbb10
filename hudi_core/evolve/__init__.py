"""How schemas change over a table's life, and what that means for files written before and for batches still to come.

changes.py    the changes a column can undergo, as frozen data
apply.py      schema + changes → schema; column ids are never given twice
sql.py        changes from SQL text (`ADD COLUMN a.b int AFTER c`)
types_sql.py  types from SQL text (`array<struct<a: decimal(10,2)>>`)
reconcile.py  file schema × wanted schema → read plan: position, cast, default or null
merge.py      table schema × schema of a batch → schema of the table after the batch
identity.py   column ids for schemas that carry none, by name over the table's life
compat.py     whether data under one schema can be read by another, with all reasons
"""
