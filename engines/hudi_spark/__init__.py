"""The Spark engine's place.

types    core types to and from Spark's types, over the JSON of its schemas, without PySpark
ddl      Spark's DDL text of a schema, without PySpark
schema_text  the forms `spark` and `ddl` of schema text
structs  PySpark's StructType, without a JVM
"""
