"""`hoodie.*` properties, parsed once into frozen records.

table    what `hoodie.properties` says of a table
"""
