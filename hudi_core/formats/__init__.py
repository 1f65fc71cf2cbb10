"""Bytes of Hudi's own formats, read and written without an engine. Rules: in `specs/`, a file for each kind of format.

source         what bytes are read from: random access to one file
properties     Java properties text, the form of `hoodie.properties`
names          names of base files and log files
name_columns   names of base files, a column of them at once
hashes         hash ids, keys of the metadata table's indexes, key to file group
secondary_key  keys of the secondary index: value and record key in one text
hfile          HFile version 3: open, read whole, look up, by prefix
hfile_trailer  its trailer, its protobuf messages and its file info
hfile_index    its block indexes
hfile_block    its blocks: frame, checksums, compression
inflate        bytes in a gzip frame
hfile_cells    its rows: cells found in blocks, and found by key
crc32c         CRC-32C of many pieces at once
log            log files: their blocks and what they hold
avro_block     the Avro records of log blocks, and their content from columns
deletes        the deletes of log blocks
chains         items that lead to the next, walked from many places at once
roaring        positions of records, as bitmaps
length_chain   items of which each starts with its length
avro_columns   Avro records of one schema to columns: the way in
avro_plan      how to read a schema: a tree of readers, cut down to the wanted fields
avro_read      values of many records at once, field by field, into columns
avro_skip      passing over values of many records at once; where items of lists start
avro_lanes     the cursors into many records
avro_step      where the items of one list start: long lists in few records
avro_hop       where values end that begin at many guessed places
avro_walk      what is wrong with one record
avro_encode    columns to Avro records: the way out
avro_write     columns to values of many records at once, field by field, as pieces of their bytes
avro_pieces    rows of bytes put together from pieces
avro_varint    numbers as Avro writes them
avro_container Avro object-container files, read whole
columns        columns of values in Arrow's memory layout
column_join    columns joined part by part
column_cut     some of the rows of a column
column_unions  unions with and without a branch for null
unscaled       decimals: Avro's bytes to numbers and back
ahead          parts of one thing worked on side by side, results in order
spans          spans of bytes scattered in a buffer, copied together
text_match     where the texts of one column stand in another
murmur         Murmur hashes of whole columns, round after round
xxh32          XXH32 of whole columns
bloom          bloom filters of record keys: read from their text, asked for whole columns of keys
bloom_write    bloom filters written
text_columns   columns of texts: made, chosen, joined
"""
