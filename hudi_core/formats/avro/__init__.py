"""Avro records to columns and back, many at once. Rules: `specs/avro-columns.md`.

columns    records of one schema to columns: the way in
plan       how to read a schema: a tree of readers, cut down to the wanted fields
read       values of many records at once, field by field, into columns
skip       passing over values of many records at once; where items of lists start
lanes      the cursors into many records
step       where the items of one list start: long lists in few records
walk       what is wrong with one record
encode     columns to records: the way out
write      columns to values of many records at once, field by field, as pieces of their bytes
pieces     rows of bytes put together from pieces
varint     numbers as Avro writes them
block      the records of log blocks, and their content from columns
container  object-container files, read whole
"""
