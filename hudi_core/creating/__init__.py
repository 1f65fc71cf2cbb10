"""Creating tables: their properties, and the files with which a table begins. Rules: `specs/writing.md`.

create            creating tables
creation_options  the options of `create`: kept as properties, with the meaning of an argument, of single writes
new_table         the properties of a new table
"""
