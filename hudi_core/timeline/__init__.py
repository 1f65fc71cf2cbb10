"""The timeline: what happened to a table, and when. Rules: `specs/timeline.md`.

blocks       which blocks of a slice's log files count: those of committed writes, less what was rolled back or compacted
commits      commit metadata, read from JSON (layout 1) or Avro (layout 2) into one form
files        `FileList`: the files of a table's partitions, as columns
history      the history of a table: its archived instants, in the form of its layout. Rules TIME-20 to TIME-24
history_log  history of layout 1: log files of one record for each state of each instant. Rules TIME-20 and TIME-23
history_lsm  history of layout 2: Parquet files by ranges of requested times, named by a manifest. Rules TIME-20 to TIME-22
instants     instants: the names of their files in both timeline layouts, their states, and their order; what a history answers
moved_instants  changes of a table's version that stopped half-way. Rule TIME-1547
recorded_logs  what completed writes record of the log files that they wrote: their sizes, and how many bytes are theirs
schemas      the schema of a table and the schemas its files were written under, with stable column ids. Rules TIME-30 to
             TIME-36
plans        plans of pending actions: what a rollback undoes, and which plans cannot be read
services     records of table services: cleans, savepoints, rollbacks, restores, plans of compaction and clustering
slice_building  how files form slices: the latest slice of every file group at a time, and which groups are replaced (Hudi's
             file-system view), computed for all groups at once. Rules TIME-12 to TIME-14, TIME-25
slices       file slices: the base file and log files that hold the rows of a file group; one, and all of a table as columns
timeline     `Timeline`: the instants of a table, which of them count, and what they did. Rules TIME-6 to TIME-9, TIME-20 to
             TIME-25
times        instant times as people write them: instants, dates, ISO times, epochs, and times of Python's. Rule TIME-5
"""
