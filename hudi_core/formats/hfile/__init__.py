"""HFile version 3. Rules: `specs/formats.md`.

block    blocks of an HFile: their frame, their checksums, their compression. Rules FORMAT-16, FORMAT-17 and FORMAT-19
cells    rows of an HFile: cells found in the bytes of its data blocks, and rows found by key. Rules FORMAT-21 and FORMAT-22
file     HFile version 3: opened from random access, read whole, looked up by key or by prefix. Rules FORMAT-14 to FORMAT-22
index    block indexes of an HFile: which block starts with which row. Rule FORMAT-20
records  rows of an HFile as Avro records, with the texts that they leave to their keys. Rule LOG-830
search   runs of rows that are looked for in an HFile: which blocks can hold them, and where they are among cells. Rule
         FORMAT-712
trailer  the trailer of an HFile, its file info, and the protobuf wire form both are written in. Rules FORMAT-15 and FORMAT-18
write    HFiles written: data blocks as their rows come, then indexes, file info and trailer. Rules FORMAT-14 to FORMAT-31
"""
