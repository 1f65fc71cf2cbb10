"""Which key and partition path a row has, and what keys and paths imply of rows. Rules: `specs/keys.md`.

bound        keys and partition paths of rows, nulls included: a generator bound to a schema, over any engine's columns: one
             row, a batch, a cluster. Rules KEY-4 to KEY-12
choose       options to key generator, as Apache Hudi chooses: a class, else a type, else by the fields; key generators of
             your own. Rules KEY-1 to KEY-6
clock        timestamp-based partition paths: the time in a field, printed in the wanted form. Rules KEY-14 to KEY-18
composite    composite record keys as strings, `name:value,name:value`: put together and taken apart. Rules KEY-8 and KEY-9
from_keys    record keys and the columns they are made of: which key a row has whose key columns have certain values
generator    what a key generator does, as data: how the record key and how the partition path of a row are made
joda         joda's date patterns, which Hudi's timestamp options are written in, and the string of an instant
joda_read    reading texts of Joda's date patterns. Rules KEY-20 and KEY-21
options      `hoodie.*` options of key generators, checked once and typed
path_values  partition paths read back: the values that their strings stand for, and so what a row's folder implies of its
             partition columns
records      records at the edge: the key of one, where it is stored, and the record itself. Inside, batches go their way as
             columns
strings      the string that a value has in keys and paths, by the path of writing. Rule KEY-7
time_forms   whether a stored partition path has the form that a generator gives times. Rule KEY-1567
times        the part of a partition path that a time makes, over any engine's columns. Rules KEY-14 to KEY-18
zones        time zones by Java's names: regions, offsets (`GMT+8:00`) and the abbreviations that Joda reads as
             regions
"""
