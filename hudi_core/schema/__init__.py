"""Schema: a record type with column ids, and what is found in it.

schema   `Schema`: lookups by id, by name path, by position
ids      giving ids to a type, and keeping them
meta     Hudi's own columns
project  choosing columns, nested ones too
json     the persisted form (InternalSchema JSON), and documents of its history
dialect  column paths as statistics write them
history  the schema of an instant; adding to a history document
loss     what a conversion could not carry over
"""
