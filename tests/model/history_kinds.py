"""Kinds of tables that histories are drawn for, and what their writes mean: which row a key has after a record is merged.

A row is a dictionary of values by column id, a number that stands for the column through renames; a state has rows by their
partition path and key. Keys of a table with a record index of the whole table are once in it, others once in a partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from time import gmtime, strftime
from typing import Any, Final

import pyarrow as pa

Row = dict[str, Any]
Place = tuple[str, str]
"""A partition path and a record key."""
State = dict[Place, Row]

FIXED: Final = {
    "id": pa.string(), "k": pa.int32(), "p": pa.string(), "q": pa.string(), "at": pa.int64(), "ts": pa.int64(),
    "u": pa.int32(), "n": pa.int64(), "s": pa.string(), "x": pa.float64(),
}  # fmt: skip
"""Columns that keys, partitions, the order and conditions name; others come, change and go."""
_MARKER: Final = "_hoodie_is_deleted"
_MONTHS: Final = {
    "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
    "hoodie.keygen.timebased.output.dateformat": "yyyy-MM",
}
KEY_GENERATORS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "SIMPLE": (("id",), ("p",)),
    "COMPLEX": (("id", "k"), ("p",)),
    "COMPLEX of two": (("id",), ("p", "q")),
    "NON_PARTITION": (("id",), ()),
    "TIMESTAMP": (("id",), ("at",)),
    "CUSTOM": (("id",), ("p:SIMPLE", "at:TIMESTAMP")),
}
"""By name the columns of the key and of the partition."""
_INLINE: Final = {
    "hoodie.clean.automatic": "true", "hoodie.clean.commits.retained": "2", "hoodie.archive.automatic": "true",
    "hoodie.keep.min.commits": "3", "hoodie.keep.max.commits": "4", "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "3",
}  # fmt: skip
_INLINE_OF_LOGS: Final = {
    "hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "2", "hoodie.log.compaction.inline": "true",
    "hoodie.log.compaction.blocks.threshold": "2",
}  # fmt: skip
"""Services that follow each write."""
_PAYLOADS: Final = {
    "partial": "PartialUpdateAvroPayload", "nondefaults": "OverwriteNonDefaultsWithLatestAvroPayload",
    "first": "FirstValueAvroPayload", "reverse": "ReverseOrderHoodieRecordPayload",
}  # fmt: skip
_BY_COMMIT: Final = ("commit", "nondefaults")
_MODEL: Final = "org.apache.hudi.common.model"


@dataclass(frozen=True)
class Kind:
    """A drawn table."""

    type: str
    version: int
    generator: str = "SIMPLE"
    ordering: tuple[str, ...] = ()
    merging: str = ""
    indexes: tuple[str, ...] | None = ()
    buckets: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    marked: bool = False
    """It has the column of delete markers."""
    logs: str = "avro"
    """The format of blocks of rows in its log files."""

    @classmethod
    def draw(cls, draw: Random, kind: str, version: int) -> Kind:
        generator = draw.choice(list(KEY_GENERATORS))
        partition_by = KEY_GENERATORS[generator][1]
        ordering = draw.choice([(), ("ts",), ("ts",), ("ts", "u")])
        merging = draw.choice(["", "", "", "commit", "partial", "nondefaults", "first", "reverse", "marker"])
        if not ordering and merging in ("partial", "first", "reverse"):
            merging = ""
        options: dict[str, str] = {}
        meta = draw.random() < 0.8 or generator in ("TIMESTAMP", "CUSTOM", "COMPLEX of two")
        if partition_by and draw.random() < 0.3:
            options["hoodie.datasource.write.hive_style_partitioning"] = "true"
        if partition_by and draw.random() < 0.2:
            options["hoodie.datasource.write.partitionpath.urlencode"] = "true"
        if meta and set(partition_by) <= {"p", "q"} and partition_by and draw.random() < 0.4:
            options["hoodie.datasource.write.drop.partition.columns"] = "true"
        if meta and draw.random() < 0.3:
            options["hoodie.table.cdc.enabled"] = "true"
            options["hoodie.table.cdc.supplemental.logging.mode"] = draw.choice(
                ["op_key_only", "data_before", "data_before_after"]
            ).upper()
        if not meta:
            options["hoodie.populate.meta.fields"] = "false"
        if {"at", "at:TIMESTAMP"} & {*partition_by}:
            options |= _MONTHS
            if generator == "TIMESTAMP":
                options["hoodie.table.keygenerator.type"] = "TIMESTAMP"
        buckets = draw.choice(["", "", "", "SIMPLE", "CONSISTENT_HASHING"])
        if buckets == "CONSISTENT_HASHING" and kind != "mor":
            buckets = "SIMPLE"
        if buckets:
            options |= {
                "hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2", "hoodie.index.bucket.engine": buckets
            }  # fmt: skip
        indexes: list[str] | None = None
        if draw.random() < 0.85:
            possible = ["column_stats", *(["bloom_filters"] if meta else [])]
            indexes = [one for one in possible if draw.random() < 0.6]
            if version > 6 and "column_stats" in indexes and draw.random() < 0.7:
                indexes.append("partition_stats")
            located = draw.choice(["", "record_index", "partitioned_record_index"])
            if located and not buckets and (version > 8 or located == "record_index"):
                indexes.append(located)
        if draw.random() < 0.2:
            options |= _INLINE | (_INLINE_OF_LOGS if kind == "mor" else {})
        if draw.random() < 0.2:
            options["hoodie.table.timeline.timezone"] = "LOCAL"
        if draw.random() < 0.15:
            options["hoodie.logfile.data.block.max.size"] = "400"
        if draw.random() < 0.3:
            options["hoodie.parquet.compression.codec"] = draw.choice(["snappy", "gzip", "uncompressed"])
        formats = ["avro", "parquet", *(["hfile"] if meta else [])]
        logs = draw.choice(formats) if kind == "mor" else "avro"
        marked, known = draw.random() < 0.3, None if indexes is None else tuple(indexes)
        return cls(kind, version, generator, ordering, merging, known, buckets, options, marked, logs)

    @property
    def key(self) -> tuple[str, ...]:
        return KEY_GENERATORS[self.generator][0]

    @property
    def partition_by(self) -> tuple[str, ...]:
        return KEY_GENERATORS[self.generator][1]

    @property
    def partition_columns(self) -> tuple[str, ...]:
        return tuple(one.partition(":")[0] for one in self.partition_by)

    @property
    def meta(self) -> bool:
        return self.options.get("hoodie.populate.meta.fields") != "false"

    @property
    def left_out(self) -> bool:
        return "hoodie.datasource.write.drop.partition.columns" in self.options

    def properties(self) -> dict[str, str]:
        """Properties that a table gets once it is there: those by which Apache Hudi states how records are merged."""
        if self.merging == "marker":
            prefix = "hoodie.record.merge.property.hoodie.payload.delete."
            return {f"{prefix}field": "s", f"{prefix}marker": "gone"}
        if self.merging in ("partial", "nondefaults") and self.version > 8:
            return {"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}
        payload = _PAYLOADS.get(self.merging)
        if payload is None:
            return {}
        name = "hoodie.table.legacy.payload.class" if self.version > 8 else "hoodie.compaction.payload.class"
        return {
            name: f"{_MODEL}.{payload}", "hoodie.record.merge.mode": "CUSTOM",
            "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
        }  # fmt: skip

    def place(self, row: Row) -> Place:
        """The identity of a row: the values that make its partition path, and those of its key."""
        parts = []
        for column in self.partition_columns:
            value = row[column]
            parts.append(strftime("%Y-%m", gmtime(value)) if column == "at" else str(value))
        return "/".join(parts), "/".join(str(row[name]) for name in self.key)

    def path(self, row: Row) -> str:
        """The partition path of a row."""
        parts = self.place(row)[0].split("/")
        if "hoodie.datasource.write.hive_style_partitioning" in self.options:
            parts = [f"{name}={value}" for name, value in zip(self.partition_columns, parts, strict=True)]
        return "/".join(parts) if self.partition_by else ""

    def is_marker(self, row: Row) -> bool:
        return bool(row.get(_MARKER)) or (self.merging == "marker" and row.get("s") == "gone")

    def order(self, row: Row, *, reverse: bool = False) -> tuple[Any, ...]:
        return tuple(row[name] if row[name] is not None else 99 * reverse for name in self.ordering)

    def new_wins(self, old: Row, new: Row) -> bool:
        if not self.ordering or self.merging in _BY_COMMIT:
            return True
        if self.merging == "reverse":
            return self.order(new, reverse=True) <= self.order(old, reverse=True)
        if self.merging == "first":
            return self.order(new) > self.order(old)
        return self.order(new) >= self.order(old)

    def merged(self, old: Row, new: Row) -> Row:
        """What becomes of two records of one key of which the second is newer; a marker may be what is left."""
        wins = self.new_wins(old, new)
        winner, other = (new, old) if wins else (old, new)
        if self.merging not in ("partial", "nondefaults") or self.is_marker(old) or self.is_marker(new):
            return winner
        return {name: other.get(name) if winner.get(name) is None else winner[name] for name in {**old, **new}}

    def schema(self) -> pa.Schema:
        fields = {**FIXED, **({_MARKER: pa.bool_()} if self.marked else {})}
        return pa.schema(list(fields.items()))


def marker_column() -> str:
    return _MARKER


def reduced(kind: Kind, rows: Iterable[Row], *, of_table: bool) -> dict[Place, Row]:
    """One record of each key that a batch has, those of one key merged in their order."""
    result: dict[Place, Row] = {}
    for row in rows:
        place = kind.place(row)
        name = ("", place[1]) if of_table else place
        result[name] = kind.merged(result[name], row) if name in result else row
    return result
