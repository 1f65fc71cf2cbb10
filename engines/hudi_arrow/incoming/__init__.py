"""Rows that come from outside, as batches in the types of a table: Arrow data, values of Python, CSV, JSON.

csv_blocks      blocks of a CSV file as batches, whatever its rows' length; nulls of texts and of other columns
csv_quotes      quotes of a CSV file: what is between one that ends a value and the next comma is refused
csv_rows        rows of CSV files; an error names the row
csv_types       types of columns of CSV that a table does not state: those of all their values
frames          frames of pandas: an index with a name, and objects of Python whose type the table states
gaps            rows of Python that lack a part which other rows of them have
given           rows in the forms that people have them in, as one Arrow stream. Rule ROWS-690
input           rows that come from outside: Arrow data, files
input_folders   folders of Parquet files: all that is in them, or an error
json_forms      values that JSON has no form for, in the forms of the command line
json_lines      lines of JSON as a table: each row an object, however long
json_parts      which columns and parts of structs the rows of a file have
json_pieces     files of JSON in pieces of whole rows
json_rows       rows of files of JSON, piece after piece
json_texts      texts of JSON in columns of CSV files
json_types      types of columns of JSON, as each piece shows them, put together to those of the file
lossless        what Arrow data of other libraries would lose on the way: types that Arrow has no values for, and casts between
                batches that change values without an error. Rules ROWS-1375, ROWS-1376
misfits         values of Python that pyarrow finds no type for: an error that names the first. Rules ROWS-1492, ROWS-1493
python_values   values of Python in the type of a table's column, exactly
spilled_tables  tables that are read once more: in memory up to a limit, those behind it in a file
text_values     values of files of texts in the types of a table's columns
"""
