"""Building, listing and dropping indexes while writers continue. Rules: `specs/metadata-table.md`.

A build takes place while writers continue, and the lock is held twice, for moments:

1.  Under the lock: builds that died are removed; an `indexing` instant is *requested*, whose plan names the
    partitions; their file groups are begun empty, by a delta commit of the metadata table; the instant becomes
    *inflight*; the properties name the partitions as being built (`hoodie.table.metadata.partitions.inflight`). From
    here on every writer keeps the partitions up to date, and no reader uses them. A death before the properties are
    changed leaves partitions that no property names: the next build removes them.
2.  Without the lock: tasks read the files that the table had at 1, and write a base file for each file group. Its
    time is before those of the log files that writers add meanwhile, so in a merge the writers' records win.
3.  Under the lock: the metadata table must have what each commit since 1 did (`check.missed_commit`); one of a writer
    that does not keep partitions under construction makes the build begin again. Then the base files are committed to
    the metadata table, the properties name the partitions as complete, and the `indexing` instant is completed.
    Readers may use the index once the properties say so, which is after its files are there.

A build that is refused puts back what it removed or changed (`undo`), and one whose process died shows no heartbeat:
the next build ends it (`removal.end_dead_builds`).

The modules:

build            indexes built on a table that has rows, while writers continue
built_rows       the files of a table that its metadata table is to record
check            whether a metadata table can be used, and has what writers did while an index was built
dropped_plans    plans that cannot be read: dropped with what their runs wrote
exchanged        base files of a build whose tasks exchange records, on several machines
expression_rows  records with which expression indexes begin, from the values in the files of slices
footers          records of statistics and bloom filters, from the footers of base files and from log files
group_files      the base files of an index build: records read by tasks, then a file of each file group
keys             records of the record index, from the keys of file slices
listing          the indexes of a table: what each is made of, whether it may be used, how large it is
removal          indexes that go: dropped ones, and what builds that died have left behind
row_sources      the records with which metadata partitions begin: which files they are made from, and by what
runs             records of metadata partitions by file group: sorted runs as they come, and each group's in order
secondary_rows   records with which secondary indexes begin, from the values of file slices
undo             what an index build that is refused puts back
"""
