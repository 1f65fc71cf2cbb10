"""Table services: what keeps a table in order while others write to it.

A compaction and a clean go in two steps, each with a module of that name in its package:

    operations  what users call: refuses tables that the service does not go with, brings `options` and the properties of the
                table together, and calls the steps
      planner   a plan from one look at the table. It is a value that `operations.schedule` writes under the table's lock, as a
                requested instant
    run         runs a requested plan while writers go on. The lock is held again for the completed instant and the metadata
                table's part of it
    result      what was done, as users get it

A requested plan outlives the process that made it: the next run finishes it, and so does Apache Hudi. An archive has no plan that
is stored, since it is no action of the timeline: it works under the lock, some instants at a time. A savepoint, a restore and
the rollback of a completed write hold the lock throughout; indexes that they dropped are built again behind it. A restore that
died is finished by the next one.

Two services are elsewhere: `hudi_core.cluster` clusters, and `transactions.rollback` undoes writes that died, as writers do too.

The modules:

archiving/        old instants leave the active timeline for the history
bounds            how much one run of a service reads, writes and holds in memory
cleaning/         old files that no query of a kept state needs are deleted
compaction/       log files merged into base files, or into fewer log files
given_properties  properties that a caller gives to a service, over those of the table
restoring/        savepoints, and tables brought back to what they were
upkeep/           services by themselves: which are due, and in which order they run
"""
