"""What users of the package call: tables with all that can be done to them.

changes      several changes of a table in one commit
forms        forms of schemas by name: the core's own, and what the entry points `hudi_core.schemas` offer
keys         record keys and partition paths of rows
keywords     options of operations by name, typed
merging      merges of a source into a table, clause by clause
odd_arguments  arguments of public functions: one of another type than the function states is an error that says so
opening      opening and creating tables
schemas      schemas made from columns and from other libraries' schemas, and the way back
services     an open table with its services as methods
table        an open table with its operations as methods
writes       writes, as functions, and the services that follow them
"""
