"""Schema: a record type with column ids, and what is found in it.

dialect  column paths as column statistics and Parquet write them: `a.list.element.x`, `m.key_value.value`
history  the schema of an instant, and adding to a history document
ids      giving column ids to a type: Hudi's block rule (fact: InternalSchema of RFC-33), and never the same id twice
json     the persisted form of a schema (InternalSchema JSON) and documents of its history, byte for byte as Apache Hudi
         writes them
loss     what a conversion could not carry over, as data
meta     hudi's own columns: five that are first in every row unless keys are virtual, and a sixth on request
names    lists of names as users give them
project  schemas made of a schema: columns chosen, ordered, made optional. Ids stay, and so does the greatest id ever given
schema   `Schema`: a record type whose fields have column ids, with lookups by id, by name path and by position
text_forms  forms of schema text: what the entry points `hudi_core.schemas` give by name
"""
