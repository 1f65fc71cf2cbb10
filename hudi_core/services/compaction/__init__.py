"""Compaction: log files of merge-on-read tables merged into base files, or into fewer log files. Rules: `specs/compaction.md`.

bounds      plans within bounds of bytes and memory
log_run     running a plan of a log compaction, in one delta commit
log_tasks   tasks of a log compaction: one log file in the place of many
operations  `compact`: plan, and run
options     options of a compaction, also as Apache Hudi's properties state them
partitions  which partitions a plan looks at: those written to since the last compaction
planner     the plan on a table as it is
refusals    tables that are not compacted
result      the result of a compaction, as users get it
run         running a plan, in one commit
strategies  which slices a plan takes, and in which order
tasks       tasks of a run: the new base file of one slice
triggers    whether a compaction is due
"""
