"""The Arrow engine: pyarrow arrays, a batch at a time; the default. What it answers: `specs/engine.md`.

engine       the bundle
types        core types to and from Arrow's, one table
schema_text  the form `arrow` of schema text: Arrow's own JSON
memory       Arrow's memory from the system's allocator while it is scarce
storage      tables on local paths and on any URL that pyarrow or fsspec opens
native_files  files of any storage as pyarrow's readers take them
remote       tables on object stores: few requests, in parallel, one per file
clients      clients of object stores: the protocol that `remote` needs, and the client over pyarrow's file systems
obstore_client  the client over `obstore`
hedged       hedged reads: a late request is sent a second time
obstore_stores  stores of `obstore` for URLs of S3, Google Cloud Storage and Azure
file_cache   contents of files that never change, kept in a local file between processes
storage_options  options of object stores under the names of other tools
parquet      Parquet base files: footers and batches
releases     what older releases of pyarrow cannot do, and the ways round it
parquet_schemas  the types of their columns, worked out once for files alike
inflated     row groups as files made of their pages: inflated here, or only those with a wanted row
pages        pages of column chunks, as a file that pyarrow reads
fallback     pages that are read by pyarrow because our own reading of them does not know them
parquet_write  base files written, with exact statistics
dictionaries the columns of a Parquet file for which a dictionary pays
orc          ORC base files
selection    columns and rows chosen of a file whose library reads whole columns alone
hfile        HFile base files
lance        Lance base files, by the library of Lance where it is installed
footers      the schema in a file's footer, and batches in its types
buffers      decoded columns to arrays, wrapped where they lie, and back
rows         batches of a scan, and their rows as JSON
gather       rows put together from rows of several batches
output       rows written to a file
input        rows that come from outside: Arrow data, files
input_folders  folders of Parquet files: all that is in them, or an error
python_values  values of Python in the type of a table's column, exactly
csv_rows     rows of CSV files; an error names the row
csv_blocks   blocks of a CSV file as batches, whatever its rows' length; nulls of texts and of other columns
csv_types    types of columns of CSV that a table does not state: those of all their values
json_rows    rows of files of JSON, piece after piece
json_pieces  files of JSON in pieces of whole rows
json_lines   lines of JSON as a table: each row an object, however long
json_types   types of columns of JSON, as each piece shows them, put together to those of the file
json_parts   which columns and parts of structs the rows of a file have
spilled_tables  tables that are read once more: in memory up to a limit, those behind it in a file
json_texts   texts of JSON in columns of CSV files
values       operations on an Arrow array: the engine's `Values`
arrays       arrays in one physical form, taken apart and put together, from and to values
nested       functions of arrays and maps: all elements as one column
integers     integers, dates and ticks as NumPy arrays, and functions of them
compare      order and equality
functions    the known functions
arithmetic   + - * / % negative abs
text         LIKE, regular expressions, substrings, strings joined
casts        stored conversions and SQL's CAST
distinct     a function of values, called once for each distinct one
threads      kernels that make texts, on all cores
"""
