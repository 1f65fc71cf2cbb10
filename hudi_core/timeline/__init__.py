"""The timeline: what happened to a table, and when. Rules: `specs/timeline.md`.

archived     what is asked of archived instants: `ArchivedTimeline`, the form of both layouts
blocks       which blocks of a slice's log files count: those of committed writes, less what was rolled back or compacted
commits      commit metadata: what a write says it did, read from JSON (layout 1) or Avro (layout 2) into one form
files        `FileList`: the files of a table's partitions, as columns
history      the history of a table: its archived instants, whichever way its layout keeps them. Rules TIME-20 to TIME-24
history_log  history of layout 1: log files of one record for each state of each instant. Rules TIME-20 and TIME-23
history_lsm  history of layout 2: Parquet files by ranges of requested times, named by a manifest. Rules TIME-20 to TIME-22
instants     instants: the names of their files in both timeline layouts, their states, and their order
latest       the latest slice of every file group (Hudi's file-system view), found for all groups at once. Rules TIME-12 to
             TIME-14
replaced     file groups that archived replace commits took away, and whose files are still there. Rule TIME-25
schemas      which schema a table has, and which its files were written under, with the column ids of one life. Rules TIME-30
             to TIME-36
services     what table services did and are to do: cleans, savepoints, rollbacks, restores, plans of compaction and
             clustering
slices       file slices: which base file and log files together hold a file group's rows; one, and all of a table as columns
timeline     `Timeline`: the instants of a table, which of them count, and what they did. Rules TIME-6 to TIME-9, TIME-20 to
             TIME-25
times        instant times as people write them: instants, dates, ISO times, epochs, and times of Python's. Rule TIME-5
"""
