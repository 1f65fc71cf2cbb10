"""Deviations of reconciling, merging and compatibility.

A question holds `ask` and schemas: `table` and `incoming` of a merge, `file` and `wanted` of a reading with the stored `value`
or the `column` asked for, `reader` and `writer` of a check with the Avro schemas as given, `source` of requirements.
A stored struct is read in a `mode`: vectorised, or by rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hudi_core.types import nodes as t
from hudi_core.types.walk import walk
from tests.conformance.deviations import Deviation, Question, always, refused
from tests.conformance.deviations.changes import CHANGES
from tests.conformance.deviations.promotion import PROMOTION, reads_less


def _max_lowered(q: Question) -> bool:
    return q["ask"] == "merge" and q["table"].max_column_id > max(q["table"].places)


def _id_given_again(q: Question) -> bool:
    """A column added after the greatest ids of the file were dropped: its id, or the one Hudi gives it."""
    if q["ask"] != "stored":
        return False
    kept = max((column_id for column_id in q["wanted"].places if column_id in q["file"].places), default=-1)
    return kept < q["file"].max_column_id and q["wanted"].get(q["column"]).field.id not in q["file"].places


def _greatest_goes_on(q: Question) -> object:
    """As many ids further as Apache Hudi goes, from the greatest id that was ever given."""
    return q["theirs"] + q["table"].max_column_id - max(q["table"].places)


def _reused(q: Question) -> list[tuple[int, ...]]:
    """The positions of wanted top-level columns that the file does not have, for which Apache Hudi reads another: new columns get
    the ids behind the greatest one that is left, which a column that was dropped may have had."""
    left = max((column_id for column_id in q["wanted"].places if column_id in q["file"].places), default=-1)
    added = sorted(column_id for column_id in q["wanted"].places if column_id not in q["file"].places)
    given = dict(zip(added, range(left + 1, left + 1 + len(added)), strict=True))
    taken = [
        column_id for column_id in added if given[column_id] in q["file"].places and left < q["file"].max_column_id
    ]
    return [
        q["wanted"].place(column_id).positions
        for column_id in taken
        if len(q["wanted"].place(column_id).path) == len(q["file"].place(given[column_id]).path) == 1
        and _at(q["value"], q["file"].place(given[column_id]).positions) is not None
    ]


def _at(row: Any, positions: tuple[int, ...]) -> Any:
    for position in positions:
        row = None if row is None else row[position]
    return row


def _rows_of_reused(q: Question) -> bool:
    return q["ask"] == "rows" and bool(_reused(q))


def _without_reused(q: Question) -> object:
    gone = {positions[0] for positions in _reused(q)}
    return tuple(None if at in gone else value for at, value in enumerate(q["theirs"]))


def _by_ids(q: Question) -> object:
    """The stored row with each wanted column under its id, null where the file has no such id."""
    return _taken(q["file"].record, q["wanted"].record, q["value"])


def _taken(stored: t.Type, wanted: t.Type, value: Any) -> Any:
    if value is None or not isinstance(wanted, t.Record | t.Array | t.Map):
        return value
    inner = {field.id: (field, at) for at, field in enumerate(t.children(stored))}
    if isinstance(wanted, t.Record):
        pairs = [(field, inner.get(field.id)) for field in wanted.fields]
        return tuple(_taken(had[0].type, field.type, value[had[1]]) if had else None for field, had in pairs)
    if isinstance(wanted, t.Array):
        element = wanted.element
        return tuple(_taken(inner[element.id][0].type, element.type, item) for item in value)
    of = wanted.value
    return tuple((key, _taken(inner[of.id][0].type, of.type, item)) for key, item in value)


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
    return q["ask"] == "covers" and any(reads_less({"ask": "covers", "from": a, "to": b}) for a, b in _pairs(q))


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


def _a_mismatch(q: Question) -> object:
    """The reasons name the column; the short form of the question says that there are some."""
    shared = [path for path in q["reader"].ids if path in q["writer"].ids]
    blobs = [path for path in shared if _is_blob(q["reader"].get(path).field.type)]
    turned = [path for path in blobs if not _is_blob(q["writer"].get(path).field.type)]
    return [("TYPE_MISMATCH", f"/{'/'.join(path)}") for path in turned] if q["form"] == "reasons" else False


def _defaults_of_both(q: Question) -> object:
    """The batch's own, and for columns that it does not have those that Apache Hudi gives them too."""
    paths = {path for path, _ in walk(q["source"])}
    own = [(path, field.default) for path, field in walk(q["source"]) if field.default is not t.ABSENT]
    return own + [(path, default) for path, default in q["theirs"] if path not in paths]


def _structs(q: Question) -> list[tuple[t.Record, t.Record, Any]]:
    """The top-level structs of a stored row: the stored and the wanted type, and the value."""
    if q["ask"] != "struct":
        return []
    pairs = [(field, q["wanted"].places.get(field.id), at) for at, field in enumerate(q["file"].fields)]
    return [
        (field.type, place.field.type, q["value"][at])
        for field, place, at in pairs
        if place is not None and isinstance(field.type, t.Record) and isinstance(place.field.type, t.Record)
    ]


def _empty_struct(q: Question) -> bool:
    """A struct that is there, and has none of the wanted fields."""
    return any(
        value is not None and not {field.id for field in stored.fields} & {field.id for field in wanted.fields}
        for stored, wanted, value in _structs(q)
    )


def _changes_inside(stored: t.Record, wanted: t.Record) -> list[tuple[t.Type, t.Type]]:
    """The stored and the wanted types of the fields whose type changed."""
    types = {field.id: field.type for field in wanted.fields}
    pairs = [(field.type, types[field.id]) for field in stored.fields if field.id in types]
    return [(old, new) for old, new in pairs if old != new]


def _changed_struct(q: Question) -> bool:
    """A struct in which the type of a field changed, read by the vectorised reader."""
    return any(q["mode"] == "vectorised" and _changes_inside(stored, wanted) for stored, wanted, _ in _structs(q))


def _null_struct(q: Question) -> bool:
    """A struct that is null, and in which a float became a double, read row by row."""
    return any(
        q["mode"] == "rows" and value is None and (t.Float(), t.Double()) in _changes_inside(stored, wanted)
        for stored, wanted, value in _structs(q)
    )


RECONCILIATION = (
    Deviation(
        "schema_reconcile",
        "a struct without any wanted field",
        _empty_struct,
        _by_ids,
        "A struct that is not null in the file is not null, whatever fields of it are wanted.",
        "Hudi's vectorised reader of Parquet files takes it for null; its reader by rows fails.",
    ),
    Deviation(
        "schema_reconcile",
        "a type that changed inside a struct",
        _changed_struct,
        _by_ids,
        "The field is read in the wanted type; a struct that is null stays null.",
        "Hudi's vectorised reader of Parquet files refuses the file, and asks for its reader by rows.",
    ),
    Deviation(
        "schema_reconcile",
        "a null struct in which a float became a double",
        _null_struct,
        _by_ids,
        "It stays null.",
        "Hudi's row reader builds the struct from its fields, and gives one of nulls; with other types it does not.",
    ),
    replace(CHANGES[0], subject="schema_reconcile", applies=_max_lowered, expected=_greatest_goes_on),
    replace(
        CHANGES[0],
        subject="schema_reconcile",
        applies=_id_given_again,
        expected=always(""),
        ours="A column that a file does not have is absent from it.",
    ),
    replace(
        CHANGES[0],
        subject="schema_reconcile",
        applies=_rows_of_reused,
        expected=_without_reused,
        ours="A column that a file does not have is absent from it.",
    ),
    Deviation(
        "schema_reconcile",
        "columns that were dropped and added again",
        _suffix_taken,
        _by_ids,
        "A column that was dropped and added again is found by its id.",
        "Hudi reads it under its name with `suffix` behind, and fails when a column has that name.",
    ),
    Deviation(
        "schema_reconcile",
        "dropped and added again below renamed structs",
        _added_again_deep,
        _by_ids,
        "Null: the id is another.",
        "Hudi joins the names of renamed parents without a dot, takes the column for the old one, and returns the dropped data.",
    ),
    Deviation(
        "schema_reconcile",
        "projection check: types that cannot be read are not covered",
        _covers_less,
        always(False),
        PROMOTION[4].ours,
        PROMOTION[4].reason,
    ),
    Deviation(
        "schema_reconcile",
        "unions that gain a branch",
        _union_grows,
        always(True),
        "A batch's union with more branches than the table's reads the table's data.",
        "Hudi's check of evolution and its projection check count branches; its Avro check accepts.",
    ),
    Deviation(
        "schema_reconcile",
        "the position of null in a union",
        _null_elsewhere,
        always(True),
        "Covered.",
        "Hudi compares unions branch by branch, by position.",
    ),
    Deviation(
        "schema_reconcile",
        "a blob where another type was",
        _blob_for_another,
        _a_mismatch,
        "Incompatible, with the column.",
        'Hudi raises "Unknown schema type" instead of answering.',
    ),
    Deviation(
        "schema_reconcile",
        "values that are no symbol of the enumeration",
        _symbol_lost,
        refused,
        "A value that is no symbol of the wanted enumeration is refused where it is read.",
        "Hudi takes it over unchecked and fails when the row is written.",
    ),
    Deviation(
        "schema_reconcile",
        "defaults of a batch's schema",
        _defaults_dropped,
        _defaults_of_both,
        "The batch's own defaults are kept.",
        "Hudi's way through its schema of evolution drops them, and gives null to all that are nullable.",
    ),
)
