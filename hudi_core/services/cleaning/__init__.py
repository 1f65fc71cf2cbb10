"""Cleaning: old files that no query of a kept state needs are deleted. Rules: `specs/cleaning.md`.

metadata_steps  the metadata table's part of a clean
operations      `clean`: planning a clean, and running it
options         options of a clean, and what they and the properties of a table come to
plan            plans, as values and as Apache Hudi stores them
planner         a plan from one look at the table
result          the result, as users get it
retention       the first write that is retained, and the partitions to look at
run             running a plan
selection       the versions of file groups that are superfluous
versions        all versions of file groups
"""
