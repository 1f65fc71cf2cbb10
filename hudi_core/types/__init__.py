"""The closed union of types.

disguised  hudi 1.2's types that are stored as records: which fields a record needs to be one of them
nodes      the types a Hudi column can have, as frozen data; a closed union; how many digits a fixed-backed decimal has, and names
promote    the one table of type changes: what may be changed to what, what a file's values may be read as, and how
sql        the SQL names of types without parts, and the numbers behind them
text       printing a type for people: readable trees, tables and error messages
walk       visiting all fields of a type, comparing and rewriting them: one walk for every need
"""
