"""The changes of a write, and the storage steps that commit them. Rules: `specs/commits.md`.

abandoned      temporary files that killed processes have left
avro_schemas   the Avro schemas of the files of instants
compaction_plans  plans of compactions, of a table and of its metadata table, and their stored form
heartbeat      heartbeats of writes that are going on
lock           the table's lock, shared with writers of Apache Hudi
lock_owner     who holds a lock, and whether that process is still there
markers        markers: which data files a write that is not completed may have created
metadata       commit metadata to be written: records of it from what tasks report, and their bytes
name_limits    how long names may be where the storage has a limit
properties     replacing the properties of a table
staged_rows    rows that wait in files for the process that commits them
statuses       write statuses, which tasks report, and the change of the table that a commit makes of them
storage_lock   the lock of Apache Hudi's `StorageBasedLockProvider`: a file that is replaced by conditional puts
steps          the storage steps of a write, as data
times          new instant times: later than all that the timeline has
versions       conditional puts: replacing a file only if it still is the version that was read
"""
