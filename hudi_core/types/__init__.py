"""The closed union of types.

nodes    the types, and `Field`: what has an id, a name and a type
walk     visiting all fields of a type, and rewriting them
text     printing a type for people and error messages
promote  the one table of legal type changes, with purpose, cast and loss
"""
