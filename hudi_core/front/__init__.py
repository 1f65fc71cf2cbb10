"""What users of the package call: tables with all that can be done to them.

after_write  the services that follow a write where properties ask for them
keywords     options of operations by name, typed
opening      opening and creating tables
table        an open table with its operations as methods
"""
