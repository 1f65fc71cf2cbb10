"""Files of tables: base files in Parquet, ORC, HFile and Lance, read and written.

calendars        days and instants of files that count them in another calendar
copied_chunks    files put together of column chunks, those of an older file among them
dictionaries     the columns of a Parquet file for which a dictionary pays
fallback         pages that are read by pyarrow because our own reading of them does not know them
footers          the schema in a file's footer, worked out once for files alike, and batches in its types
hfile            HFile base files
inflated         row groups as files made of their pages: inflated here, or only those with a wanted row
lance            Lance base files, by the library of Lance where it is installed
orc              ORC base files
pages            pages of column chunks, as a file that pyarrow reads
parquet          Parquet base files: footers and batches
parquet_write    base files written, with exact statistics
releases         what older releases of pyarrow cannot do, and the ways round it
selection        columns and rows chosen of a file whose library reads whole columns alone
written_statistics  exact statistics of a Parquet file that is being written
"""
