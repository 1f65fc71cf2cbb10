"""A model checker: schedules of writers, services and readers over one table, whose code is the product's own.

scheduler    actors as threads of which one runs at a time, from one call of the storage to the next; deaths, pauses, clocks
actions      what actors do, as data: each with the change of the rows that it means
world        one run: a table, actors, a schedule; and what must hold after it
schedules    which actor comes next: at random, and every switch between two actors one by one
killed       processes that are killed and stopped at random; `hurried` and `following` are what they need
history      one long history of a table of a drawn kind, and what must hold after each step; `history_kinds`, `history_writes`,
             `history_services` and `history_steps` are what it draws from
"""
