"""Work side by side in threads: results in order, streams read ahead, and how many processors there are.

ordered  parts of one thing worked on side by side, a few ahead of who takes the results, which come in order
streams  streams read side by side in threads, and given one after the other: what comes out does not depend on the threads
"""
