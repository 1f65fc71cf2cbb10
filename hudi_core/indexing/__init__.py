"""The metadata table of what is written: its records, its delta commits, and building it for a table that has none."""
