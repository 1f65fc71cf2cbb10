"""The storage of tables: local folders, object stores, and what fsspec opens. Few requests, in parallel.

clients          clients of object stores: the protocol that `remote` needs
file_cache       contents of files that never change, kept in a local file between processes
file_systems     the client over the file systems of pyarrow and fsspec
hedged           hedged reads: a late request is sent a second time
native_files     files of any storage as pyarrow's readers take them
obstore_client   the client over `obstore`
obstore_stores   stores of `obstore` for URLs of S3, Google Cloud Storage and Azure
remote           tables on object stores: few requests, in parallel, one per file
storage          tables in local folders, read by pyarrow, and what pyarrow's readers raise
storage_options  options of object stores under the names of other tools
"""
