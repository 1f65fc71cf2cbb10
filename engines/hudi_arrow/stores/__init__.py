"""The storage of tables: local folders, object stores, and what fsspec opens. Few requests, in parallel.

clients          clients of object stores: the protocol that `remote` needs, and the client over pyarrow's file systems
file_cache       contents of files that never change, kept in a local file between processes
hedged           hedged reads: a late request is sent a second time
native_files     files of any storage as pyarrow's readers take them
obstore_client   the client over `obstore`
obstore_stores   stores of `obstore` for URLs of S3, Google Cloud Storage and Azure
remote           tables on object stores: few requests, in parallel, one per file
storage          tables on local paths and on any URL that pyarrow or fsspec opens
storage_options  options of object stores under the names of other tools
"""
