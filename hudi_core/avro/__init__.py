"""Avro schema text and the types: both ways, without loss.

document   the text: JSON, and the rules of Avro names
logical    Avro's types without fields and the logical types on them
inbound    Avro schema -> Schema
outbound   Schema -> Avro schema
defaults   default values: Avro's JSON form and the domain form
extras     what an engine's schema language has no word for, as JSON for its metadata
canonical  parsing canonical form and fingerprints
"""
