"""The Arrow engine: pyarrow arrays, a batch at a time; the default.

types    core types to and from Arrow's, one table
schema_text  the form `arrow` of schema text: Arrow's own JSON
values   operations on an Arrow array
parquet  base files: footers and batches
storage  tables on local paths and on any URL that pyarrow or fsspec opens
engine   the bundle
"""
