"""The functions that users call on Spark, over the engine: no rule of Hudi and no conversion of values is here.

table    `open`: a table whose scans give DataFrames
streams  batches of streams, each written once
queries  what counts the batches of a stream
writing  writes of DataFrames
services services and index builds whose tasks run on executors
tagging  `tagLocation`: keys in, keys with the file that holds their record out
source   the data source `hudi_core` of Spark 4, and its streams
sink     writes by that data source
registering  the data source in a session
"""
