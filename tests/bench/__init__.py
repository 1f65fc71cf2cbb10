"""Measurements against peers: `python -m tests.bench [NAME]` prints one JSON object a line for each goal.

__main__          reads the goals, runs what there is, says what is missing
timing            interleaved repetitions, hot and with emptied caches
files             synthetic statistics of many files
prune             which files can match, against NumPy by hand
prune_polars      the same, against polars
prune_pyiceberg   the same, against PyIceberg's metrics evaluator
prune_sql         the same from SQL text, against PyIceberg's parser

A subject NAME is a module here with `pair(case, peer) -> Pair`; it raises `Missing` for what cannot be measured.
"""
