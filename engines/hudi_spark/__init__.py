"""The Spark engine's place.

types   core types to and from Spark's types, without a JVM
"""
