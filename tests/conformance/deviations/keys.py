"""Keys and partition paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from tests.conformance.deviations import REFUSED, Deviation, Question, always, refused

_BARE_OFFSET = re.compile(r"(?:UTC?)?[+-]")
_BYTES = re.compile(r"binary|fixed")
_PARTITION = "hoodie.datasource.write.partitionpath.field"
_NESTED = re.compile(r"record<|array<|map<|union<")
_MOMENT = re.compile(r"date|.*timestamp")


def _on_rows(question: Question) -> bool:
    return bool(question["writer"] != "avro")


def _partition_fields(question: Question) -> list[str]:
    if question["generator"] in ("NON_PARTITION", "GLOBAL_DELETE"):
        return []
    return [part.partition(":")[0].strip() for part in question["partition"].split(",") if part.strip()]


def _steps_up(question: Question) -> bool:
    if question["hive"] or question["escaped"]:
        return False
    values = [question["values"].get(field) for field in _partition_fields(question)]
    return any(".." in value.split("/") for value in values if isinstance(value, str))


def _nested(question: Question) -> bool:
    return any(_NESTED.match(of) for of in question["types"].values())


def _bytes(question: Question) -> bool:
    used = [of for of in question["types"].values() if _BYTES.match(of)]
    return _on_rows(question) and bool(used) and question["generator"] != "TIMESTAMP"


def _missing_in_path(question: Question) -> bool:
    """Avro's path takes it for null; one field too many, or none, is such a name too."""
    if question["writer"] != "avro" or question["generator"] not in ("SIMPLE", "TIMESTAMP", "CUSTOM"):
        return False
    fields = _partition_fields(question)
    if question["generator"] != "CUSTOM" and len(fields) != 1 and _PARTITION in question["properties"]:
        return "," not in (question["record_key"] or "")
    return bool(set(fields) & set(question["unknown"]))


def _unknown_zone(question: Question) -> bool:
    return any(zone == "No/Such" or _BARE_OFFSET.match(zone) for zone in question["zones"])


def _blanks(question: Question) -> bool:
    texts = [question["record_key"] or "", question["partition"]]
    return question["generator"] == "SIMPLE" and any(text != text.strip() for text in texts)


def _slashes_on_rows(question: Question) -> bool:
    if not (question["slashes"] and _on_rows(question) and not question["hive"]):
        return False
    null = any(question["values"].get(field) is None for field in _partition_fields(question))
    return (question["writer"] == "internal-row" or null) and not _nameless(question)


def _nameless(question: Question) -> bool:
    """Whether dashes in the value of the one partition field would part it where a part has no name of a folder."""
    fields = _partition_fields(question)
    if not question["slashes"] or len(fields) != 1:
        return False
    value = question["values"].get(fields[0])
    return isinstance(value, str) and not {"", ".", ".."}.isdisjoint(value.split("-"))


def _parted_anyway(question: Question) -> bool:
    theirs = question["answers"][question["writer"]]
    return _nameless(question) and (theirs == REFUSED or "/" in theirs[1])


def _with_dashes(question: Question) -> object:
    """What rows get, with the dashes of the value."""
    answers = question["answers"]
    key, path = answers["row"] if answers["row"] != REFUSED else answers["avro"]
    return key, path.replace("/", "-")


def _null_time(question: Question) -> bool:
    if not (question["generator"] == "TIMESTAMP" and question["writer"] == "row"):
        return False
    fields = [field for field in _partition_fields(question) if field in question["types"]]
    return any(
        _MOMENT.match(question["types"][field]) is not None
        and not (question["consistent"] and question["types"][field].startswith("timestamp"))
        and question["values"][field] is None
        for field in fields
    )


def _number_in_text(question: Question) -> bool:
    if question["generator"] != "TIMESTAMP" or not question["counts"]:
        return False
    values = [question["values"].get(field) for field in _partition_fields(question)]
    return any(isinstance(value, str) and value.isdigit() for value in values)


def _auto_of_timestamps(question: Question) -> bool:
    return question["ask"] == "auto" and question["generator"] == "TIMESTAMP" and question["record_key"] is None


def _endless(question: Question) -> bool:
    return question["ask"] == "parts" and bool(question["endless"])


def _property_of_table(question: Question) -> bool:
    return question["ask"] == "auto enabled" and "hoodie.table.recordkey.fields" in question["properties"]


def _signed_escape(question: Question) -> bool:
    return question["ask"] == "unescape" and "%+" in question["text"]


def _as_by_avro(question: Question) -> object:
    return question["answers"]["avro"]


def _as_by_rows(question: Question) -> object:
    """What rows get; of null, the default partition."""
    if question["answers"]["row"] != REFUSED:
        return question["answers"]["row"]
    return question["answers"]["avro"][0], "__HIVE_DEFAULT_PARTITION__"


def _of_trimmed(question: Question) -> object:
    return tuple(question["values"][question[name].strip()] for name in ("record_key", "partition"))


def _of_number(question: Question) -> object:
    (field,) = _partition_fields(question)
    return question["values"][question["record_key"]], _path_of(question, question["values"][field])


def _path_of(question: Question, value: Any) -> str:
    """The path of a timestamp generator whose zone is UTC."""
    stated = {key.removeprefix("hoodie.keygen.timebased."): text for key, text in question["properties"].items()}
    unit = _UNITS.get(stated["timestamp.type"], stated.get("timestamp.scalar.time.unit", "seconds")).lower()
    text = _printed(int(int(value) * _SECONDS[unit] // 1), stated["output.dateformat"])
    return f"{question['partition'].partition(':')[0]}={text}" if question["hive"] else text


_UNITS = {"UNIX_TIMESTAMP": "seconds", "EPOCHMILLISECONDS": "milliseconds", "EPOCHMICROSECONDS": "microseconds"}
_SECONDS = {
    "days": Fraction(86_400),
    "hours": Fraction(3_600),
    "minutes": Fraction(60),
    "seconds": Fraction(1),
    "milliseconds": Fraction(1, 1_000),
    "microseconds": Fraction(1, 1_000_000),
}


def _printed(seconds: int, pattern: str) -> str:
    """A point in time by a pattern of numbers alone, in years of more than four digits too."""
    cycle = 400 * 365 + 97  # days after which the calendar repeats
    cycles, days = divmod(seconds // 86_400, cycle)
    moment = datetime(1970, 1, 1) + timedelta(days=days, seconds=seconds % 86_400)
    parts = {"yyyy": f"{moment.year + 400 * cycles:04d}"}
    parts |= {"MM": f"{moment:%m}", "dd": f"{moment:%d}", "HH": f"{moment:%H}", "hh": f"{moment:%I}"}
    parts |= {"mm": f"{moment:%M}", "ss": f"{moment:%S}"}
    return re.sub(r"[A-Za-z]+", lambda run: parts[run.group()], pattern.replace("'", ""))


def _made_up(question: Question) -> object:
    """The instant, the writer's partition and the number of the row."""
    stated = {key.removeprefix("_hoodie.record.key.gen."): text for key, text in question["properties"].items()}
    prefix = f"{stated['instant.time']}_{stated['partition.id']}"
    (paths,) = (question["columns"][field] for field in _partition_fields(question))
    return [(f"{prefix}_{number}", _path_of(question, value)) for number, value in enumerate(paths)]


def _last_value(question: Question) -> object:
    """The values of the fields asked for: each ends where the next field of the key begins."""
    names = re.findall(r"(?:^|,)(\w+):", question["text"])
    values = re.split(rf"(?:^|,)(?:{'|'.join(names)}):", question["text"])[1:]
    return [value for name, value in zip(names, values, strict=True) if name in question["fields"]]


def _itself(question: Question) -> object:
    return question["text"]


Applies = Callable[[Question], bool]
Expected = Callable[[Question], object]


def _rule(name: str, applies: Applies, expected: Expected, ours: str, reason: str) -> Deviation:
    return Deviation("keys", name, applies, expected, ours, reason)


def _of_keys(name: str, applies: Applies, expected: Expected, ours: str, reason: str) -> Deviation:
    """A rule on rows whose keys are asked for."""
    return _rule(name, lambda question: question["ask"] == "key" and applies(question), expected, ours, reason)


DEVIATIONS = (
    _of_keys(
        "`..` in partition values",
        _steps_up,
        refused,
        "refused",
        "A path `a/../b` is another partition, `..` the folder above the table. Hudi takes both; its later versions refuse them.",
    ),
    _of_keys(
        "nested types in keys and paths",
        _nested,
        refused,
        "refused",
        "The string form of a record differs with the path of writing and its version; no key should depend on it.",
    ),
    _of_keys(
        "bytes in keys and paths, by rows",
        _bytes,
        _as_by_avro,
        "hexadecimal, as Avro's path has them",
        "Hudi takes the string form of the array's identity, which differs each time.",
    ),
    _of_keys(
        "partition fields that do not exist, by Avro",
        _missing_in_path,
        refused,
        "refused, as rows' path does",
        "A misspelt name puts every row into the default partition, or into 1970.",
    ),
    _of_keys(
        "time zones that are not known",
        _unknown_zone,
        refused,
        "refused",
        "Java takes every such name for GMT without a word.",
    ),
    _of_keys(
        "blanks around the names of a simple generator's fields",
        _blanks,
        _of_trimmed,
        "do not count, as for all other generators",
        "Hudi looks for a column with the blanks in its name.",
    ),
    _of_keys(
        "dates with slashes, where a part would have no name",
        _parted_anyway,
        _with_dashes,
        "keep their dashes, as from release 1.2.1 on",
        "Earlier releases write a path with an empty part, which storage takes for another path.",
    ),
    _of_keys(
        "dates with slashes, by rows",
        _slashes_on_rows,
        _as_by_rows,
        "null is the default partition; internal rows get what rows get",
        "Hudi raises NullPointerException for null, and ClassCastException for every internal row.",
    ),
    _of_keys(
        "null in a column whose type is no time to the writer",
        _null_time,
        refused,
        "refused by the type, before any row",
        "Hudi puts the null into 1970 and refuses the first row with a value.",
    ),
    _of_keys(
        "numbers of seconds and the like, in strings",
        _number_in_text,
        _of_number,
        "the numbers that they say",
        "Hudi requires a pattern to parse the string. Its SQL keeps such columns as strings, in tables with such paths.",
    ),
    _rule(
        "keys that are made up beside timestamps",
        _auto_of_timestamps,
        _made_up,
        "made up, as with an empty list of key fields",
        "Hudi's timestamp generator asks for an option that such tables do not have.",
    ),
    _rule(
        "fields of a key, the last value with a colon",
        _endless,
        _last_value,
        "found",
        "Hudi looks for the next field for ever.",
    ),
    _rule(
        "key fields in properties of the table",
        _property_of_table,
        always(False),
        "count where the option of the writer is missing",
        "Hudi copies them into the options before it asks; asked alone, it finds none.",
    ),
    _rule(
        "escapes with a sign",
        _signed_escape,
        _itself,
        "stay as they are",
        "Two hexadecimal digits follow a percent sign. Java's parser takes `+1` for a number.",
    ),
)
