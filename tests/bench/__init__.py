"""Measurements against peers: `python -m tests.bench [NAME [CASE]]` prints one JSON object a line for each goal.

__main__      runs the goals of a subject, or all; its exit status says whether they are met
goals         goals as data, and the module that measures a case: a new subject or case is a module, and no list names it
timing        interleaved repetitions, hot and with emptied caches
cold          the first call of a new process
apache_hudi   Apache Hudi itself as a peer, with the tables that it wrote
paths         special paths of the product, on and off, end to end: what `docs/performance.md` reports

The other modules are subjects, their peers (`SUBJECT_PEER`), and `files`, synthetic statistics of many files.
"""
