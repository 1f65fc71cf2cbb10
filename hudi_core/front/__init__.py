"""What users of the package call: tables with all that can be done to them.

keywords   options of operations by name, typed
opening    opening and creating tables
table      an open table with its operations as methods
"""
