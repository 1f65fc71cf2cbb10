"""The timeline: what happened to a table, and when. Rules: `specs/timeline.md`.

instants  names of instant files in both layouts, states, the order of instants
timeline  `Timeline`: the active instants of a table, which of them count, and as of when
commits   commit metadata, JSON or Avro, in one form
slices    file names and timeline to the latest slice of each live file group
blocks    which blocks of a slice's log files count
schemas   the table's schema, and the ones its files were written under, with column ids
"""
