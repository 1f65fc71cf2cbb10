"""Work side by side in threads, with results in order.

limits   how much is done at the same time: processors, requests in flight to storage
ordered  tasks that run side by side, a few ahead of the consumer; their results come in order
streams  streams read side by side in threads and given one after the other: the output does not depend on the threads
"""
