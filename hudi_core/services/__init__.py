"""Table services: what keeps a table in order while others write to it."""
