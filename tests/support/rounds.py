"""Rounds of writes on one table, by this library and by Apache Hudi in turn; after each write both read the same rows.

What a write of this library must give is told by a model: the rows of before as a dictionary of keys. What a write of Apache
Hudi must give is told by the judge's own model.
"""

from __future__ import annotations

import datetime
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from hudi_core.expr.build import col
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table

Row = dict[str, Any]

SCHEMA: Final = pa.schema(
    [
        ("number", pa.int64()), ("id", pa.string()), ("p", pa.string()), ("q", pa.string()), ("ts", pa.int64()),
        ("day_text", pa.string()),
        ("n", pa.int32()), ("f", pa.float32()), ("x", pa.float64()), ("d", pa.decimal128(12, 2)), ("wide", pa.decimal128(30, 6)),
        ("s", pa.string()), ("day", pa.date32()), ("at", pa.timestamp("us", "UTC")), ("local", pa.timestamp("us")),
        ("bytes", pa.binary()), ("flag", pa.bool_()), ("items", pa.list_(pa.int32())),
        ("pairs", pa.map_(pa.string(), pa.int64())), ("inner", pa.struct([("a", pa.string()), ("b", pa.int32())])),
        ("records", pa.list_(pa.struct([("u", pa.string()), ("v", pa.float64())]))),
    ]
)  # fmt: skip
ALL_INDEXES: Final = ("column_stats", "bloom_filters", "record_index", "partition_stats")
INDEXES_BEFORE_8: Final = ALL_INDEXES[:3]
_NOON: Final = datetime.datetime(2024, 3, 1, 12)
_OURS: Final = (
    "insert", "upsert", "delete", "upsert", "update", "overwrite_partitions", "upsert", "append", "delete_keys", "bulk_insert",
)  # fmt: skip
_THEIRS: Final = (
    "upsert", "insert", "delete", "service", "upsert", "clean", "bulk_insert", "rollback", "insert_overwrite", "upsert",
)  # fmt: skip
CYCLE: Final = len(_OURS)
"""Rounds in which both do all that they can."""


@dataclass(frozen=True, slots=True)
class Case:
    """A table to write to: how it is created, and what Apache Hudi has to be told to write to it."""

    kind: str
    version: int
    key: Sequence[str] = ("number",)
    """A number comes first: the judge makes new numbers unlike all others, but a new string may be one that it made before."""
    partition_by: Sequence[str] = ("p",)
    ordering: str = "ts"
    indexes: Sequence[str] | None = ()
    options: Mapping[str, str] = field(default_factory=dict)
    theirs: Mapping[str, str] = field(default_factory=dict)
    """Options of Apache Hudi's writer."""

    def __str__(self) -> str:
        parts = [self.kind, f"v{self.version}", "+".join(self.key), "by", "+".join(self.partition_by) or "nothing"]
        parts += (
            ["no_mdt"]
            if self.indexes is None
            else ["all" if len(self.indexes) > 2 else "+".join(self.indexes) or "files"]
        )
        parts += [] if self.ordering else ["unordered"]
        return "-".join([*parts, *(key.rpartition(".")[2] for key in self.options)])


@dataclass
class Rounds:
    """One table under test, in a folder."""

    judge: Any
    oracle: ModuleType
    case: Case
    folder: Path
    random: random.Random
    table: Table = field(init=False)
    last: int = -1
    """The greatest number of a row that was there."""

    def __post_init__(self) -> None:
        case = self.case
        self.table = create_table(
            self.folder / "t", SCHEMA, case.key, partition_by=case.partition_by, ordering=case.ordering or (),
            type=case.kind, version=case.version, indexes=case.indexes, options=dict(case.options),
        )  # fmt: skip

    @property
    def path(self) -> str:
        return str(self.folder / "t")

    def run(self, rounds: int, first: int = 0) -> None:
        """Rounds from the first operation of the cycle on, or from a later one, once the table has rows.

        Raises AssertionError where the two do not read the same, or not what the model has.
        """
        if first:
            self.write("insert")
        for number in range(first, first + rounds):
            self.write(_OURS[number % len(_OURS)])
            self.go_on(_THEIRS[number % len(_THEIRS)])
        self.verify()

    def write(self, operation: str) -> None:
        """A write of ours: both read what the model has."""
        self.table = refreshed(self.table)
        before = {self._name(row): row for row in self._rows(self.table)}
        expected = getattr(self, f"_{operation}")(before)
        ours = self._whole_rows(refreshed(self.table))
        different = differences(map(without_meta, ours), expected.values())
        assert not different, f"ours after {operation}: {different[:4]}"
        answer = self.judge.ask("rows", self.path, out=str(self.folder / "rows.jsonl"))
        assert answer["ok"], self.judge.explain(answer)
        assert not differences(ours, self._stated("rows.jsonl")), f"theirs after {operation} of ours"

    def go_on(self, operation: str) -> None:
        """A write of theirs: both read the same, which is what the judge's model has."""
        if operation == "service":
            operation = "compact" if self.case.kind == "mor" else "cluster"
        if operation == "insert_overwrite" and not self.case.partition_by:
            operation = "upsert"
        options = {
            "hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(self.case.version), **self.case.theirs
        }  # fmt: skip
        answer = self.judge.ask(
            "continue", self.path, ops=[operation], rows=6, seed=self.random.randrange(1 << 30), options=options,
            out=str(self.folder / "theirs"),
        )  # fmt: skip
        assert answer["ok"], f"{operation}: {self.judge.explain(answer)}"
        stated = self._stated(f"theirs/00_{operation}.jsonl")
        rows = self._whole_rows(refreshed(self.table))
        assert not differences(rows, stated), f"ours after {operation} of theirs"
        # The key of a row that is deleted later is no new one: a new row with a lower ordering value loses to what is stored.
        self.last = max([self.last, *(row["number"] for row in rows)])

    def verify(self) -> None:
        """All that the judge looks at, but for predicates: where Apache Hudi wrote, its own statistics lose rows."""
        expected = self.folder / "expected.parquet"
        table = open_table(self.path)
        assert not table.warnings
        pq.write_table(table.scan(meta=False).to_arrow(), expected)
        answer = self.judge.ask(
            "verify", self.path, expect=str(expected), key=list(self.case.key), pending="none",
            table_version=self.case.version, checks=["timeline", "rows", "metadata"],
        )  # fmt: skip
        assert answer["ok"], self.judge.explain(answer)

    def _insert(self, before: dict[str, Row], operation: str = "insert") -> dict[str, Row]:
        new = self._new_rows(8)
        self.table.write(new, operation)
        return before | self._bind_name(new)

    def _append(self, before: dict[str, Row]) -> dict[str, Row]:
        return self._insert(before, "append")

    def _bulk_insert(self, before: dict[str, Row]) -> dict[str, Row]:
        return self._insert(before, "bulk_insert")

    def _upsert(self, before: dict[str, Row]) -> dict[str, Row]:
        batch = pa.concat_tables([self._select_changed(before, 4), self._new_rows(4)])
        self.table.upsert(batch)
        return before | self._bind_name(batch)

    def _update(self, before: dict[str, Row]) -> dict[str, Row]:
        chosen = self._choose(before, 3)
        self.table.update({"n": -7, "s": "updated"}, where=self._one_of(chosen))
        names = {self._name(row) for row in chosen}
        return {name: row | ({"n": -7, "s": "updated"} if name in names else {}) for name, row in before.items()}

    def _delete(self, before: dict[str, Row]) -> dict[str, Row]:
        chosen = self._choose(before, 3)
        self.table.delete(where=self._one_of(chosen))
        names = {self._name(row) for row in chosen}
        return {name: row for name, row in before.items() if name not in names}

    def _delete_keys(self, before: dict[str, Row]) -> dict[str, Row]:
        batch = self._select_changed(before, 3)
        self.table.delete(batch)
        gone = self._bind_name(batch)
        return {name: row for name, row in before.items() if name not in gone}

    def _one_of(self, rows: Sequence[Row]) -> str:
        """A predicate that rows of no other key match."""
        column = self.case.key[0]
        return f"{column} IN ({', '.join(repr(row[column]) for row in rows)})"

    def _overwrite_partitions(self, before: dict[str, Row]) -> dict[str, Row]:
        new = self._new_rows(3)
        self.table.overwrite_partitions(new)
        columns = [name.partition(":")[0] for name in self.case.partition_by]
        place: Callable[[Row], list[Any]] = lambda row: [row[column] for column in columns]  # noqa: E731
        added = self._bind_name(new)
        touched = [place(row) for row in added.values()]
        return {name: row for name, row in before.items() if place(row) not in touched} | added

    def _merge(self, before: dict[str, Row]) -> dict[str, Row]:
        """All kinds of clauses at once, also for rows of the table that the source lacks."""
        batch = pa.concat_tables([self._select_changed(before, 4), self._new_rows(3)])
        source = self._bind_name(batch)
        on = [*self.case.key, *([] if self._rows_can_move() else self.case.partition_by)]
        merge = self.table.merge(batch, on)
        merge = merge.when_matched_delete("source.flag").when_matched_update({"n": col("source.n"), "s": "merged"})
        merge = merge.when_not_matched_insert().when_not_matched_by_source_delete("target.number % 5 = 4")
        merge.when_not_matched_by_source_update({"s": "left over"}, "target.number % 5 = 3").execute()
        after = {}
        for name, row in before.items():
            if name in source and not source[name]["flag"]:
                after[name] = row | {"n": source[name]["n"], "s": "merged"}
            elif name not in source and row["number"] % 5 != 4:
                after[name] = row | ({"s": "left over"} if row["number"] % 5 == 3 else {})
        return after | {name: row for name, row in source.items() if name not in before}

    def _overwrite_where(self, before: dict[str, Row]) -> dict[str, Row]:
        """A third of all rows, in the place of which some of their keys and new ones come."""
        stored = [row for row in before.values() if row["number"] % 3 == 1]
        places = ("number", "id", "p", "q", "day_text")
        changed = [self._row(row["number"]) | {name: row[name] for name in places} for row in stored[:2]]
        new = [row for row in self._new_rows(4).to_pylist() if row["number"] % 3 == 1]
        batch = pa.Table.from_pylist([*changed, *new], SCHEMA)
        self.table.overwrite(batch, where="number % 3 = 1")
        kept = {name: row for name, row in before.items() if row["number"] % 3 != 1}
        return kept | self._bind_name(batch)

    def _new_rows(self, rows: int) -> pa.Table:
        """Rows with keys that the table lacks: NaN, signed zeros, nulls, long strings, characters beyond ASCII. No list has a
        null: Apache Hudi's own writer refuses those. No map has two entries: it gives them in any order."""
        first = self.last + 1
        self.last = first + rows - 1
        return pa.Table.from_pylist([self._row(number) for number in range(first, first + rows)], SCHEMA)

    def _row(self, number: int) -> Row:
        pick = self.random.choice
        # Of NaN and of long strings Apache Hudi records statistics that lose rows.
        recorded = self.case.indexes is not None and "column_stats" in self.case.indexes
        special, size = (2.5, 30) if recorded else (float("nan"), 3000)
        return {
            "number": number, "id": f"k{number:03d}", "p": "xyz"[number % 3],
            "q": ["2024/01/01", "a=b c", "ü"][number % 3], "ts": 10_000 + number,
            "day_text": ["2022-01-08", "2022-02-17", "2022-03-29"][number % 3],
            "n": pick([None, number - 3, -(1 << 31)]),
            "f": pick([special, -0.0, 0.0, 1.5, None]),
            "x": pick([special, -0.0, 0.0, -2.25, None, 1e300]),
            "d": pick([None, Decimal(number).scaleb(-2), Decimal("-9999999999.99")]),
            "wide": pick([None, Decimal(number), Decimal("-123456789012345678901234.123456")]),
            "s": pick([None, "", f"string {number}", "z" * size + str(number), "\U0001f600é"]),
            "day": _NOON.date() - datetime.timedelta(days=97 * (number % 1000)),
            "at": (_NOON + datetime.timedelta(hours=number % 1000)).replace(tzinfo=datetime.UTC),
            "local": pick([None, _NOON - datetime.timedelta(days=number % 1000 * 400)]),
            "bytes": pick([None, b"", bytes([number % 256, 255])]),
            "flag": pick([None, True, False]),
            "items": pick([None, [], list(range(number % 4))]),
            "pairs": pick([None, [], [("k", number)], [("l", None)]]),
            "inner": pick([None, {"a": "x" * (number % 40), "b": None}, {"a": None, "b": number}]),
            "records": pick([None, [], [{"u": None, "v": 1.5}, {"u": "é", "v": None}]]),
        }  # fmt: skip

    def _select_changed(self, before: dict[str, Row], rows: int) -> pa.Table:
        """Rows of keys that the table has, with other values and greater ordering values; every other one in another partition
        where a record index has each key once."""
        changed = []
        movable = self._rows_can_move()
        for number, chosen in enumerate(self._choose(before, rows)):
            key = {name: chosen[name] for name in ("number", "id")}
            moves = movable and number % 2
            place = self._row(chosen["number"] + 1) if moves else chosen
            stays = {name: place[name] for name in ("p", "q", "day_text")}
            changed.append(self._row(chosen["number"]) | key | stays | {"ts": chosen["ts"] + 10_000_000})
        return pa.Table.from_pylist(changed, SCHEMA)

    def _rows_can_move(self) -> bool:
        """Whether a key that comes in another partition is looked for in all."""
        return "record_index" in (self.case.indexes or ())

    def _choose(self, before: dict[str, Row], rows: int) -> list[Row]:
        return [before[name] for name in self.random.sample(sorted(before), min(rows, len(before)))]

    def _name(self, row: Row) -> str:
        return json.dumps([row[column] for column in self.case.key])

    def _bind_name(self, batch: pa.Table) -> dict[str, Row]:
        return {self._name(row): row for row in self.oracle.rows_of(batch)[1]}

    def _rows(self, table: Table) -> list[Row]:
        rows: list[Row] = self.oracle.rows_of(table.scan(meta=False).to_arrow())[1]
        return rows

    def _whole_rows(self, table: Table) -> list[Row]:
        return by_name(self.oracle.rows_of(table.scan().to_arrow())[1])

    def _stated(self, name: str) -> list[Row]:
        return by_name(json.loads(line) for line in (self.folder / name).read_text("utf-8").splitlines())


def by_name(rows: Iterable[Row]) -> list[Row]:
    """Rows in one order, whatever order they are read in."""
    return sorted(rows, key=_text)


def differences(ours: Iterable[Row], others: Iterable[Row]) -> list[str]:
    """Rows that only one of the two has."""
    one, other = Counter(map(_text, ours)), Counter(map(_text, others))
    return [f"ours alone: {row}" for row in one - other] + [f"not ours: {row}" for row in other - one]


def _text(row: Row) -> str:
    return json.dumps(row, sort_keys=True)


def without_meta(row: Row) -> Row:
    """A row's own columns."""
    return {name: value for name, value in row.items() if not name.startswith("_hoodie_")}
