"""Where records are: `tagLocation`. Rules: `specs/indexes.md`.

tag          rows or keys in, and for each the file that holds its record
choose       which index locates a batch of keys, and why
by_files     keys located through files: ranges, bloom filters, the files that are left
by_records   keys located by the record index
by_values    records located by values of a column with a secondary index
buckets      the bucket index: simple, and consistent hashing
places       in which file slices a key may be, by its partition alone
sorted_keys  keys in order, and the run of them between two bounds
filters      many keys put to bloom filters
stored       the record keys that file slices hold, and their bounds
matching     which of some keys a slice holds
key_reader   the keys of rows that come in
key_columns  keys to be located, and where they were found, as columns
work         what was done, counted and timed
"""
