"""Work side by side in threads, with results in order.

background threads for calls that may hang: the process waits for them a moment when it ends
forks    what threads share, in a process that was forked. Rule ENGINE-1603
flow     rows in motion between tasks on many machines. Rule ENGINE-420
limits   how much is done at the same time: computing on processors, and waiting for storage
ordered  tasks that run side by side in threads, a few ahead of the consumer; their results come in order; calls aside
requests requests to storage that answers from afar: bounded, counted, begun ahead of use
reach    what tasks see of the process that started them. Rule ENGINE-10
runners  runners of this process, as `hudi_core.engine.Runner` defines them. Rule ENGINE-9
streams  streams read side by side in threads and given one after the other: the output does not depend on the threads
"""
