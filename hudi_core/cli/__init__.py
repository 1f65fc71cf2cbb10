"""The command line: `hudi-core`. It finds engines and forms of schema text by entry point and names none.

advice       which index or clustering would pay for queries, shown
application  the application: its commands, and how errors become one line and an exit status
archiving    `archive`: old instants leave the active timeline for the history
arguments    what is given on a command line: each option once unless it is repeatable, names with values
cleaning     `clean`: old files that no query of a kept state needs are deleted
cluster      `cluster`: rows rewritten so that queries skip files
compact      `compact`: log files merged into base files
completion   `completion`: a script by which a shell completes commands and options
create       `create` and `rollback`: a new table, and what undoes a write
demo         `demo`: a guided tour on a real table that is brought along, beside what Apache Hudi answers on it
demo_writes  the part of the tour that writes: a table of its own is created, written to, and pruned
details      `stats`, `diff` and `trace`: one column, two instants, one record
dump         `dump`: what one file of a table holds
examples     examples of each command, as its help shows them
explain/     `explain`: why a query reads the file slices it reads, as text, as data, and as a page with pictures
help         the help of a command: its use, what it does, its options with their choices whole, and examples
hints        what somebody means who types a command, an option or a word as other tools have it
indexes      `index` and `metadata`: the indexes of a table, listed, built and dropped, and their records
keys         `keys`: the record key and partition path of each row of an input
layout       tables as wide as what they are shown on: what is folded, cut, put below its row or left out
locate       `locate`: the records that have certain values, and the files that hold them, by a secondary index
main         the console script. Help and version are answered at once: all that commands need is loaded for commands alone
metadata_rows  records of the metadata table for people: a line for each value, bounds as values of their type
options      arguments and options that several commands share
other_tools  words of other tools, and what they are here
output       the output of commands: NDJSON for programs, tables for people; messages and warnings on standard error
overview     what the command line offers, in lines for people: the commands and what all of them take. It loads none of them
predicates   several predicates of one command, which have to be true together
progress     how far a command is, on standard error
read         `read`: rows to the terminal, as NDJSON, or into a file
report/      `report`: what there is to know of a table at a glance, as text, as JSON, and as a page with pictures
restoring    `savepoint` and `restore`: states of a table that are kept, and gone back to
schemas      `schema`, `convert-schema` and `evolve`: schemas as trees and as text, and what a change would make of them
service      `service`: what a table needs to stay in order, once or round by round
signals      signals that end a command: what it holds is given back first
sql          `sql`: a query of DuckDB on a table
stated       properties of services, over what a table states
streams      rows through standard input and output
summaries    `commits`, `partitions`, `count` and `head`: short answers about a table
symbols      signs of reports for character sets that lack them
tables       `inspect`, `timeline` and `files`: what a table is and has
tag          `tag`: for each row of an input the file of the table that holds its record
times        times as they are typed: a number of seconds, minutes, hours or days
unlock       `unlock`: the lock of a writer that died is freed
validation   `validate`: the consistency of a table
waiting      what a command waits for: the answers of remote storage, on standard error until its first output
words        counts, sizes and times in words for people
writing      `write`, `delete`, `update` and `delete-partition`: changes of rows, each in one commit
"""
