"""Deviations of merging records. A question is the input of a case, and what is asked of it."""

from __future__ import annotations

from typing import Any

from tests.conformance.deviations import Deviation, Question, always, refused
from tests.conformance.deviations.merging_answers import (
    DELETED,
    at,
    by_operation,
    equals,
    flagged,
    joined,
    logical,
    newer_row,
    number,
    older_filled,
    older_row,
    ordering_values,
    winner,
    winner_or_none,
    without_defaults,
)

_MERGES = ("delta_merge", "final_merge", "combine")
_BY_EVENT_TIME = ("DefaultHoodieRecordPayload", "EventTimeAvroPayload", "ReverseOrderHoodieRecordPayload")
_CACHED = range(-128, 128)


def _payload(q: Question) -> str:
    return str(q.get("payload") or "").rpartition(".")[2]


def _by_event_time(q: Question) -> bool:
    return q["mode"] == "EVENT_TIME_ORDERING" or _payload(q) in _BY_EVENT_TIME


def _classes(side: Any, q: Question) -> list[str]:
    absent = "int" if side.get("record") else "none"
    return [next(iter(value)) if value is not None else absent for value in ordering_values(side, q)]


def _absolute(side: Any, q: Question) -> bool:
    return not side.get("record") and ordering_values(side, q) == [{"int": 0}]


def _of_two_classes(q: Question) -> bool:
    if q["ask"] not in _MERGES or not _by_event_time(q):
        return False
    older, newer = q["older"], q["newer"]
    if _payload(q) in _BY_EVENT_TIME and _classes(newer, q) != ["int"]:
        return False  # the payload looks at the newer record's class alone
    if _absolute(older, q) or _absolute(newer, q) or _below_null(q):
        return False
    return _classes(older, q) != _classes(newer, q)


def _null_in_block(q: Question) -> bool:
    return (
        q["ask"] == "delete"
        and q["mode"] == "EVENT_TIME_ORDERING"
        and "ordering" in q["delete_record"]
        and q["delete_record"]["ordering"] is None
    )


def _below_null(q: Question) -> bool:
    if q["ask"] not in (*_MERGES, "without_ordering"):
        return False
    sides = [q] if q["ask"] == "without_ordering" else [q["older"], q["newer"]]
    nested = [field.rpartition(".")[0] for field in q["ordering_fields"] if "." in field]
    return any(at(side["record"], parent) is None for parent in nested for side in sides if side.get("record"))


def _single(side: Any, q: Question, tag: str) -> Any:
    values = ordering_values(side, q)
    return values[0].get(tag) if len(values) == 1 and values[0] is not None else None


def _beyond_the_plane(q: Question) -> bool:
    if q["ask"] not in _MERGES or not _by_event_time(q):
        return False
    older, newer = _single(q["older"], q, "string"), _single(q["newer"], q, "string")
    if older is None or newer is None:
        return False
    return (older > newer) != (older.encode("utf-16-be") > newer.encode("utf-16-be"))


def _signed_bytes(q: Question) -> bool:
    if q["ask"] not in _MERGES or not _by_event_time(q):
        return False
    older, newer = _single(q["older"], q, "bytes"), _single(q["newer"], q, "bytes")
    if older is None or newer is None or logical(q, q["ordering_fields"][0]) == "decimal":
        return False
    one, other = bytes.fromhex(older), bytes.fromhex(newer)
    return (one > other) != (_signed(one) > _signed(other))


def _signed(data: bytes) -> list[int]:
    return [byte - (byte >> 7 << 8) for byte in data]


def _decimal_bytes(q: Question) -> bool:
    """Decimals that are ordered otherwise than the bytes that carry them, which Apache Hudi compares as signed numbers."""
    if q["ask"] not in _MERGES or not _by_event_time(q):
        return False
    older, newer = _single(q["older"], q, "bytes"), _single(q["newer"], q, "bytes")
    if older is None or newer is None or logical(q, q["ordering_fields"][0]) != "decimal":
        return False
    one, other = bytes.fromhex(older), bytes.fromhex(newer)
    return (number(one) > number(other)) != (_signed(one) > _signed(other))


def _default_by_value(q: Question) -> bool:
    """The record that wins has a default that is no null and none of Java's cached objects, and the other something else."""
    if q["ask"] not in _MERGES or q.get("partial_update_mode") != "IGNORE_DEFAULTS":
        return False
    older, newer = q["older"].get("record"), q["newer"].get("record")
    if older is None or newer is None:
        return False
    high, low = newer["record"], older["record"]
    if q["mode"] == "EVENT_TIME_ORDERING" and (high["ts"] or {}).get("long", 0) < (low["ts"] or {}).get("long", 0):
        high, low = low, high
    return any(
        _is_uncached_default(high.get(field["name"]), field["default"])
        and low.get(field["name"]) != high[field["name"]]
        for field in q["avro"]["fields"]
        if field.get("default") is not None
    )


def _is_uncached_default(typed: Any, default: Any) -> bool:
    if typed is None:
        return False
    tag, value = next(iter(typed.items()))
    if tag == "boolean" or (tag in ("int", "long") and value in _CACHED):
        return False
    return equals(typed, default)


def _partial_block(q: Question) -> bool:
    return q["ask"] in _MERGES and bool(q.get("partial_blocks"))


def _aws(q: Question) -> bool:
    return q["ask"] in ("delta_merge", "final_merge") and _payload(q) == "AWSDmsAvroPayload"


def _null_beside_partial(q: Question) -> bool:
    if q["ask"] not in _MERGES or _payload(q) != "PartialUpdateAvroPayload" or not q["newer"].get("record"):
        return False
    return ordering_values(q["newer"], q) == [None] and ordering_values(q["older"], q) != [None]


def _fills_from_deleted(q: Question) -> bool:
    fills = ("OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload")
    return q["ask"] == "combine" and _payload(q) in fills and flagged(q["older"])


def _flag_passed_over(q: Question) -> bool:
    if q["ask"] != "combine":
        return False
    if _payload(q) == "ReverseOrderHoodieRecordPayload":
        return flagged(q["older"])
    return _payload(q) == "HoodieAvroPayload" and flagged(q["newer"])


def _late_delete(q: Question) -> bool:
    if q["ask"] != "combine" or _payload(q) != "PartialUpdateAvroPayload" or not flagged(q["newer"]):
        return False
    older, newer = _single(q["older"], q, "long"), _single(q["newer"], q, "long")
    return older is not None and newer is not None and older > newer


def _half_a_marker(q: Question) -> bool:
    stated = q.get("properties", {})
    return q["ask"] == "combine" and ("hoodie.payload.delete.field" in stated) != (
        "hoodie.payload.delete.marker" in stated
    )


def _no_operation(q: Question) -> bool:
    if q["ask"] != "is_delete":
        return False
    record = q["record"]["record"]
    return "_hoodie_operation" in record and record["_hoodie_operation"] is None and not flagged(q)


DEVIATIONS = (
    Deviation(
        "merge_modes",
        "ordering values that are missing or of another type",
        _of_two_classes,
        winner,
        "A record without an ordering value counts as one with 0, of strings and the like as lowest; a delete whose value is "
        "not of the column's type, or null, wins over what precedes it.",
        "Hudi casts Integer 0, which stands for null, to the other value's class, or calls a method of null, and fails.",
    ),
    Deviation(
        "merge_modes",
        "deletes with a null ordering value",
        _null_in_block,
        always(DELETED),
        "A null ordering value in a delete block is none: the delete wins over what precedes it.",
        "Hudi calls a method of null, and fails.",
    ),
    Deviation(
        "merge_modes",
        "ordering fields inside a null record",
        _below_null,
        winner_or_none,
        "The record has no ordering value.",
        "Hudi calls a method of null, and fails.",
    ),
    Deviation(
        "merge_modes",
        "strings as ordering values",
        _beyond_the_plane,
        winner,
        "Ordering values that are strings compare by their UTF-8 bytes, as Spark compares them.",
        "Hudi's records in Avro compare UTF-16 code units: characters beyond U+FFFF come before some of those below.",
    ),
    Deviation(
        "merge_modes",
        "bytes as ordering values",
        _signed_bytes,
        winner,
        "Ordering values that are bytes compare as unsigned numbers, as everywhere.",
        "Hudi's records in Avro compare bytes as signed numbers: 0x80 is below 0x7f.",
    ),
    Deviation(
        "merge_modes",
        "decimals as ordering values",
        _decimal_bytes,
        winner,
        "Ordering values that are decimals compare as numbers.",
        "Hudi's records in Avro compare the bytes of a decimal one by one, as signed numbers: -1 (`ff`) is above -256 (`ff00`).",
    ),
    Deviation(
        "merge_modes",
        "defaults under IGNORE_DEFAULTS",
        _default_by_value,
        without_defaults,
        "Under IGNORE_DEFAULTS any value that equals its column's default counts as not given, as it did in the payload class.",
        "Hudi compares objects by identity: only null, booleans and numbers from -128 to 127 are found to be defaults.",
    ),
    Deviation(
        "merge_modes",
        "log blocks with some of the columns",
        _partial_block,
        joined,
        "Columns that a block does not have come from the other record.",
        "Hudi's merger of Avro records is not written; that of Spark does the same as we.",
    ),
    Deviation(
        "merge_modes",
        "AWSDmsAvroPayload",
        _aws,
        by_operation,
        "The latest record wins; it deletes when `Op` is `D`. This is what table version 9 makes of the class.",
        "Hudi cannot make an object of the class when records are merged by payload.",
    ),
    Deviation(
        "merge_modes",
        "`_hoodie_is_deleted` under payload classes",
        _flag_passed_over,
        always(DELETED),
        "`_hoodie_is_deleted` deletes under every payload class.",
        "HoodieAvroPayload takes the row as it is, with its flag, and ReverseOrderHoodieRecordPayload keeps a row that has one.",
    ),
    Deviation(
        "merge_modes",
        "late records without an ordering value",
        _null_beside_partial,
        older_filled,
        "A record without an ordering value is as one with 0: the older record stays, and is filled up.",
        "PartialUpdateAvroPayload lets a record without an ordering value win.",
    ),
    Deviation(
        "merge_modes",
        "partial updates of deleted rows",
        _fills_from_deleted,
        newer_row,
        "What follows a deleted row is not filled up from it.",
        "Hudi's payloads copy the delete flag, so that the new row is deleted too when it is read again.",
    ),
    Deviation(
        "merge_modes",
        "late deletes under partial updates",
        _late_delete,
        older_row,
        "A delete with a lower ordering value than the row's leaves the row.",
        "PartialUpdateAvroPayload deletes without a look at ordering values.",
    ),
    Deviation(
        "merge_modes",
        "a delete field without a delete marker, and the reverse",
        _half_a_marker,
        refused,
        "Properties that state one of both are refused.",
        "Hudi's readers refuse them too; its payloads pass over them.",
    ),
    Deviation(
        "merge_modes",
        "null in `_hoodie_operation`",
        _no_operation,
        always(False),
        "A null in `_hoodie_operation` deletes nothing.",
        "Hudi calls a method of null, and fails.",
    ),
)
