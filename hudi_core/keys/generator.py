"""A key generator as data: how the record key and the partition path of a row are made.

Hudi's generators differ in few things, so one description serves all of them. `choose.py` makes it of options, `bound.py`
makes keys of it. Rules KEY-1 to KEY-6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from hudi_core.keys.clock import Clock
from hudi_core.keys.zones import UTC, Zone
from hudi_core.options import KeyGeneratorType as Kind


class WritePath(StrEnum):
    """Which of Apache Hudi's writing paths is followed, where they make different strings of one value.

    AVRO: records (Flink, Kafka, Spark where records are merged or rewritten). ROW: Spark's rows, the default.
    INTERNAL_ROW: Spark's internal rows (bulk insert by rows). They differ on timestamps, and on null and missing fields.
    """

    AVRO = "avro"
    ROW = "row"
    INTERNAL_ROW = "internal-row"


@dataclass(frozen=True, slots=True)
class BareKey:
    """The string of one field."""

    field: str

    @property
    def fields(self) -> tuple[str, ...]:
        return (self.field,)


@dataclass(frozen=True, slots=True)
class CompositeKey:
    """`name:text,name:text`. With `whole`, no part may be null or empty; else only not all of them."""

    fields: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class AutoKey:
    """`<instant>_<task>_<row>`: keys that the writer makes up, for tables without key fields."""

    instant: str
    task: int
    fields: tuple[str, ...] = ()


RecordKey = BareKey | CompositeKey | AutoKey


@dataclass(frozen=True, slots=True)
class ValuePart:
    """A part of the path with the string of a field."""

    field: str


@dataclass(frozen=True, slots=True)
class TimePart:
    """A part of the path with a time, printed by a clock."""

    field: str
    clock: Clock


PathPart = ValuePart | TimePart


@dataclass(frozen=True, slots=True)
class PathStyle:
    """How the parts of a path are written: as `name=text`, with escapes, and dates as `yyyy/MM/dd`."""

    hive: bool = False
    escaped: bool = False
    slashes: bool = False


@dataclass(frozen=True, slots=True)
class Generator:
    """A key generator of Apache Hudi's.

    `consistent` is the option consistent-logical-timestamp; `zone` the zone of the writer's machine, which counts where no
    other is set.
    """

    kind: Kind
    key: RecordKey
    parts: tuple[PathPart, ...] = ()
    style: PathStyle = PathStyle()
    writer: WritePath = WritePath.ROW
    consistent: bool = False
    zone: Zone = UTC
    spark_types: bool = False
    """Records of Avro are made of Spark's rows: they have no type fixed, and timestamps in microseconds."""

    @property
    def for_keys(self) -> Generator:
        """As it makes record keys: by internal rows CUSTOM turns these into Avro records first."""
        if self.kind is Kind.CUSTOM and self.writer is WritePath.INTERNAL_ROW:
            return replace(self, writer=WritePath.AVRO, spark_types=True)
        return self

    def describe(self) -> str:
        """The generator in one line for people."""
        key = ", ".join(self.key.fields) or "made up"
        path = "/".join(part.field for part in self.parts) or "none"
        writer = f"keys as the writer {self.writer.value} makes them"
        return f"generator {self.kind.value}, record key {key}, partition path {path}, {writer}"


class UserGenerator(Protocol):
    """A key generator of your own: two methods of a row, a mapping of columns to values in the form of `hudi_core.values`."""

    def record_key(self, row: Mapping[str, object]) -> str:
        """The record key of a row. Raises what it likes for a row that has none: the caller gets a `RowError` with its number."""
        ...

    def partition_path(self, row: Mapping[str, object]) -> str:
        """The path of the row's partition, without slashes at its ends; the empty text in a table without partitions."""
        ...


AnyGenerator = Generator | UserGenerator
