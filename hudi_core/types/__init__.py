"""The closed union of types.

nodes      the types, and `Field`: what has an id, a name and a type
walk       visiting all fields of a type, comparing and rewriting them
text       printing a type for people and error messages
sql        the SQL names of types, read and written
decimals   how many digits fit how many bytes
disguised  types that are stored as records: variant and blob
promote    the one table of legal type changes, with purpose, cast and loss
"""
