"""What a write changes, and the storage steps that commit it. Rules: `specs/commits.md`.

statuses  what tasks of a write report, and what a commit makes of it
steps     the changes of storage that make a write, as data
"""
