"""Table services: what keeps a table in order while others write to it.

stated  properties of services as numbers and flags, under any of the names that Apache Hudi has for them
"""
