"""Who else can read a table: one table of facts, by feature and by reader. Rule TABLE-721.

Sources: for releases of Apache Hudi theirs, and tables and runs of 1.2.0 and 1.2.1; for its master branch its published code; for
hudi-rs 0.6 the sources of its release candidate, for 0.5 runs on 148 tables of Apache Hudi; for Trino its issues 14432 and
25361, and its pull request 27494, which takes Apache Hudi 1.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hudi_core.table.features import Feature


class Reads(StrEnum):
    """Whether a reader gives the rows of a table, from worst to best."""

    WRONG = "wrong"
    """It gives other rows, or other values, without a word."""
    NO = "no"
    """It refuses the table, or its files."""
    UNKNOWN = "unknown"
    """Nobody looked it up."""
    YES = "yes"


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of tables, and what it does with features; those without a fact it reads."""

    name: str
    versions: frozenset[int]
    facts: Mapping[Feature, tuple[Reads, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a reader can read a table, and why not."""

    reader: str
    reads: Reads
    because: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """The fields by name."""
        return {"reader": self.reader, "reads": self.reads.value, "because": list(self.because)}


_NOT_RELEASED: Final = (Reads.NO, "its code is in no release")
_LATER: Final = {
    Feature.NATIVE_LOGS: _NOT_RELEASED,
    Feature.SORTED_FILES: _NOT_RELEASED,
    Feature.SELECTIVE_META_FIELDS: _NOT_RELEASED,
}
_BEFORE_FORMATS: Final = {
    Feature.LANCE: (Reads.UNKNOWN, "Lance files came with a 1.x release"),
    Feature.VECTORS: (Reads.UNKNOWN, "vectors came with a 1.x release"),
}
_RS: Final = {
    **_LATER,
    Feature.RENAMED_COLUMNS: (Reads.WRONG, "it reads old files by the new names: null where a column was renamed"),
    Feature.BOOTSTRAP: (Reads.WRONG, "it reads nulls where a file has its rows outside of the table"),
    Feature.DROPPED_PARTITION_COLUMNS: (Reads.NO, "it wants partition columns in the files"),
    Feature.ORDERING_COLUMNS: (Reads.NO, "it takes one ordering column"),
    Feature.CUSTOM_MERGE: (Reads.NO, "it has no mergers of the user's"),
    Feature.ORC: (Reads.NO, "its base files are Parquet, HFiles and Lance files"),
    Feature.HFILE: (Reads.UNKNOWN, "its properties may say HFile, but no such table was at hand to try it on"),
}
_TRINO: Final = {
    **_LATER,
    **_BEFORE_FORMATS,
    Feature.LOG_FILES: (Reads.WRONG, "it reads base files alone: rows as of the last compaction"),
    Feature.BOOTSTRAP: (Reads.UNKNOWN, "its reading of bootstrapped tables was not looked up"),
    Feature.RENAMED_COLUMNS: (Reads.UNKNOWN, "its reading of renamed columns was not looked up"),
    Feature.ORC: (Reads.NO, "its connector reads Parquet"),
    Feature.HFILE: (Reads.NO, "its connector reads Parquet"),
    Feature.EXTERNAL_FILES: (Reads.UNKNOWN, "its reading of registered files was not looked up"),
}
_TO_6: Final = frozenset({2, 3, 4, 5, 6})

READERS: Final = (
    Reader("Apache Hudi 0.14 to 0.15", _TO_6, {**_LATER, **_BEFORE_FORMATS}),
    Reader("Apache Hudi 1.0", _TO_6 | {8}, {**_LATER, **_BEFORE_FORMATS}),
    Reader("Apache Hudi 1.1 to 1.2.0", _TO_6 | {8, 9}, _LATER),
    Reader("Apache Hudi 1.2.1", _TO_6 | {8, 9}, _LATER),
    Reader("Apache Hudi, its master branch", _TO_6 | {8, 9, 10}, {}),
    Reader(
        "hudi-rs 0.5",
        frozenset({6, 8, 9}),
        {
            **_RS,
            Feature.LANCE: (Reads.UNKNOWN, "0.6 reads Lance files; 0.5 was not tried"),
            Feature.PARTIAL_UPDATES: (Reads.UNKNOWN, "0.6 merges parts of rows; 0.5 was not tried"),
        },
    ),
    Reader("hudi-rs 0.6", frozenset({6, 8, 9}), _RS),
    Reader("Trino to 478", _TO_6, _TRINO),
    Reader("Trino from 479", _TO_6 | {8, 9}, _TRINO),
)
"""All readers that are known, in the order in which they are shown."""


def answers(version: int, features: Iterable[Feature]) -> list[Answer]:
    """What each reader does with a table of this version and these features."""
    used = tuple(features)
    return [_answer(reader, version, used) for reader in READERS]


def _answer(reader: Reader, version: int, features: tuple[Feature, ...]) -> Answer:
    if version not in reader.versions:
        known = ", ".join(map(str, sorted(reader.versions)))
        return Answer(reader.name, Reads.NO, (f"table version {version}; it reads {known}",))
    facts = [reader.facts[feature] for feature in features if feature in reader.facts]
    worst = min((reads for reads, _ in facts), key=list(Reads).index, default=Reads.YES)
    return Answer(reader.name, worst, tuple(reason for reads, reason in facts if reads is worst))
