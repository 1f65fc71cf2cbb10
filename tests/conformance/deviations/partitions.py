"""Deviations of reading partition values from their folders.

A question holds the column's `type` by name, and the `text`: of one value, or of the whole folder (`ask`) of one `column`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable

from tests.conformance.deviations import Deviation, Question

UNKNOWN = "unknown"
"""The path tells nothing of the column; files are read."""


def _rule(
    name: str, applies: Callable[[Question], bool], expected: Callable[[Question], object], ours: str, reason: str
) -> Deviation:
    return Deviation("partitions", name, applies, expected, ours, reason)


_TRUE, _FALSE = ("t", "true", "y", "yes", "1"), ("f", "false", "n", "no", "0")


def _boolean_word(q: Question) -> bool:
    return q["type"] == "boolean" and q["text"].lower() not in ("true", *_FALSE)


def _truth(q: Question) -> object:
    return True if q["text"].lower() in _TRUE else UNKNOWN


def _blanks(q: Question) -> bool:
    return q["type"] in ("int", "long") and q["text"] != q["text"].strip() and q["text"].strip().isdigit()


def _number(q: Question) -> object:
    return int(q["text"])


def _legacy(q: Question) -> bool:
    return bool(q["text"] == "default")


def _null_or_text(q: Question) -> object:
    return ("", "default", "or null") if q["type"] == "string" else UNKNOWN


def _canonical(q: Question) -> bool:
    try:
        return q["type"] == "uuid" and str(uuid.UUID(q["text"])) != q["text"]
    except ValueError:
        return False


def _like_hive(q: Question) -> bool:
    """The folder of a column without hive style holds an equals sign; of several levels, begins with the column's own name."""
    if q["ask"] != "folder" or q["type"] != "string":
        return False
    return bool(q["text"].startswith(f"{q['column']}=") if "/" in q["text"] else "=" in q["text"])


PARTITIONS = (
    _rule(
        "spellings of booleans in partition paths",
        _boolean_word,
        _truth,
        "what Spark's cast takes for true or false; else unknown",
        "Hudi takes every other string for false, `yes` and the empty one too.",
    ),
    _rule("blanks around a number in a folder", _blanks, _number, "ignored, as Spark's cast does", "Hudi fails."),
    _rule(
        "the legacy name of the default partition",
        _legacy,
        _null_or_text,
        "null, or a string up to it; of another type unknown",
        "Old versions wrote nulls there; a value with that string is there too.",
    ),
    _rule(
        "UUIDs in another spelling",
        _canonical,
        lambda q: str(uuid.UUID(q["text"])),
        "the canonical string",
        "Hudi fails.",
    ),
    _rule(
        "a value that looks like a hive folder",
        _like_hive,
        lambda q: q["text"],
        "without hive style, `name=value` is the value",
        "The table states whether folders carry names. Hudi shows what is behind the first `=`, and finds no row by the value.",
    ),
)
