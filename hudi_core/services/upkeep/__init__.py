"""Services by themselves: what is due, in the right order, after a write or round by round. Rules: `specs/upkeep.md`.

clustering  whether a clustering is due, and its options, by the properties of a table
inline      what properties ask of a writer after each commit
rounds      one round of services after another, within bounds of time and number
services    the services, one record each: when each is due, and its run
usable      the properties of services that a new table states, tried before it exists
"""
