"""Avro records to columns and back, many at once. Rules: `specs/avro-columns.md`.

block      AVRO_DATA and CDC_DATA blocks of log files: the schema and where each record lies; and their content from columns
columns    many Avro binary records of one writer schema → columns, field by field over all records, no Python object a record
container  avro object-container files, read whole: the form of instants' contents and plans. Not for data: one object a
           record
foresee    where records of lists end, found for many of them before a walk comes to them
lanes      many cursors into one buffer, one a record, that read the same Avro field of all records at once
long_lists a file of one record whose last field maps strings to long lists of strings
pieces     rows of bytes put together from pieces: a piece gives each row some bytes, and a row is its pieces one after the
           other
plan       how to read one Avro writer schema: a tree of readers with names resolved, unions sorted out and unwanted fields
           marked
read       reading Avro values in all lanes: one node of the schema after the other, each into its column
skip       passing over Avro values in all lanes: only lengths are decoded
step       where the items of one list start, one after the other: for long lists in few records
varint     numbers as Avro writes them: zigzag, then seven bits a byte, the lowest first, a set top bit where more follow
walk       what is wrong with the bytes of one Avro value, and in which field: for messages, after columns could not be read
write      columns to Avro values: one node of the schema after the other, each for all rows, as pieces of the rows' bytes
"""
