"""Avro schema text and the types: both ways, without loss.

canonical  parsing canonical form and fingerprints of an Avro schema, as the Avro specification defines them
defaults   default values: Avro's JSON form and the form of `hudi_core.values.domain`, both ways
document   the text of an Avro schema: JSON, and the rules of Avro names
extras     what the schema languages of engines have no word for, as JSON that they carry in the metadata of a field
inbound    avro schema to `Schema`: names resolved, logical types recognised, unions taken apart, nothing lost
logical    avro's types without fields and the logical types on them: which of ours they are
outbound   `Schema` to Avro schema, in the order of attributes that Avro's Java library writes
"""
