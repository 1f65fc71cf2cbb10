"""The command line: `hudi-core`. It finds engines and forms of schema text by entry point and names none.

main      the console script: help and version at once, else the application
overview  what the command line offers
application  the commands, errors to exit status
options   what several commands share: table, engine, metadata mode, output form
output    NDJSON or tables for people
words     counts, sizes and times in words
tables    inspect, timeline, files
schemas   schema, convert-schema, evolve
forms     forms of schema text by name
tree      a schema as a tree with column ids
explain/  which step removed what, and why; the page with pictures
read      rows to the terminal or a file
tag       keys located in a table
locate    records that have certain values, located by a secondary index
keys      the record key and partition path of each row of an input
demo      a guided tour on a table it brings along
"""
