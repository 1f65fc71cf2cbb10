"""Where records are: `tagLocation`. Rules: `specs/indexes.md`.

bucket_layout  tables whose file groups are buckets: by how many, by which fields, as writers state it. Rules INDEX-576,
             INDEX-577
buckets      the bucket index: a hash of the key fields gives the file group. Rules INDEX-14 to INDEX-16
by_files     keys located through files: those whose key ranges and bloom filters let a key pass are read, and only what they
             hold counts
by_records   keys located by the record index: a key's hash chooses the file group, and that a few blocks. Rules INDEX-11 to
             INDEX-13
by_values    records located by values of a column that has a secondary index. Rule INDEX-23
choose       which index locates a batch of keys: the requested one, else the one that reads least. Rules INDEX-17,
             INDEX-18
distributed  tagging by many tasks: what each needs, and whether ranges of keys, buckets or files are dealt to them
filters      many keys put to the bloom filters of file slices. Rule INDEX-22
hashing_metadata  the nodes that a partition begins with under consistent hashing. Rule INDEX-578
key_columns  keys that are to be located, in which file slices they may be by their partition, and where they were found
key_reader   the keys of rows that come in: columns that hold them, or made by the table's key generator. Rule INDEX-19
matching     which of some keys a file slice holds, by its own rows. Rules INDEX-9, INDEX-10
row_keys     the record keys of rows read from files: Hudi's own column or, with virtual keys, made again. Rule INDEX-2
secondary_values  the record keys of file slices beside the values of columns, as secondary indexes spell them. Rule META-111
slice_keys   the record keys that file slices hold, and the bounds that are known of them. Rules INDEX-2, INDEX-5
sorted_keys  keys in ascending order, and which run of them lies between two bounds. Rules INDEX-3, INDEX-4
stored_key_types  columns of keys in the types of the table's: a key is a text of its value, and one value has other texts
             in other types. Rule WRITE-1377
tag          `tagLocation`: rows or keys in, and for each the file that holds its record. Rules INDEX-1, INDEX-19 to INDEX-21
work         what was done to locate keys, counted and timed
"""
