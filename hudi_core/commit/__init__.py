"""What a write changes, and the storage steps that commit it. Rules: `specs/commits.md`.

avro_schemas   the Avro schemas of the files of instants
heartbeat      heartbeats: signs of life of a write that is going on
instant_files  the names of the files of an instant, in both timeline layouts
lock           the table's lock, shared with writers of Apache Hudi
markers        markers: which data files a write that is not completed may have created
metadata       commit metadata to be written: records of it from what tasks report, and their bytes
properties     replacing the properties of a table
statuses       what tasks of a write report, and what a commit makes of it
storage_lock   the lock of Apache Hudi's `StorageBasedLockProvider`: a file that is replaced by conditional puts
steps          the changes of storage that make a write, as data
times          new instant times: later than all that the timeline has
versions       stores that replace a file only in place of the version of it that was read
"""
