"""The timeline: what happened to a table, and when. Rules: `specs/timeline.md`.

instants  names of instant files in both layouts, states, the order of instants
times     instant times as people write them
timeline  `Timeline`: the instants of a table, which of them count, and as of when
commits   commit metadata, JSON or Avro, in one form
archived  what is asked of archived instants
history_lsm  archived instants of layout 2, in Parquet files
history_log  archived instants of layout 1, in log files
services  what cleans, savepoints, rollbacks and restores did; plans of compaction and clustering
history   the history of a table, whichever its layout
files     the files of a table's partitions, as columns
replaced  file groups that archived replace commits took away
slices    file slices: one, and all of a table as columns
latest    files and timeline to the latest slice of each live file group
blocks    which blocks of a slice's log files count
schemas   the table's schema, and the ones its files were written under, with column ids
"""
