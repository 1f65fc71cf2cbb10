"""The Spark engine's place.

types    core types to and from Spark's types, over the JSON of its schemas, without PySpark
ddl      Spark's DDL text of a schema, without PySpark
structs  PySpark's StructType, without a JVM
"""
