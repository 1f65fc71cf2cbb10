"""Creating tables, writing rows, rolling back what failed. Rules: `specs/writing.md`."""
