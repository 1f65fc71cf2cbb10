"""Deviations of schema changes, promotion, reconciliation and compatibility.

A question holds `ask` and what the question is about, read into our own types: `from`, `to` and `value` of a promotion,
`schema` and `step` of a change, `reader` and `writer` of a check, `table` and `incoming` of a merge.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from typing import Any

from hudi_core.evolve.fields import RESERVED
from hudi_core.schema.meta import OPERATION
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.promote import INT_DIGITS, LONG_DIGITS
from hudi_core.types.walk import walk
from tests.conformance.deviations import Deviation, Question

_NUMBERS = (t.Int, t.Long, t.Float, t.Double)
_TIMES = (t.Date, t.Time, t.Timestamp)
_BYTES = (t.Binary, t.Fixed, t.Vector)
_TEXTS = (t.String, t.Uuid)
_GREGORIAN = -141_427
"""1582-10-15, the first day of the Gregorian calendar, in days since 1970-01-01."""


# Promotion ------------------------------------------------------------------------------------------------------------


def _is(question: Question, ask: str, from_: Any, to: Any) -> bool:
    return question["ask"] == ask and isinstance(question["from"], from_) and isinstance(question["to"], to)


def _to_enumeration(q: Question) -> bool:
    if _is(q, "alter", t.Enumeration, t.Enumeration):
        return not set(q["from"].symbols) <= set(q["to"].symbols)
    return _is(q, "alter", (*_NUMBERS, t.String, t.Binary, t.Decimal, t.Date), t.Enumeration)


def _out_of_enumeration(q: Question) -> bool:
    return _is(q, "alter", t.Enumeration, (t.Binary, t.Date, t.Decimal)) and getattr(q["to"], "fixed", True) is not None


def _too_few_digits(q: Question) -> bool:
    if not _is(q, "alter", (t.Int, t.Long), t.Decimal) or q["to"].fixed is None:
        return False
    digits = INT_DIGITS if isinstance(q["from"], t.Int) else LONG_DIGITS
    return bool(q["to"].precision - q["to"].scale < digits)


def _reads_more(q: Question) -> bool:
    return (
        _is(q, "covers", t.Boolean, t.String)
        or _is(q, "covers", _NUMBERS, t.Decimal)
        or _is(q, "covers", t.Long, t.Timestamp)
        or _is(q, "covers", t.String, (t.Date, t.Decimal, t.Uuid))
        or _is(q, "covers", (t.Date, t.Uuid), t.String)
        or _is(q, "covers", (t.Fixed, t.Vector), t.Binary)
        or (_is(q, "covers", t.Date, t.Timestamp) and not q["to"].zoned)
        or _is(q, "covers", t.Int, t.Timestamp)
        or _is(q, "covers", (*_NUMBERS, t.Decimal, t.Date, t.Enumeration), t.Binary)
        or _is(q, "covers", (*_NUMBERS, t.Decimal, t.Binary, t.Enumeration), (t.Date, t.Uuid))
        or _is(q, "covers", (t.Date, t.Binary, t.Enumeration), (t.Decimal, t.Uuid))
    )


def _reads_less(q: Question) -> bool:
    return (
        (_is(q, "covers", t.Fixed, t.Fixed) and q["from"].size != q["to"].size)
        or (_is(q, "covers", t.Vector, t.Vector) and q["from"] != q["to"])
        or (_is(q, "covers", t.Timestamp, t.Timestamp) and q["from"].zoned != q["to"].zoned)
    )


def _coarser(q: Question) -> bool:
    return (
        _is(q, "check", t.Timestamp, t.Timestamp)
        and q["from"].zoned == q["to"].zoned
        and q["from"].unit.value > q["to"].unit.value
    )


def _relabelled(q: Question) -> bool:
    if q["ask"] != "value" or _is(q, "value", (t.Int, t.Long), t.Timestamp) or _is(q, "value", t.Date, t.String):
        return False
    from_, to = isinstance(q["from"], _TIMES), isinstance(q["to"], _TIMES)
    if from_ and to:
        return type(q["from"]) is not type(q["to"]) and not (_is(q, "value", t.Date, t.Timestamp) and not q["to"].zoned)
    return (from_ and isinstance(q["to"], (*_NUMBERS, t.Decimal, t.String))) or (to and isinstance(q["from"], _NUMBERS))


def _not_multiplied(q: Question) -> bool:
    if q["ask"] != "value" or not q["value"]:
        return False
    finer = _is(q, "value", t.Time, t.Time) and q["from"].unit.value < q["to"].unit.value
    return finer or (_is(q, "value", t.Date, t.Timestamp) and not q["to"].zoned)


def _coarser_time(q: Question) -> bool:
    return _is(q, "value", t.Time, t.Time) and q["from"].unit.value > q["to"].unit.value


def _rescaled_by_relabelling(q: Question) -> bool:
    if not _is(q, "value", t.Decimal, t.Decimal):
        return False
    old, new = q["from"].fixed, q["to"].fixed
    if old is not None and new is not None and old.size != new.size:
        return False
    copied = new is None or (old is not None and new is not None)
    overflows = copied and len(q["value"].as_tuple().digits) > q["to"].precision
    return (q["from"].scale != q["to"].scale and q["value"] != 0) or overflows


def _decimal_as_bytes(q: Question) -> bool:
    return _is(q, "value", t.Decimal, t.String) and q["from"].fixed is None


def _scientific(q: Question) -> bool:
    if not _is(q, "value", t.Decimal, t.String) or q["from"].fixed is None:
        return False
    return str(q["value"]) != f"{q['value']:f}"


def _no_uuid(q: Question) -> bool:
    if q["ask"] != "value" or not isinstance(q["to"], t.Uuid) or isinstance(q["from"], t.Uuid):
        return False
    try:
        said = q["value"].decode("utf-8") if isinstance(q["value"], bytes) else q["value"]
        return not isinstance(said, str) or str(uuid.UUID(said)) != said
    except ValueError:
        return True


def _into_bytes_backed(q: Question) -> bool:
    return _is(q, "value", (*_NUMBERS, *_TEXTS), t.Decimal) and q["to"].fixed is None


def _decimal_from_bytes(q: Question) -> bool:
    return _is(q, "value", _BYTES, t.Decimal) or _is(q, "value", t.Decimal, t.Binary)


def _twice_changed(q: Question) -> bool:
    return _is(q, "value", (*_NUMBERS, t.Date, t.Enumeration), t.Binary) or _is(q, "value", t.Binary, t.Date)


def _fixed_of_another_kind(q: Question) -> bool:
    return _is(q, "value", (t.Fixed, t.Vector, t.Decimal), (t.Fixed, t.Vector)) and not (
        _is(q, "value", t.Fixed, t.Fixed) or _is(q, "value", t.Vector, t.Vector)
    )


def _blanks(q: Question) -> bool:
    return _is(q, "value", t.String, t.Decimal) and q["to"].fixed is not None and q["value"] != q["value"].strip()


def _not_utf8(q: Question) -> bool:
    if not _is(q, "value", t.Binary, t.String):
        return False
    try:
        q["value"].decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _boolean_text(q: Question) -> bool:
    return _is(q, "value", t.Boolean, t.String)


def _julian(q: Question) -> bool:
    return _is(q, "value", t.Date, t.String) and q["value"] < _GREGORIAN


def _uuid_bytes(q: Question) -> bool:
    return _is(q, "value", t.Uuid, t.Binary)


def _loose_date(q: Question) -> bool:
    if not _is(q, "value", t.String, t.Date):
        return False
    return not re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", q["value"], re.ASCII)


PROMOTION = (
    Deviation(
        "type_promotion",
        "enumerations are types",
        lambda q: _to_enumeration(q) or _out_of_enumeration(q),
        "A column changes to an enumeration only from one whose symbols it all has; an enumeration changes to string.",
        "Hudi's schema of evolution has no enumeration and calls it a string, so that it accepts changes after which no stored "
        "value can be read (number to enumeration) or written (text that is no symbol).",
    ),
    Deviation(
        "type_promotion",
        "a decimal has room for every integer",
        _too_few_digits,
        "An int column changes to a decimal with at least 10 digits before the point, a long to one with 19; files written "
        "before such a change was accepted elsewhere are still read, value by value.",
        "Hudi accepts int to decimal(3,0) and then fails on the first row above 999.",
    ),
    Deviation(
        "type_promotion",
        "micros are not cut by a batch of millis",
        _coarser,
        "A batch with milliseconds does not fit a column of microseconds.",
        "Hudi's check accepts it, and all stored values lose their last three digits.",
    ),
    Deviation(
        "type_promotion",
        "one table: what can be read is covered",
        _reads_more,
        "A file covers a wanted column when its values can be read as the wanted type.",
        "Hudi's projection check is a table of its own that disagrees with its reader and its evolution matrix.",
    ),
    Deviation(
        "type_promotion",
        "one table: what cannot be read is not covered",
        _reads_less,
        "Fixed types of another size, vectors of another shape and timestamps of another zone flag are not covered.",
        "Hudi's projection check looks at the kind of type only; reading then fails or changes the meaning.",
    ),
    Deviation(
        "type_promotion",
        "a number is no time, and a time no number",
        _relabelled,
        "Refused.",
        "Hudi takes the number over: day 17409 becomes 17409 microseconds, or a time the text of its number.",
    ),
    Deviation(
        "type_promotion",
        "times are converted",
        _not_multiplied,
        "A date becomes the beginning of its day (as a timestamp without zone), milliseconds of a day become microseconds.",
        "Hudi keeps the number under the new unit.",
    ),
    Deviation(
        "type_promotion",
        "a coarser time of day can be read",
        _coarser_time,
        "Cut towards midnight.",
        "Hudi's own projection check accepts it, but its rewriting raises.",
    ),
    Deviation(
        "type_promotion",
        "decimals keep their value",
        _rescaled_by_relabelling,
        "The value is rescaled; one that does not fit the new precision or scale is refused.",
        "Hudi keeps the unscaled bytes where bytes back a decimal, or fixed types of one size: 56630.81 becomes 566.3081.",
    ),
    Deviation(
        "type_promotion",
        "the text of a decimal is its number",
        _decimal_as_bytes,
        "Decimal text, whatever backs the decimal.",
        "Hudi reads the two's-complement bytes of a bytes-backed decimal as UTF-8.",
    ),
    Deviation(
        "type_promotion",
        "decimal text is plain",
        _scientific,
        "0.0000000000",
        "Hudi writes Java's scientific form (0E-10) from the sixth zero on; the plain form is what Spark 4 writes, and it sorts "
        "and compares as people expect.",
    ),
    Deviation(
        "type_promotion",
        "a uuid is a uuid",
        _no_uuid,
        "Text that is a UUID becomes its canonical form; anything else is refused.",
        "Hudi takes any text or number over unchecked, `NaN` and `apple` included.",
    ),
    Deviation(
        "type_promotion",
        "backing does not matter to values",
        _into_bytes_backed,
        "Numbers and numeric text become decimals whatever backs them; other text is refused.",
        "Hudi raises for numbers, and stores the UTF-8 bytes of a text as if they were the decimal.",
    ),
    Deviation(
        "type_promotion",
        "bytes are text and not the digits of a decimal",
        _decimal_from_bytes,
        "By way of text, as two changes through string lead there: the bytes of `12.5` are 12.50, anything else is refused.",
        "Hudi takes bytes for the unscaled number of whatever scale is wanted, and gives out a decimal's bytes without it.",
    ),
    Deviation(
        "type_promotion",
        "what two changes lead to can be read",
        _twice_changed,
        "A number that was changed to string and then to binary is the bytes of its text; bytes become dates by way of text.",
        "Hudi accepts both changes and then cannot read files from before the first.",
    ),
    Deviation(
        "type_promotion",
        "sixteen bytes are not whatever has sixteen bytes",
        _fixed_of_another_kind,
        "Refused.",
        "Hudi copies the bytes of a decimal into a vector when the sizes happen to agree.",
    ),
    Deviation(
        "type_promotion",
        "blanks around a number",
        _blanks,
        "Ignored, as Spark's cast does.",
        "Hudi's Spark reader ignores them and its Avro reader raises: the same column reads from base files and not from logs.",
    ),
    Deviation(
        "type_promotion",
        "bytes that are no text",
        _not_utf8,
        "Refused.",
        "Hudi replaces what is not UTF-8 by U+FFFD, and the value is gone.",
    ),
    Deviation(
        "type_promotion",
        "the text of a boolean",
        _boolean_text,
        "`true` or `false`; the change itself stays refused.",
        "Versions of Hudi that accepted the change left tables that they cannot read.",
    ),
    Deviation(
        "type_promotion",
        "dates before 1582",
        _julian,
        "Text of the proleptic Gregorian calendar, in which the days were counted.",
        "Hudi prints the day number in the Julian calendar, two or more days off.",
    ),
    Deviation(
        "type_promotion",
        "the bytes of a uuid",
        _uuid_bytes,
        "Refused.",
        "They may be its 16 bytes or those of its text; Hudi's own checks refuse the change too, only its rewriting does not.",
    ),
    Deviation(
        "type_promotion",
        "dates as Spark reads them",
        _loose_date,
        "Text that Spark's cast takes for a date is one (`2024-02`, blanks around).",
        "Hudi's Avro and vectorised readers take `yyyy-mm-dd` only, and what Spark's own cast takes depends on the reader in use.",
    ),
)

# Changes --------------------------------------------------------------------------------------------------------------


def _step(q: Question, *ops: str) -> bool:
    return q["ask"] == "step" and q["step"]["op"] in ops


def _items(q: Question, kind: str) -> list[Any]:
    step = q["step"]
    return step["items"] if q["ask"] == "step" and step["op"] == "changeset" and step["kind"] == kind else []


def _siblings(schema: Schema, path: str) -> list[str]:
    parent = path.rpartition(".")[0]
    place = schema.find(parent) if parent else None
    of = place.field.type if place else schema.record
    return [field.name for field in of.fields] if isinstance(of, t.Record) else []


def _case_clash(q: Question) -> bool:
    """A nested column beside one that differs by case, or two new ones in a change set."""
    if _step(q, "add") and "." in q["step"]["name"]:
        name, siblings = q["step"]["name"].rpartition(".")[2], _siblings(q["schema"], q["step"]["name"])
        return name not in siblings and name.lower() in {held.lower() for held in siblings}
    added = [item["name"] for item in _items(q, "add") if "name" in item and not item.get("parent")]
    return len(set(added)) == len(added) and len({name.lower() for name in added}) < len(added)


def _not_a_name(q: Question) -> bool:
    name = q["step"].get("new_name") if _step(q, "rename") else q["step"].get("name") if _step(q, "add") else None
    if name is None or (_step(q, "rename") and not name):
        return False
    last = name if _step(q, "rename") else name.rpartition(".")[2]
    return not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", last, re.ASCII)


def _takes_own_name(q: Question) -> bool:
    held = {field.name.lower() for field in q["schema"].fields}
    if _step(q, "rename") and "." not in q["step"]["name"] and q["schema"].find(q["step"]["name"]) is not None:
        return q["step"]["new_name"].lower() in RESERVED - held
    return _step(q, "add") and q["step"]["name"].lower() in {OPERATION} - held


def _first_of_all(q: Question) -> bool:
    if not _step(q, "add", "reorder") or "." in q["step"]["name"] or q["step"]["name"] in RESERVED:
        return False
    known = _step(q, "add") or q["schema"].find(q["step"]["name"]) is not None
    return known and (q["step"].get("position") or {}).get("type") == "first"


def _beside_nothing(q: Question) -> bool:
    place = q["step"].get("position") if _step(q, "add") else None
    if not place or place["type"] not in ("after", "before") or not place["ref"]:
        return False
    same_parent = place["ref"].rpartition(".")[0] == q["step"]["name"].rpartition(".")[0]
    return same_parent and q["schema"].find(place["ref"]) is None


def _among_own(q: Question) -> bool:
    if not _step(q, "add", "reorder") or q["step"]["name"] in RESERVED:
        return False
    place = q["step"].get("position") or {}
    names = [field.name for field in q["schema"].fields]
    own = [name for name in names if name in RESERVED]
    return place.get("type") == "after" and place["ref"] in own[:-1] and place["ref"] not in own[:3]


def _moves_own(q: Question) -> bool:
    if not _step(q, "reorder") or q["step"]["name"] not in RESERVED:
        return False
    return q["step"]["position"]["type"] in ("after", "before") and q["schema"].find(q["step"]["name"]) is not None


def _renamed_inside(q: Question) -> bool:
    """A new name for an array's element or a map's key or value."""
    if not _step(q, "rename"):
        return False
    place = q["schema"].find(q["step"]["name"])
    if place is None or len(place.path) < 2:
        return False
    parent = q["schema"].get(place.path[:-1]).field.type
    return isinstance(parent, t.Array | t.Map)


def _nullable_key(q: Question) -> bool:
    if not _step(q, "nullability") or not q["step"]["optional"]:
        return False
    place = q["schema"].find(q["step"]["name"])
    if place is None or len(place.path) < 2:
        return False
    parent = q["schema"].get(place.path[:-1]).field.type
    return isinstance(parent, t.Map) and place.path[-1] == "key"


def _taken_by_sibling(q: Question) -> bool:
    if _step(q, "rename") and "." in q["step"]["name"]:
        top = {field.name.lower() for field in q["schema"].fields}
        others = _siblings(q["schema"], q["step"]["name"])
        return (
            q["step"]["new_name"].lower() in {name.lower() for name in others}
            and q["step"]["new_name"].lower() not in top
        )
    renamed = [item["new_name"] for item in _items(q, "update") if "new_name" in item]
    return len(set(renamed)) < len(renamed)


def _taken_elsewhere(q: Question) -> bool:
    if not _step(q, "rename") or "." not in q["step"]["name"] or q["schema"].find(q["step"]["name"]) is None:
        return False
    top = {field.name.lower() for field in q["schema"].fields}
    siblings = {name.lower() for name in _siblings(q["schema"], q["step"]["name"])}
    return q["step"]["new_name"].lower() in top - siblings


def _before_itself(q: Question) -> bool:
    if not _step(q, "reorder") or q["schema"].find(q["step"]["name"]) is None:
        return False
    place = q["step"]["position"]
    return place["type"] == "before" and place["ref"] == q["step"]["name"]


def _drops_greatest(q: Question) -> bool:
    names = q["step"]["names"] if _step(q, "delete") else [item["name"] for item in _items(q, "delete")]
    dropped: set[int] = set()
    for name in names:
        place = q["schema"].find(name)
        if place is not None:
            dropped |= {place.field.id, *(field.id for _, field in walk(place.field.type))}
    left = max((column_id for column_id in q["schema"].places if column_id not in dropped), default=-1)
    return bool(dropped) and left < q["schema"].max_column_id


def _few_digits_step(q: Question) -> bool:
    if not _step(q, "type") or q["schema"].find(q["step"]["name"]) is None:
        return False
    from_ = q["schema"].get(q["step"]["name"]).field.type
    return _too_few_digits({"ask": "alter", "from": from_, "to": q["type"]})


CHANGES = (
    Deviation(
        "schema_changes",
        "column ids are never given twice",
        _drops_greatest,
        "`max_column_id` stays.",
        "Hudi's applier takes the greatest id that is left, so that the next column gets the id of the dropped one and with it "
        "the data in old files; its SQL command repairs that by hand.",
    ),
    Deviation(
        "schema_changes",
        "names differ in more than case",
        _case_clash,
        "Refused, unless names are case-sensitive by choice.",
        "Hudi refuses it at the top and overlooks it inside structs and change sets; Spark then cannot tell the columns apart.",
    ),
    Deviation(
        "schema_changes",
        "names that Avro cannot hold",
        _not_a_name,
        "Refused.",
        "Hudi accepts the change and then fails to write the schema of the commit: its Avro form allows letters, digits and _.",
    ),
    Deviation(
        "schema_changes",
        "Hudi's own names",
        _takes_own_name,
        "Refused, whether the column is there or not.",
        "Hudi accepts the ones that are absent at the moment; a later setting (the operation column) would overwrite them.",
    ),
    Deviation(
        "schema_changes",
        "first means first of the user's columns",
        _first_of_all,
        "The column comes first behind Hudi's own columns.",
        "Hudi refuses FIRST at the top to keep its own columns in front, where they stay here too.",
    ),
    Deviation(
        "schema_changes",
        "beside a column that does not exist",
        _beside_nothing,
        "Refused with the names that come close.",
        "Hudi puts the column first without a word.",
    ),
    Deviation(
        "schema_changes",
        "no column between Hudi's own",
        _among_own,
        "Refused.",
        "Hudi guards the first three of its five columns only.",
    ),
    Deviation(
        "schema_changes",
        "Hudi's own columns do not move",
        _moves_own,
        "Refused.",
        "Hudi looks at the column moved to, not at the one that moves; readers expect its columns first.",
    ),
    Deviation(
        "schema_changes",
        "an element has no name of its own",
        _renamed_inside,
        "Refused.",
        "Hudi accepts the new name of an element, key or value and forgets it.",
    ),
    Deviation(
        "schema_changes",
        "a map's key is never null",
        _nullable_key,
        "Refused.",
        "Hudi accepts it and forgets it.",
    ),
    Deviation(
        "schema_changes",
        "a name is taken by a neighbour",
        _taken_by_sibling,
        "Refused.",
        "Hudi compares the new name with full paths, overlooks the neighbour, and fails to write the schema.",
    ),
    Deviation(
        "schema_changes",
        "a name is free when only another record has it",
        _taken_elsewhere,
        "Accepted.",
        "Hudi compares the new name inside a struct with the names at the top.",
    ),
    Deviation(
        "schema_changes",
        "before itself",
        _before_itself,
        "Nothing changes, as with AFTER.",
        "Hudi raises IndexOutOfBoundsException.",
    ),
    replace(PROMOTION[1], subject="schema_changes", applies=_few_digits_step),
)

# Reconciliation -------------------------------------------------------------------------------------------------------


def _max_lowered(q: Question) -> bool:
    return q["ask"] == "merge" and q["table"].max_column_id > max(q["table"].places)


def _id_given_again(q: Question) -> bool:
    """A column added after the greatest ids of the file were dropped: its id, or the one Hudi gives it."""
    if q["ask"] != "stored":
        return False
    kept = max((column_id for column_id in q["wanted"].places if column_id in q["file"].places), default=-1)
    return kept < q["file"].max_column_id and q["wanted"].get(q["column"]).field.id not in q["file"].places


def _added_again(q: Question) -> list[tuple[str, ...]]:
    """The paths of wanted columns that the file lacks although their record has a column of that name."""
    again = []
    for column_id, place in q["wanted"].places.items():
        parent = q["wanted"].find(place.path[:-1])
        of = q["file"].places[parent.field.id].field.type if parent and parent.field.id in q["file"].places else None
        held = t.children(of) if of is not None else q["file"].fields if parent is None else ()
        if column_id not in q["file"].places and place.path[-1] in {field.name for field in held}:
            again.append(place.path)
    return again


def _suffix_taken(q: Question) -> bool:
    return q["ask"] == "rows" and any((*path[:-1], f"{path[-1]}suffix") in q["wanted"].ids for path in _added_again(q))


def _added_again_deep(q: Question) -> bool:
    if q["ask"] != "rows":
        return False
    for path in _added_again(q):
        parents = [q["wanted"].get(path[:depth]).field for depth in range(1, len(path))]
        renamed = [field for field in parents[1:] if q["file"].place(field.id).field.name != field.name]
        if renamed and q["value"][q["file"].place(parents[0].id).positions[0]] is not None:
            return True
    return False


def _pairs(q: Question) -> list[tuple[t.Type, t.Type]]:
    """The types that the table (writer) and the batch (reader) have at the same path."""
    shared = [path for path in q["reader"].ids if path in q["writer"].ids]
    return [(q["writer"].get(path).field.type, q["reader"].get(path).field.type) for path in shared]


def _covers_less(q: Question) -> bool:
    return q["ask"] == "covers" and any(_reads_less({"ask": "covers", "from": a, "to": b}) for a, b in _pairs(q))


def _union_grows(q: Question) -> bool:
    if q["ask"] not in ("covers", "evolution"):
        return False
    grown = [(a, b) for a, b in _pairs(q) if isinstance(b, t.Union)]
    return any(len(b.branches) > (len(a.branches) if isinstance(a, t.Union) else 1) for a, b in grown)


def _null_elsewhere(q: Question) -> bool:
    """A union of null and one type, with null first in one schema and last in the other."""
    if q["ask"] != "covers":
        return False
    unions = [
        {field["name"]: field["type"] for field in q["avro"][side]["fields"] if isinstance(field["type"], list)}
        for side in ("table", "writer")
    ]
    both = [(unions[0][name], unions[1][name]) for name in unions[0] if name in unions[1]]
    return any(len(a) == len(b) == 2 and (a[0] == "null") != (b[0] == "null") for a, b in both)


def _blob_for_another(q: Question) -> bool:
    return q["ask"] == "gate" and any(_is_blob(b) and not _is_blob(a) for a, b in _pairs(q))


def _is_blob(of: t.Type) -> bool:
    return isinstance(of, t.Record) and of.kind is t.RecordKind.BLOB


def _symbol_lost(q: Question) -> bool:
    if q["ask"] != "rewrite":
        return False
    for position, field in enumerate(q["file"].fields):
        wanted = q["wanted"].places.get(field.id)
        if wanted and isinstance(wanted.field.type, t.Enumeration) and isinstance(field.type, t.Enumeration | t.String):
            return q["value"][position] not in (None, *wanted.field.type.symbols)
    return False


def _defaults_dropped(q: Question) -> bool:
    if q["ask"] != "defaults":
        return False
    fields = [field for _, field in walk(q["source"]) if field.name not in ("element", "key", "value")]
    return any(
        (field.default is t.ABSENT) if field.optional else field.default is not t.ABSENT for field in fields
    ) or any(field.default is not None and field.default is not t.ABSENT for field in fields)


RECONCILIATION = (
    replace(CHANGES[0], subject="schema_reconcile", applies=_max_lowered),
    replace(
        CHANGES[0],
        subject="schema_reconcile",
        applies=_id_given_again,
        ours="A column that a file does not have is absent from it.",
    ),
    Deviation(
        "schema_reconcile",
        "no made-up names",
        _suffix_taken,
        "A column that was dropped and added again is found by its id.",
        "Hudi reads it under its name with `suffix` behind, and fails when a column has that name.",
    ),
    Deviation(
        "schema_reconcile",
        "dropped and added again below renamed structs",
        _added_again_deep,
        "Null: the id is another.",
        "Hudi joins the names of renamed parents without a dot, takes the column for the old one, and returns the dropped data.",
    ),
    Deviation(
        "schema_reconcile",
        "one table: what cannot be read is not covered",
        _covers_less,
        PROMOTION[4].ours,
        PROMOTION[4].reason,
    ),
    Deviation(
        "schema_reconcile",
        "a union may gain a branch",
        _union_grows,
        "A batch's union with more branches than the table's reads the table's data.",
        "Hudi's check of evolution and its projection check count branches; its Avro check accepts.",
    ),
    Deviation(
        "schema_reconcile",
        "null first or last is all one",
        _null_elsewhere,
        "Covered.",
        "Hudi compares unions branch by branch, by position.",
    ),
    Deviation(
        "schema_reconcile",
        "a blob where another type was",
        _blob_for_another,
        "Incompatible, with the column.",
        'Hudi raises "Unknown schema type" instead of answering.',
    ),
    Deviation(
        "schema_reconcile",
        "a symbol has to be one",
        _symbol_lost,
        "A value that is no symbol of the wanted enumeration is refused where it is read.",
        "Hudi takes it over unchecked and fails when the row is written.",
    ),
    Deviation(
        "schema_reconcile",
        "defaults stay",
        _defaults_dropped,
        "The batch's own defaults are kept.",
        "Hudi's way through its schema of evolution drops them, and gives null to all that are nullable.",
    ),
)

DEVIATIONS = (*PROMOTION, *CHANGES, *RECONCILIATION)
