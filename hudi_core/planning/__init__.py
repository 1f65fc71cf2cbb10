"""Data skipping: which file slices a predicate can match, decided source by source, and why."""
