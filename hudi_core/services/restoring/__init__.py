"""Savepoints, and tables brought back to what they were. Rules: `specs/restoring.md`.

plan        which instants a restore undoes, and which files it deletes
proof       the proof that a plan keeps every file of the state that comes back; rows lost and won
rebuilding  the metadata table built anew after the history of its table changed
result      the results, as users get them
run         running a restore: instants undone newest first, the metadata table dropped and built anew
savepoints  savepoints: made, listed, dropped
undoing     one completed write undone that nothing builds on
"""
