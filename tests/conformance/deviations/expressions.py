"""Deviations of expressions: binding and evaluation, orders of values, literals, data skipping."""

from __future__ import annotations

from collections.abc import Callable

from tests.conformance.deviations import Deviation, Question

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


def _on_null(question: Question) -> bool:
    return question["ask"] == "row" and bool(question["nulls"])


def _other_type(question: Question) -> bool:
    return question["ask"] == "row" and bool(question["mixed"])


def _no_comparator(question: Question) -> bool:
    """A comparison of a column that Hudi has no comparator for; the class of the column decides."""
    return question["ask"] == "row" and any(
        operator in _COMPARISONS and of.partition("(")[0] not in (*_ORDERED, *_LOCAL)
        for operator, of in question["compared"]
    )


def _has_starts_with_any(question: Question) -> bool:
    return question["ask"] in ("bind", "row") and "starts_with_any" in question["operators"]


def _unknown_column(question: Question) -> bool:
    return question["ask"] in ("bind", "row") and question["partial"] and bool(question["unknown"])


def _hidden_unknown(question: Question) -> bool:
    return (
        question["ask"] == "bind"
        and not question["partial"]
        and bool(question["unknown"])
        and "false" in question["operators"]
    )


def _case_clash(question: Question) -> bool:
    names = question.get("names", ())
    return bool(question["ask"] == "bind" and len({name.lower() for name in names}) < len(names))


def _ids_apart(question: Question) -> bool:
    return bool(question["ask"] == "row" and question["ids"] != list(range(len(question["ids"]))))


def _binary_text(question: Question) -> bool:
    return question["ask"] == "row" and any(
        operator in ("starts_with", "contains") and of == "binary" for operator, of in question["compared"]
    )


def _text_of_column(question: Question) -> bool:
    return question["ask"] == "row" and bool(question["text_of_column"])


def _decimal_in_list(question: Question) -> bool:
    return question["ask"] == "row" and any(
        operator == "in" and of.startswith("decimal") for operator, of in question["compared"]
    )


def _high_uuid_in_row(question: Question) -> bool:
    return question["ask"] == "row" and any(
        operator in ("lt", "lteq", "gt", "gteq") and of == "uuid" for operator, of in question["compared"]
    )


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


def _skips(name: str) -> Callable[[Question], bool]:
    return lambda question: question["ask"] == "skipping" and bool(question[name])


def _rule(name: str, applies: Callable[[Question], bool], ours: str, reason: str) -> Deviation:
    return Deviation("expressions", name, applies, ours, reason)


DEVIATIONS = (
    _rule(
        "three-valued logic",
        _on_null,
        "NULL, by Kleene's tables",
        "SQL's logic has three values. Hudi raises on a null operand, takes null for false in AND and OR, and finds null in a "
        "list that holds one.",
    ),
    _rule(
        "literals of another type",
        _other_type,
        "both sides brought to one type, exactly",
        "`long_column = 42` is no error. Hudi casts the object's class and raises, or finds it in no list.",
    ),
    _rule(
        "types without a comparator",
        _no_comparator,
        "every type that is not nested is ordered",
        "Hudi has no comparator for decimals, bytes and milliseconds of a day, and raises on each row.",
    ),
    _rule(
        "decimals in a list",
        _decimal_in_list,
        "by value",
        "12.34 is 12.340. Java's BigDecimal tells them apart, and Hudi looks the objects up in a hash set.",
    ),
    _rule(
        "order of UUIDs",
        _high_uuid_in_row,
        "by the text, which is unsigned",
        "Java compares two signed numbers; Parquet and Spark compare the text.",
    ),
    _rule(
        "starts with any",
        _has_starts_with_any,
        "bound as an OR of prefixes",
        "Hudi's binding does not know the node and raises, also where it is to bind partially.",
    ),
    _rule(
        "unknown columns when binding partially",
        _unknown_column,
        "an unknown part may have any truth, also under NOT",
        "Hudi makes the part TRUE, and NOT then makes it FALSE: everything is pruned.",
    ),
    _rule(
        "unknown column beside FALSE",
        _hidden_unknown,
        "an error",
        "A misspelt name is a mistake also where its outcome does not matter; Hudi folds the AND before it looks.",
    ),
    _rule(
        "names that differ by case only",
        _case_clash,
        "the exact name wins",
        "One clash makes Hudi refuse every name of the schema when case does not count.",
    ),
    _rule(
        "column ids that are no positions",
        _ids_apart,
        "columns are found by id, wherever they stand",
        "Hudi takes the id for the position in the row and reads another column, or none.",
    ),
    _rule(
        "prefixes of bytes",
        _binary_text,
        "not known: rows cannot be tested, files are kept",
        "Hudi searches the text that Java prints of the buffer object, which says nothing of its bytes.",
    ),
    _rule(
        "prefix taken from a column",
        _text_of_column,
        "not known: rows cannot be tested, files are kept",
        "A pattern that differs from row to row is none the core can say anything about.",
    ),
    _rule(
        "one form of value per type",
        _compares_other_types,
        "values of one type have one form",
        "Hudi meets objects of several classes under one type, and raises.",
    ),
    _rule(
        "order of every type",
        _compares_unsupported,
        "numeric for decimals and times, unsigned for bytes",
        "Hudi has no comparator for these types.",
    ),
    _rule("zeros", _zeros, "-0.0 equals 0.0", "As SQL has it. Java's order tells them apart, and rows are lost."),
    _rule(
        "text beyond U+FFFF",
        _beyond_the_first_plane,
        "by UTF-8 bytes, which is by code points",
        "Writers keep bounds in that order. Java compares UTF-16 units, where surrogates come before U+E000.",
    ),
    _rule(
        "UUIDs of the upper half",
        _high_uuid,
        "by the text, which is unsigned",
        "Java compares two signed numbers; Parquet and Spark compare the text.",
    ),
    _rule(
        "literals of dates and times",
        _moment_literal,
        "a date or timestamp",
        "Hudi has no such literals.",
    ),
    _rule("null literal", _null_literal, "a literal", "Hudi raises."),
    _rule(
        "byte arrays", _fixed_literal, "binary, as byte buffers are", "The length of a literal is no part of its type."
    ),
    _rule("UUID literals", _text_literal_of_uuid, "text", "A UUID is compared as its canonical text."),
    _rule(
        "decimals with a positive exponent",
        _positive_exponent,
        "with scale 0",
        "No column and no engine has a negative scale.",
    ),
    _rule(
        "unknown statistics",
        _skips("unknown"),
        "kept",
        "A bound or a count that is not known says nothing; a condition that comes out null prunes the file in Hudi.",
    ),
    _rule(
        "texts that start with",
        _skips("prefix"),
        "the range from the prefix to the first text after its continuations",
        "Hudi asks min <= p AND max >= p, and loses files whose least text begins with p.",
    ),
    _rule(
        "functions that are not monotone",
        _skips("not_monotone"),
        "kept, or taken back to the column where the function falls",
        "Hudi takes the function of the two bounds for the bounds of the function: it loses rows of `lower`, negative factors, "
        "`datediff` from a literal, month patterns and functions that wrap.",
    ),
    _rule(
        "functions the core does not know",
        _skips("opaque"),
        "kept",
        "Not known is not an error, and never a reason to skip.",
    ),
)
