"""Bytes of Hudi's own formats, read and written without an engine. Rules: in `specs/`, a file for each kind of format.

source         what bytes are read from: random access to one file
properties     Java properties text, the form of `hoodie.properties`
names          names of base files and log files
name_columns   names of base files, a column of them at once
hashes         hash ids, keys of the metadata table's indexes, key to file group
secondary_key  keys of the secondary index: value and record key in one text
hfile/         HFile version 3
parquet/       footers of Parquet files: which statistics may be trusted
leaf_statistics  what a footer records of a leaf column
inflate        bytes in a gzip frame
crc32c         CRC-32C of many pieces at once
log            log files: their blocks and what they hold
avro/          Avro records to columns and back
deletes        the deletes of log blocks
chains         items that lead to the next, walked from many places at once
roaring        positions of records, as bitmaps
length_chain   items of which each starts with its length
columns        columns of values in Arrow's memory layout
column_join    columns joined part by part
growing        arrays with room at their end
column_cut     some of the rows of a column
column_unions  unions with and without a branch for null
unscaled       decimals: Avro's bytes to numbers and back
ahead          parts of one thing worked on side by side, results in order
freed_memory   memory that the next part of the work needs again is kept
spans          spans of bytes scattered in a buffer, copied together
text_match     where the texts of one column stand in another
murmur         Murmur hashes of whole columns, round after round
xxh32          XXH32 of whole columns
bloom          bloom filters of record keys: read from their text, asked for whole columns of keys
bloom_write    bloom filters written
text_columns   columns of texts: made, chosen, joined
"""
