"""Work side by side in threads: results in order, streams read ahead, and how many processors there are."""
