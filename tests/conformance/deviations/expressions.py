"""Deviations of expressions: binding and evaluation, orders of values, literals. Those of data skipping stand beside."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.conformance.deviations import Deviation, Question, always, refused
from tests.conformance.deviations.skipping import SKIPPING
from tests.support.vector_truth import Cause

_ORDERED = (
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "date",
    "time",
    "timestamp",
    "timestamp-millis",
    "string",
    "uuid",
)
_LOCAL = ("local-timestamp-millis", "local-timestamp-micros")
_COMPARISONS = ("eq", "lt", "lteq", "gt", "gteq")


def _row(cause: Cause) -> Callable[[Question], bool]:
    """A row on which Apache Hudi's evaluation leaves SQL, for this cause before any other."""
    return lambda q: (
        q["ask"] == "row" and not _ids_apart(q) and q["both"].sql != q["both"].hudi and q["both"].cause is cause
    )


def _truth(question: Question) -> object:
    return question["both"].sql


def _has_starts_with_any(question: Question) -> bool:
    bound = question["partial"] or not question["unknown"] if question["ask"] == "bind" else False
    return bound and "starts_with_any" in question["operators"]


def _alone_and_unknown(question: Question) -> bool:
    if question["ask"] != "bind" or not question["partial"]:
        return False
    return "ref" in question["tree"] and question["tree"]["ref"] in question["unknown"]


def _hidden_unknown(question: Question) -> bool:
    if question["ask"] != "bind" or question["partial"] or not question["unknown"]:
        return False
    return not _left_over(question["tree"], set(question["unknown"]))


def _left_over(tree: Any, unknown: set[str]) -> bool:
    """Whether an unknown column is left where AND with FALSE and OR with TRUE are folded before columns are looked up."""
    for part in ("left", "right"):
        folded = {"and": "false", "or": "true"}.get(tree.get("op", ""))
        if folded and tree[part].get("op") == folded:
            return False
    inside = [tree.get(name) for name in ("left", "right", "value", "arg")]
    parts = [part for part in (*inside, *tree.get("list", ())) if isinstance(part, dict)]
    return tree.get("ref") in unknown or any(_left_over(part, unknown) for part in parts)


def _case_clash(question: Question) -> bool:
    return bool(question["ask"] == "bind" and question["clash"])


def _ids_apart(question: Question) -> bool:
    return bool(question["ask"] == "row" and question["ids"] != list(range(len(question["ids"]))))


def _compares_other_types(question: Question) -> bool:
    return (
        question["ask"] == "compare"
        and None not in (question["a"], question["b"])
        and set(question["a"]) != set(question["b"])
    )


def _compares_unsupported(question: Question) -> bool:
    return question["ask"] == "compare" and question["type"].partition("(")[0] not in (*_ORDERED, *_LOCAL)


def _zeros(question: Question) -> bool:
    if (
        question["ask"] != "compare"
        or question["type"] not in ("float", "double")
        or None in (question["a"], question["b"])
    ):
        return False
    return [float(value[question["type"]]) for value in (question["a"], question["b"])] == [0.0, 0.0]


def _beyond_the_first_plane(question: Question) -> bool:
    if question["ask"] != "compare" or question["type"] != "string" or None in (question["a"], question["b"]):
        return False
    return any(ord(c) > 0xFFFF for value in (question["a"], question["b"]) for c in value["string"])


def _high_uuid(question: Question) -> bool:
    return (
        question["ask"] == "compare"
        and question["type"] == "uuid"
        and any(value["uuid"][0] in "89abcdef" for value in (question["a"], question["b"]))
    )


def _moment_literal(question: Question) -> bool:
    return (
        question["ask"] == "literal"
        and set(question["value"] or {}) & {"localdate", "instant", "sqldate", "sqltimestamp"} != set()
    )


def _null_literal(question: Question) -> bool:
    return question["ask"] == "literal" and question["value"] is None


def _fixed_literal(question: Question) -> bool:
    return question["ask"] == "literal" and set(question["value"] or {}) == {"bytearray"}


def _text_literal_of_uuid(question: Question) -> bool:
    return question["ask"] == "literal" and set(question["value"] or {}) == {"uuid"}


def _positive_exponent(question: Question) -> bool:
    return question["ask"] == "literal" and "E+" in (question["value"] or {}).get("decimal", "")


def _order_of(question: Question) -> object:
    """The sign of a comparison, of values in a form that Python compares as the column orders them."""
    of = question["type"].partition("(")[0].partition("[")[0]
    left, right = (_comparable(question[side], of) for side in "ab")
    return (left > right) - (left < right)


def _comparable(typed: Any, of: str) -> Any:
    value = next(held for tag, held in typed.items() if tag != "bits")
    match of:
        case "float" | "double":
            return float(value)
        case "decimal":
            return Decimal(value)
        case "binary" | "fixed":
            return bytes.fromhex(value)
        case _:
            return value


def _literal_type(question: Question) -> object:
    """The type's name by the tag of the value: dates and times have one, a null has none, a decimal no negative scale."""
    if question["value"] is None:
        return "string"
    (tag, value), *_ = question["value"].items()
    if tag == "decimal":
        digits, exponent = Decimal(value).as_tuple()[1:]
        assert isinstance(exponent, int)
        return f"decimal({len(digits) + max(exponent, 0)},{max(-exponent, 0)})"
    names = {"localdate": "date", "sqldate": "date", "instant": "timestamp-micros", "sqltimestamp": "timestamp-micros"}
    return {"bytearray": "binary", "uuid": "string", **names}[tag]


def _rule(
    name: str, applies: Callable[[Question], bool], expected: Callable[[Question], object], ours: str, reason: str
) -> Deviation:
    return Deviation("expressions", name, applies, expected, ours, reason)


DEVIATIONS = (
    _rule(
        "three-valued logic",
        _row(Cause.NULL),
        _truth,
        "NULL, by Kleene's tables",
        "SQL's logic has three values. Hudi raises on a null operand, takes null for false in AND and OR, and finds null in a "
        "list that holds one.",
    ),
    _rule(
        "literals of another type",
        _row(Cause.TYPE),
        _truth,
        "both sides brought to one type, exactly",
        "`long_column = 42` is no error. Hudi casts the object's class and raises, or finds it in no list.",
    ),
    _rule(
        "types without a comparator",
        _row(Cause.COMPARATOR),
        _truth,
        "every type that is not nested is ordered",
        "Hudi has no comparator for decimals, bytes and milliseconds of a day, and raises on each row.",
    ),
    _rule(
        "decimals in a list",
        _row(Cause.DECIMAL_IN_LIST),
        _truth,
        "by value",
        "12.34 is 12.340. Java's BigDecimal distinguishes them, and Hudi looks the objects up in a hash set.",
    ),
    _rule(
        "zeros of two signs",
        _row(Cause.ZEROS),
        _truth,
        "-0.0 equals 0.0, in a list too",
        "As SQL has it. Java's `equals` and `compare` tell them apart, and Hudi asks these.",
    ),
    _rule(
        "order of UUIDs",
        _row(Cause.UUID_ORDER),
        _truth,
        "by the string form, which is unsigned",
        "Java compares two signed numbers; Parquet and Spark compare the strings.",
    ),
    _rule(
        "starts with any",
        _has_starts_with_any,
        always("bound"),
        "bound as an OR of prefixes",
        "Hudi's binding does not know the node and raises, also where it is to bind partially.",
    ),
    _rule(
        "unknown columns when binding partially",
        _row(Cause.UNKNOWN_COLUMN),
        _truth,
        "an unknown part may have any truth, also under NOT",
        "Hudi makes the part TRUE, and NOT then makes it FALSE: everything is pruned.",
    ),
    _rule(
        "an unknown column alone when binding partially",
        _alone_and_unknown,
        always("bound"),
        "bound, with any truth",
        "Hudi looks for unknown columns in predicates only, and raises for a column that is the whole predicate.",
    ),
    _rule(
        "unknown column beside FALSE",
        _hidden_unknown,
        refused,
        "an error",
        "A misspelt name is a mistake also where its outcome does not matter; Hudi folds the AND before it looks.",
    ),
    _rule(
        "names that differ by case only",
        _case_clash,
        always("bound"),
        "the exact name wins",
        "One clash makes Hudi refuse every name of the schema when case does not count.",
    ),
    _rule(
        "column ids that are no positions",
        _ids_apart,
        _truth,
        "columns are found by id, wherever they stand",
        "Hudi takes the id for the position in the row and reads another column, or none.",
    ),
    _rule(
        "prefixes of bytes",
        _row(Cause.TEXT_OF_BYTES),
        _truth,
        "bytes are the text that they are in UTF-8",
        "Hudi searches the string form of Java's buffer object, which does not show its bytes.",
    ),
    _rule(
        "one form of value per type",
        _compares_other_types,
        _order_of,
        "values of one type have one form",
        "Hudi meets objects of several classes under one type, and raises.",
    ),
    _rule(
        "order of every type",
        _compares_unsupported,
        _order_of,
        "numeric for decimals and times, unsigned for bytes",
        "Hudi has no comparator for these types.",
    ),
    _rule(
        "zeros",
        _zeros,
        always(0),
        "-0.0 equals 0.0",
        "As in SQL. Java's order distinguishes them, and rows are lost.",
    ),
    _rule(
        "text beyond U+FFFF",
        _beyond_the_first_plane,
        _order_of,
        "by UTF-8 bytes, which is by code points",
        "Writers keep bounds in that order. Java compares UTF-16 units, where surrogates come before U+E000.",
    ),
    _rule(
        "UUIDs of the upper half",
        _high_uuid,
        _order_of,
        "by the string form, which is unsigned",
        "Java compares two signed numbers; Parquet and Spark compare the strings.",
    ),
    _rule(
        "literals of dates and times",
        _moment_literal,
        _literal_type,
        "a date or timestamp",
        "Hudi has no such literals.",
    ),
    _rule("null literal", _null_literal, _literal_type, "a literal", "Hudi raises."),
    _rule(
        "byte arrays",
        _fixed_literal,
        _literal_type,
        "binary, as byte buffers are",
        "The length of a literal is no part of its type.",
    ),
    _rule("UUID literals", _text_literal_of_uuid, _literal_type, "text", "A UUID is compared as its canonical string."),
    _rule(
        "decimals with a positive exponent",
        _positive_exponent,
        _literal_type,
        "with scale 0",
        "No column and no engine has a negative scale.",
    ),
    *SKIPPING,
)
