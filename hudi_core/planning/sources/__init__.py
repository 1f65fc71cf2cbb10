"""Sources of data skipping: statistics and indexes of a snapshot's slices. Rules: `specs/sources.md`.

bloom_filters       bloom filters of base files: which of them certainly do not hold a record key
bootstraps          files that a bootstrap left where they were, found by the index that it made. Rules TABLE-730 to TABLE-732
column_ranges       the ranges of a column in some slices, as values: what people see of statistics
commits             which commits wrote a slice's files: what file names decide for rows selected by their commit
conditions          facts: whole conditions of one predicate that indexes or partition paths decide, as boolean columns
expression_filters  bloom filters of expression indexes: which slices hold no row whose value of a function is one of some
expression_indexes  expression indexes: statistics of a function of a column, as those of a column of its own
file_filters        the bloom filters of base files as they are stored, in the metadata table or in footers, and which of them
                    are worth probing
file_headers        footers of base files and headers of log files, read side by side and kept
file_statistics     slices with log files, file by file: where merging takes whole rows, a row matches only if one file may hold
                    it
footer_fallback     slices that recorded statistics leave in doubt: which they are, and the statistics in their files
footer_statistics   statistics from the footers of base files, for what the metadata table lacks
indexes             indexes with the slices of certain values: conditions on equality become facts that are false elsewhere
joined_file         a base file of a bootstrap and the file that has the columns of its rows, read as one. Rule TABLE-730
log_headers         which columns a log file may change, by the headers of its blocks: deletes none, partial updates a few
log_statistics      column statistics of the log files of slices, apart from those of their base files: which slices' log
                    files exclude a condition. Rule SOURCE-18
planner             one predicate over a table's sources: rewritten to what each can answer, and the sources in the order of their
                    use
slice_statistics    what is known of each slice's columns: the sources of statistics, a column at a time, as pieces for one
                    store
sources             what is known of a snapshot's slices: made ready once and kept, for any predicate. Rules:
                    `specs/sources.md`
stable_names        columns that indexes are made of by name: those that the name has meant all the time
uniqueness          whether the record index can be trusted: whether it has as many keys as the table has rows
"""
