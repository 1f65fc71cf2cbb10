"""Bytes of Hudi's own formats, read and written without an engine. Rules: in `specs/`, a file for each kind of format.

avro/            avro records to columns and back, many at once
bloom            bloom filters of record keys: read, and probed with whole columns of keys. Rules FORMAT-23, FORMAT-24,
                 FORMAT-28
bloom_write      bloom filters of record keys, written bit for bit as Apache Hudi writes them. Rules FORMAT-26, FORMAT-27,
                 FORMAT-1042
crc32c           CRC-32C (Castagnoli) of many pieces of bytes at once, on NumPy. Rule FORMAT-17
deletes          DELETE blocks of log files: which keys are deleted, as columns
files            files as they pass between the core and an engine: listed, rewritten, written
footer           the metadata of a base file, as every format and engine states it
hfile/           HFile version 3
inflate          bytes in a gzip frame, inflated. By ISA-L where its binding is there, which takes half of zlib's time; by
                 zlib elsewhere
last_writer      which library changed a table's properties last, by the comment at their top. Rule TABLE-720
leaf_statistics  statistics of a leaf column, as the footer of a base file records them
log              log files: their blocks, found and classified; the content of a block is read on access. Rules: `specs/log-
                 files.md`
log_write        blocks of log files, written: frames of any content, and the contents of data, delete and command blocks.
                 Rules LOG-1 to LOG-13
name_columns     names of base files, a column of them taken apart at once. Rule FORMAT-5; one by one: `names`
names            names of base files and log files: taken apart, put together, ordered. Rules FORMAT-5 to FORMAT-8
native_log       native log files of table version 10: whole Parquet files or HFiles, each as one block. Rules LOG-710 to
                 LOG-714
parquet/         parquet's metadata, read from a footer's own bytes: which statistics may be trusted, and where pages lie
properties       java properties text, the form of `hoodie.properties` and `.hoodie_partition_metadata`. Rules FORMAT-1 to
                 FORMAT-4
random_access    what the formats read from: random access to the bytes of one file, wherever it is stored
roaring          roaring bitmaps of 64 bits in their portable form, as log blocks name positions of records. Rule LOG-13
secondary_key    keys of the secondary index: an indexed value and a record key in one string. Rule FORMAT-13
secondary_keys   columns of keys of a secondary index: made from columns of values and record keys, compared as sets. Rule
                 FORMAT-13
wrappers         records of Apache Hudi's Avro model that hold one value each: the branches of unions for values of several types
"""
