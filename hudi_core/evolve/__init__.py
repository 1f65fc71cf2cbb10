"""How schemas change over a table's life, and what that means for files written before and for batches still to come.

build      schemas of columns by name, with types as SQL writes them
changes    the changes a column can undergo, as frozen data
sql        changes from SQL text (`ADD COLUMN a.b int AFTER c`)
types_sql  types from SQL text, and the cursor over SQL text for schemas
apply      schema + changes → schema; column ids are never given twice
draft      a nested type taken apart, for many changes at the cost of one
fields     what every change of a field keeps true
diff       what changed between two versions of a schema, and what becomes of columns that properties of a table name
reconcile  file schema × wanted schema → read plan: position, cast, default or null
merge      table schema × schema of a batch → schema of the table after the batch
compat     whether data under one schema can be read by another, with all reasons
identity   column ids for schemas that carry none, by name over the table's life
"""
