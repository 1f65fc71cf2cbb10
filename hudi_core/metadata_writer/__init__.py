"""The commits of the metadata table: of a change, its services, and its beginning. Rules: `specs/metadata-table.md`.

building          metadata partitions added to an existing metadata table while writers continue. Rules META-90 to
                  META-92
changes           the delta commit that a commit of the table makes. Rules META-51 to META-55, META-530, META-531
cleaning          the metadata table's own cleaning: files of slices that two compactions have replaced. Rule META-104
compaction        the metadata table's own compaction: many log files merged into base files. Rules META-100
                  to META-103
delta_commit      delta commits of the metadata table: rows for its partitions as steps. Rules META-70 to META-74
group_files       file groups of a metadata partition, and the files with their rows. Rules META-70 to META-74
initial           the metadata table of a table that has none yet, and the first commit of each partition of it. Rules
                  META-75 to META-79
undo              removing a commit of the table from the metadata table, as if it had never been there. Rule META-86
"""
