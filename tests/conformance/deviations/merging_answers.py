"""What merging leaves where it differs from Apache Hudi's: made from the two typed records."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.conformance.deviations import Question


def ordering_values(side: Any, q: Question) -> list[Any]:
    """The typed ordering values of a record, or of a delete."""
    if not side.get("record"):
        given = side.get("delete", side).get("ordering")
        return given if isinstance(given, list) else [given]
    return [at(side["record"], field) for field in q["ordering_fields"]]


def at(record: Any, field: str) -> Any:
    for name in field.split("."):
        if record is None:
            return None
        record = record.get("record", record).get(name)
    return record


def number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def logical(q: Question, path: str) -> str | None:
    of = _declared(q, path)
    return of.get("logicalType") if isinstance(of, dict) else None


def _declared(q: Question, path: str) -> Any:
    """The Avro type of the column that ends a path, without null."""
    fields = q["avro"]["fields"]
    of: Any = None
    for name in path.split("."):
        of = next(field["type"] for field in fields if field["name"] == name)
        of = next(branch for branch in of if branch != "null") if isinstance(of, list) else of
        fields = of.get("fields", ()) if isinstance(of, dict) else ()
    return of


def equals(typed: Any, default: Any) -> bool:
    """Whether a typed value is that of a default as an Avro schema writes it."""
    tag, value = next(iter(typed.items()))
    match tag:
        case "float" | "double":
            return float(value) == default
        case "bytes" | "fixed":
            return bytes.fromhex(value).decode("latin-1") == default
        case _:
            return bool(value == default)


def flagged(side: Any) -> bool:
    record = side.get("record")
    return bool(record) and bool((record["record"].get("_hoodie_is_deleted") or {}).get("boolean"))


DELETED = "deleted"


def _comparable(value: Any, absent: Any) -> Any:
    """A typed ordering value as one that Python orders as Apache Hudi means it: text by code points, bytes without a sign."""
    if value is None:
        return absent
    tag, held = next(iter(value.items()))
    match tag:
        case "bytes" | "fixed":
            return bytes.fromhex(held)
        case "float" | "double":
            return float(held)
        case "decimal":
            return Decimal(held)
        case "array":
            return tuple(_comparable(item, absent) for item in held)
        case _:
            return held


_ABSENT = {"string": "", "utf8": "", "bytes": b"", "fixed": b""}


def _newer_wins(q: Question) -> bool:
    """Whether the newer of two has no lower ordering values. No value is as 0, or below every text; a delete with a value that is
    not of the column's type is of no time."""
    one, other = ordering_values(q["older"], q), ordering_values(q["newer"], q)
    if any(_timeless(side, values, q) for side, values in ((q["older"], one), (q["newer"], other))):
        return True
    for a, b in zip(one, other, strict=True):
        tags = [next(iter(value)) for value in (a, b) if value is not None]
        absent = _ABSENT.get(tags[0], 0) if tags else 0
        low, high = (_comparable(value, absent) for value in (a, b))
        if logical(q, q["ordering_fields"][0]) == "decimal" and isinstance(low, bytes) and isinstance(high, bytes):
            low, high = number(low), number(high)
        if low != high:
            return bool(low < high)
    return True


def _timeless(side: Any, values: list[Any], q: Question) -> bool:
    if side.get("record"):
        return False
    types = [_type_of(q, field) for field in q["ordering_fields"]]
    tags = [None if value is None else next(iter(value)) for value in values]
    return None in tags or any(tag not in _FITTING.get(of, (of,)) for tag, of in zip(tags, types, strict=False))


_FITTING = {"string": ("string", "utf8")}


def _type_of(q: Question, path: str) -> str:
    of = _declared(q, path)
    return str(of["type"] if isinstance(of, dict) else of)


def _left(q: Question, side: Any) -> object:
    """What a record that wins leaves: its row, or that the key is deleted."""
    return q["row"](side) if side.get("record") and not flagged(side) else DELETED


def winner(q: Question) -> object:
    return _left(q, q["newer"] if _newer_wins(q) else q["older"])


def winner_or_none(q: Question) -> object:
    return True if q["ask"] == "without_ordering" else winner(q)


def _filled(q: Question, high: Any, low: Any, *, keep: Callable[[str, Any], bool]) -> object:
    """The row of one record, with the columns that are not kept from the other."""
    record = {
        name: value if keep(name, value) else low["record"]["record"].get(name) for name, value in _all(high, q).items()
    }
    return q["row"]({**high, "record": {"record": record}})


def _all(side: Any, q: Question) -> dict[str, Any]:
    return {field["name"]: side["record"]["record"].get(field["name"]) for field in q["avro"]["fields"]}


def _ordered(q: Question) -> tuple[Any, Any]:
    """The record that wins, and the other."""
    late = q["mode"] == "EVENT_TIME_ORDERING" and not _newer_wins(q)
    return (q["older"], q["newer"]) if late else (q["newer"], q["older"])


def without_defaults(q: Question) -> object:
    high, low = _ordered(q)
    defaults = {field["name"]: field.get("default") for field in q["avro"]["fields"]}
    return _filled(q, high, low, keep=lambda name, value: not _is_default(value, defaults[name]))


def _is_default(typed: Any, default: Any) -> bool:
    if typed is None:
        return default is None
    tag, value = next(iter(typed.items()))
    return bool(value == default) if tag == "boolean" else default is not None and equals(typed, default)


def joined(q: Question) -> object:
    """The columns of a partial record, and the others of the record beside it."""
    high, low = _ordered(q)
    if not (high.get("record") and low.get("record")):
        return _left(q, high)
    named = {field["name"] for field in high["avro"]["fields"]} if "avro" in high else set(_all(high, q))
    return _filled(q, high, low, keep=lambda name, _: name in named)


def by_operation(q: Question) -> object:
    """The newer record, unless its operation deletes."""
    newer = q["newer"]
    if newer.get("record") and (newer["record"]["record"].get("Op") or {}).get("string") == "D":
        return DELETED
    return _left(q, newer)


def older_filled(q: Question) -> object:
    return _filled(q, q["older"], q["newer"], keep=lambda _, value: value is not None)


def newer_row(q: Question) -> object:
    return q["row"](q["newer"])


def older_row(q: Question) -> object:
    return q["row"](q["older"])
