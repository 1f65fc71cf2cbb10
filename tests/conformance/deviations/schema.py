"""Deviations of Avro schemas, the persisted schema and its history.

A question holds `ask` and what it is about: `avro` (JSON) and the `schema` read from it, the `text` of a persisted schema or
document and its `document` as JSON, `types`, `names`, a `name`, or the `chosen` schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from tests.conformance.deviations import Deviation, Question, always, refused
from tests.conformance.deviations.schema_answers import (
    appended,
    avro_of_no_bytes,
    back,
    chosen,
    documents,
    greatest_of_all,
    greatest_raised,
    greatest_unchanged,
    hidden_apart,
    ids_in,
    in_later_branch,
    itself,
    kinds_of_nanos,
    kinds_of_one,
    no_ids_in,
    nullable_once,
    objects,
    rewritten,
    second_named,
    spelled,
    underscored,
    without_doc,
)

SUBJECT = "avro_to_internal_schema"

_CURRENT = re.compile(
    r"(boolean|int|long|float|double|date|time|timestamp|string|binary|uuid|(time|(local_)?timestamp)_millis"
    r"|local_timestamp_micros|fixed\[\d+\]|decimal\(\d+,\s+\d+\)|decimal_(bytes|fixed)\(\d+,\s*\d+\)(\[\d+\])?)",
    re.IGNORECASE,
)
"""The type names that Hudi 1.2 reads."""


def _type_names(question: Question) -> Iterator[str]:
    keys = ("element", "key", "value")
    for item in documents(question):
        yield from (item[key] for key in keys if isinstance(item.get(key), str))
        if isinstance(item.get("type"), str) and "name" in item:
            yield item["type"]


def _fields(question: Question) -> list[t.Field]:
    schema = question.get("schema")
    return [field for _, field in walk(schema.record)] if isinstance(schema, Schema) else []


def _has(question: Question, *kinds: type) -> bool:
    return any(isinstance(field.type, kinds) for field in _fields(question))


def _disguised(question: Question) -> list[t.Record]:
    records = [field.type for field in _fields(question) if isinstance(field.type, t.Record)]
    return [record for record in records if record.kind is not t.RecordKind.PLAIN]


def _nanos(question: Question) -> bool:
    return any(getattr(field.type, "unit", None) is t.Unit.NANOS for field in _fields(question))


# Avro -----------------------------------------------------------------------------------------------------------------


def _null_alone(q: Question) -> bool:
    return q["ask"] == "kinds" and any(
        "null" in (item.get("type"), item.get("items"), item.get("values")) for item in objects(q["avro"])
    )


def _union_of_one(q: Question) -> bool:
    places = [item.get(key) for item in objects(q.get("avro")) for key in ("type", "items", "values")]
    alone = any(isinstance(place, list) and len(place) == 1 for place in places)
    return q["ask"] == "kinds" and alone and isinstance(q.get("schema"), Schema)


def _hidden_ids(q: Question) -> bool:
    records = _disguised(q)
    alone = len(records) == 1 and records[0].kind is t.RecordKind.VARIANT and len(records[0].fields) == 2
    return q["ask"] == "ids" and (_has(q, t.Union) or (bool(records) and not alone))


def _later_branches(q: Question) -> bool:
    """A union of which a later branch has the column with the greatest id."""
    schema = q.get("schema")
    if q["ask"] != "persisted" or not isinstance(schema, Schema) or not schema.places:
        return False
    return in_later_branch(schema, schema.places[max(schema.places)].path)


def _keeps_more(q: Question) -> bool:
    """Whether a schema says what InternalSchema has no place for."""
    schema = q.get("schema")
    if q["ask"] != "avro again" or not isinstance(schema, Schema):
        return False
    for record in (schema.record, *(field.type for field in _fields(q) if isinstance(field.type, t.Record))):
        if record.doc is not None or record.aliases or record.properties:
            return True
        columns = () if record.kind is not t.RecordKind.PLAIN else record.fields
        if any(item.default is not (None if item.optional else t.ABSENT) for item in columns):
            return True
    if any(item.aliases or item.properties or item.type_properties for item in _fields(q)):
        return True
    named = (t.Union, t.Enumeration, t.Fixed, t.Vector)
    backed = any(getattr(item.type, "fixed", None) is not None for item in _fields(q))
    return _has(q, *named) or backed or _nanos(q) or bool(_disguised(q))


def _two_without_namespace(q: Question) -> bool:
    return q["ask"] == "avro of the persisted" and len(_disguised(q)) > 1


# The persisted form ---------------------------------------------------------------------------------------------------


def _unreadable_types(q: Question) -> bool:
    """Hudi writes these types and cannot read them."""
    millis = any(getattr(item.type, "unit", None) is t.Unit.MILLIS for item in _fields(q))
    local = any(item.type == t.Timestamp(t.Unit.MICROS, zoned=False) for item in _fields(q))
    return q["ask"] == "avro of the persisted" and (millis or local or _has(q, t.Vector))


def _other_spelling(q: Question) -> bool:
    spelled = [name for name in _type_names(q) if not _CURRENT.fullmatch(name)]
    known = re.compile(
        r"(time|local-timestamp|timestamp)-(millis|micros)|decimal\(\d+,\d+\)|fixed\s*\[\s*\d+\s*\]|vector\[.*\]",
        re.IGNORECASE,
    )
    return q["ask"] == "parsed" and bool(spelled) and all(known.fullmatch(name) for name in spelled)


def _hyphens(q: Question) -> bool:
    return q["ask"] == "parsed" and any("-id" in key for item in documents(q) for key in item)


def _null_doc(q: Question) -> bool:
    answer = any("doc" in item and item["doc"] is None for item in documents(q))
    return q["ask"] in ("parsed", "parsed as avro") and answer


def _same_id_twice(q: Question) -> bool:
    ids = [item for item in ids_in(q) if item >= 0]
    return q["ask"] == "parsed" and not no_ids_in(q) and len(set(ids)) < len(ids)


def _id_is_no_number(q: Question) -> bool:
    return q["ask"] == "parsed" and bool(no_ids_in(q))


def _flag_is_no_flag(q: Question) -> bool:
    flags = [item["optional"] for item in documents(q) if "optional" in item]
    return q["ask"] == "parsed" and not no_ids_in(q) and any(not isinstance(flag, bool) for flag in flags)


def _greatest_too_small(q: Question) -> bool:
    document = q.get("document")
    if q["ask"] != "parsed" or not isinstance(document, dict) or "version_id" not in document or no_ids_in(q):
        return False
    if any({"id", "name", "optional", "type"} - field.keys() for field in document["fields"]):
        return False  # refused there too
    return "max_column_id" in document and document["max_column_id"] < max(ids_in(q), default=-1)


def _no_bytes(q: Question) -> bool:
    return q["ask"] == "parsed as avro" and "fixed[0]" in _type_names(q)


def _appended_otherwise(q: Question) -> bool:
    text = q.get("text", "")
    return q["ask"] == "appended" and bool(text) and (not text.startswith('{"schemas":') or '"schemas":[]' in text)


# Choosing columns -----------------------------------------------------------------------------------------------------


def _nested_asked(q: Question) -> bool:
    return q["ask"] == "generate_projection" and any("." in name for name in q["names"])


def _greatest_kept(q: Question) -> bool:
    chosen = q.get("chosen")
    if q["ask"] != "pruned" or not isinstance(chosen, Schema):
        return False
    return chosen.max_column_id > max(chosen.places, default=-1)


def _union_to_nullable(q: Question) -> bool:
    return q["ask"] == "nullable" and isinstance(q["avro"], list)


def _no_name(q: Question) -> bool:
    return q["ask"] == "nested field" and not q["name"]


# Single types ---------------------------------------------------------------------------------------------------------


def _only_digits_more(q: Question) -> bool:
    if q["ask"] != "wider" or not isinstance(q["types"][1], t.Decimal):
        return False
    wide, narrow = q["types"]
    return bool(wide.scale == narrow.scale and wide.precision > narrow.precision)


def _into_bytes(q: Question) -> bool:
    if q["ask"] != "wider" or not isinstance(q["types"][1], t.Int):
        return False
    wide = q["types"][0]
    return bool(wide.fixed is None and wide.scale > 0 and wide.precision - wide.scale >= 10)


def _rule(name: str, applies: Any, expected: Any, ours: str, reason: str) -> Deviation:
    return Deviation(SUBJECT, name, applies, expected, ours, reason)


DEVIATIONS = (
    _rule(
        "the type null alone",
        _null_alone,
        refused,
        "A field that can only be null is refused wherever it stands.",
        "No engine has a column for it; Hudi accepts the schema and fails at its first conversion.",
    ),
    _rule(
        "union of one type",
        _union_of_one,
        kinds_of_one,
        "A union of one type is that type.",
        "Both hold the same values; Hudi's own conversion to InternalSchema takes it so too.",
    ),
    _rule(
        "nanoseconds are a type",
        lambda q: q["ask"] == "kinds" and _nanos(q),
        kinds_of_nanos,
        "`timestamp-nanos` and `local-timestamp-nanos` are timestamps.",
        "They are in the Avro specification since 1.12; a long would lose what the numbers mean.",
    ),
    _rule(
        "hidden ids",
        _hidden_ids,
        hidden_apart,
        "The branches of a union and the fields of a variant or a blob have ids of their own, negative and never the same.",
        "Hudi keeps only a union's first branch, and gives all variants the same ids, so that an id finds the wrong column.",
    ),
    _rule(
        "`max_column_id` with unions",
        _later_branches,
        greatest_of_all,
        "`max_column_id` counts the columns in all branches of a union.",
        "Hudi gives them ids too, then forgets the branches with their ids, which the next column gets once more.",
    ),
    _rule(
        "Avro schemas there and back",
        _keeps_more,
        itself,
        "Avro to schema to Avro keeps unions, enumerations, names, defaults (none is not null), aliases, docs and properties.",
        "Hudi goes through InternalSchema, which has no place for them; files are then written under another schema.",
    ),
    _rule(
        "names without a namespace",
        _two_without_namespace,
        second_named,
        "A second variant gets a name of its own where the first has no namespace.",
        "Hudi refers to `variant` inside a namespace, where the Avro specification looks for it in that namespace.",
    ),
    _rule(
        "persisted types that are read back",
        _unreadable_types,
        back,
        "Persisted schemas with milliseconds, local timestamps and vectors are read back.",
        "Hudi writes `timestamp-millis` and the like with hyphens and only reads underscores; it cannot read vectors at all.",
    ),
    _rule(
        "spellings of types",
        _other_spelling,
        rewritten(spelled),
        "Type names are read with hyphens and underscores, with and without blanks, vectors too.",
        "Hudi cannot read what it writes itself (`time-millis`, `vector[...]`).",
    ),
    _rule(
        "keys with hyphens",
        _hyphens,
        rewritten(underscored),
        "`max-column-id` and `version-id` are read.",
        "The first versions wrote them so; Hudi now takes another version and other ids in their place without an error.",
    ),
    _rule(
        "doc of null",
        _null_doc,
        without_doc,
        "A `doc` of null is no doc.",
        "Hudi takes it for the string `null`.",
    ),
    _rule(
        "the same id twice",
        _same_id_twice,
        refused,
        "Two columns with one id are refused.",
        "All that is found by id would be found in one of the two, by chance.",
    ),
    _rule(
        "an id is a whole number",
        _id_is_no_number,
        refused,
        "A column id that is no whole number is refused.",
        "Hudi's JSON reader makes 0 of a word and cuts a fraction; columns are then those of other ids.",
    ),
    _rule(
        "values of `optional`",
        _flag_is_no_flag,
        refused,
        "`optional` is true or false, or the schema is refused.",
        "Hudi takes anything else for false; nulls then break the reader.",
    ),
    _rule(
        "`max_column_id` below an id that is there",
        _greatest_too_small,
        greatest_raised,
        "`max_column_id` is never below an id that is there.",
        "The next column would get an id that another one has.",
    ),
    _rule(
        "fixed of no bytes",
        _no_bytes,
        avro_of_no_bytes,
        "A fixed of size 0 can be written as Avro.",
        "Avro allows it, and Hudi reads it from its own persisted form.",
    ),
    _rule(
        "history documents that are not JSON",
        _appended_otherwise,
        appended,
        "A history document is read as JSON; one that is none is refused.",
        "Hudi looks for exact first characters and otherwise drops the whole history, or writes a comma too many.",
    ),
    _rule(
        "projections of nested columns",
        _nested_asked,
        chosen,
        "Nested columns can be chosen everywhere.",
        "Hudi has two ways to project, one of them for top-level columns only.",
    ),
    _rule(
        "`max_column_id` after a projection",
        _greatest_kept,
        greatest_unchanged,
        "Choosing columns keeps `max_column_id`.",
        "It records which ids were given in the table's life; Hudi takes the greatest that is left and gives ids twice.",
    ),
    _rule(
        "unions made nullable twice",
        _union_to_nullable,
        nullable_once,
        "Making a union nullable adds null to it, once.",
        "Hudi nests unions, which Avro refuses.",
    ),
    _rule(
        "empty name",
        _no_name,
        always(None),
        "An empty name is the name of no column.",
        "Asking for a column by a name that it cannot have is answered like any other: there is none.",
    ),
    _rule(
        "decimals with more digits",
        _only_digits_more,
        always(True),
        "A decimal with more digits and the same scale is wider.",
        "It is in Hudi's own rule for changes, beside its test of width.",
    ),
    _rule(
        "integers to decimals backed by bytes",
        _into_bytes,
        always(False),
        "An int is not changed to a decimal that is backed by bytes.",
        "Hudi's test of width accepts it, its rule for changes refuses it, and so do we.",
    ),
)
