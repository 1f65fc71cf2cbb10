"""Table services: what keeps a table in order while others write to it.

bounds            how much one run of a service reads, writes and holds in memory
given_properties  properties that a caller gives to a service, over those of the table
"""
