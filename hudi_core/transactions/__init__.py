"""Transactions: from the request of a change to its commit, or to its rollback. Rules: `specs/writing.md`.

A transaction makes one change visible by one act: the creation of the completed instant. Everything before that act
can be thrown away, everything after it can be left undone. The order of the steps, and what a death between any two
leaves:

1.  Under the table's lock: read the table again, finish rollbacks and roll back writes whose heartbeat has stopped
    (`rollback.roll_back_failed`), choose a time, begin a heartbeat, create the *requested* instant. Unlock. A death
    leaves an instant without files. Its heartbeat stops, and the next writer rolls it back.
2.  `Transaction.start` creates the *inflight* instant with the file groups that the write is going to change, so that
    other writers, Apache Hudi's too, see them. Only now may a data file be made.
3.  The caller creates partition metadata and a *marker* for each data file, then the files, each by a task. A marker
    comes before its file, so a rollback finds every file that may be there, whole or cut. Readers ignore files whose
    instant is not completed.
4.  `Transaction.commit`, under the lock again: read the table again; refuse the change where another writer changed
    what it builds on (`conflicts`); make the metadata table's *delta commit* (`metadata_steps`) and the schema
    history's entry. Readers ignore records of the metadata table whose instant is not completed on the table's
    timeline, so these come first: the other way round a reader could see a commit whose files no index knows. A death
    here is rolled back with its records (`metadata_writer.undo`).
5.  Data files, log files, markers and their folders are made durable (`commit.steps.sync_changes`), the lock file is
    read once more to see that it is still ours, and the *completed* instant is created. This is the act. Unlock. In
    local folders the look comes behind all but the name of that file, and whoever takes the lock takes the file away.
6.  The heartbeat and the markers go. A death before that leaves markers of a completed write, which no reader and no
    rollback follows; once the heartbeat has stopped, the next writer removes them (`remains`).

The lock is held in 1, 4 and 5 alone, for moments: rows are read and written while others do the same. What is decided
under the first lock is checked again under the second. A change that failed before 4 is *taken back*, and no trace of
it is left; from 4 on it is *rolled back*, with an instant of its own, because others may have read records that name
it. Where storage takes no such instant, as a full disk, it is taken back all the same.

Plans (of a compaction, a clustering) go the same way from 2 on: their request was made by `schedule`, and `resume`
takes it up.

The modules:

attempts           attempts of tasks that may run more than once: each writes files of its own names
command_blocks     blocks of a write in log files of several, cancelled where they stand
conflicts          conflicts between writers: whether a write may still complete after others have
dependents         what builds on a completed write, so that it is not undone alone
early_conflicts    conflicts that markers show before files are written, where properties ask for it
filter_logs        bloom filters that tasks bring from footers to log files of `bloom_filters`, which wait for the commit
key_exchange       keys that tasks send on to the file groups of the record index, whose log files wait for the commit
left_out           partition columns that files leave out: which tables can have them, and which paths give their values back
metadata_services  when the metadata table is compacted and cleaned: by the commit that comes when it is due
metadata_steps     the metadata table's part of a commit of the table
old_versions       table versions that are only read. Rule TABLE-261
pairs              what happens when two actions meet, as one table that `conflicts` reads
refusals           tables that are not written to, each named for what is in the way
remains            heartbeats and markers of writes that are over, which processes that were killed have left
reports            what tasks of a flow send: contents of packets, and reports for the process that runs the flow
rollback           what undoes a write: one that died, and a completed one that nothing builds on
rollback_plans     the plan of a rollback: which files are of the write that is undone
rollback_steps     the steps of a rollback in their order, and its records on the timeline
schema_commit      the schema history of a table, which every commit continues
stream_batches     batches of streams, each committed once
taking_back        writes that failed in their work, and plans whose run did, taken back as if they had not been
transaction        transactions: from the request of a write to its commit, or to its rollback
"""
