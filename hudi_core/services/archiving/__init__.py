"""Archiving: old instants leave the active timeline for the history. Rules: `specs/archiving.md`.

actions     the actions that are archived, with all their files
bounds      what must stay on the active timeline, and why
entries     entries of the history of layout 1
log         writing the history of layout 1
lsm         writing the history of layout 2
operations  `archive`
options     options of an archive, and what they and the properties of a table come to
result      the result, as users get it
target      a timeline to archive: that of a table, or of its metadata table
"""
