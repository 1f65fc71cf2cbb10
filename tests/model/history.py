"""One drawn history of a table, and what must hold after each step of it.

* The rows are those of the model, with the metadata table and without it, and so are those of each condition: no file is skipped
  that has a matching row.
* The changes since any earlier step lead from the rows then to the rows now; an incremental query has the rows that differ.
* Each earlier state that no clean took can be read as it was; of one that a clean took the query is refused.
* `validate` finds no error. What is left of writers that died may be a warning.
"""

from __future__ import annotations

import datetime
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import time_ns
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from hudi_core.changes.incremental import find_end
from hudi_core.commit import times
from hudi_core.errors import ConditionWarning, ConflictError, NoSuchFileError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.index_builds.listing import IndexState
from hudi_core.snapshot.mode import MetadataMode
from hudi_core.validation.findings import Severity
from hudi_core.validation.validate import validate
from tests.model.history_kinds import FIXED, Kind, Row, State, marker_column

KEYS = "abcdefgh"
Columns = dict[str, tuple[int, pa.DataType]]
"""By name the number of a column that came later, and its type."""

CONDITIONS: dict[str, Callable[[Row], bool]] = {
    "n < 40": lambda row: row["n"] is not None and row["n"] < 40,
    "n IS NULL OR n > 70": lambda row: row["n"] is None or row["n"] > 70,
    "s >= 'm'": lambda row: row["s"] is not None and row["s"] >= "m",
    "lower(s) = 'b1'": lambda row: row["s"] is not None and row["s"].lower() == "b1",
    "p = 'y'": lambda row: row["p"] == "y",
    "p IN ('x', 'z') AND n BETWEEN 20 AND 60": lambda row: (
        row["p"] in ("x", "z") and row["n"] is not None and 20 <= row["n"] <= 60
    ),
    "id = 'c'": lambda row: row["id"] == "c",
    "id IN ('a', 'new3') AND q <> 'u'": lambda row: row["id"] in ("a", "new3") and row["q"] not in ("u", None),
    "at < 1702000000": lambda row: row["at"] is not None and row["at"] < 1_702_000_000,
    "x > 0.5": lambda row: row["x"] is not None and row["x"] > 0.5,
    "ts IS NULL": lambda row: row["ts"] is None,
}
"""Conditions, and what they mean of a row."""


@dataclass(frozen=True)
class Moment:
    """The table after a step: the time up to which changes were seen, the last commit, the columns and the rows."""

    end: str | None
    instant: str | None
    columns: Columns
    state: State


@dataclass
class History:
    """A table, its model, and the random numbers by which it goes on."""

    random: Random
    path: Path
    kind: Kind
    state: State = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    loose: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)
    """Keys without a row for which a delete marker may be in a log file, and its ordering value."""
    trace: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    number: int = 0
    ahead: datetime.timedelta = datetime.timedelta()
    """By how much the clocks of writers are ahead of the machine's: time passes where writers died."""
    cleaned: bool = False

    @classmethod
    def begin(cls, random: Random, path: Path, kind: Kind) -> History:
        made = cls(random, path, kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            create_table(
                path, kind.schema(), kind.key, partition_by=kind.partition_by, ordering=kind.ordering, type=kind.type,
                version=kind.version, options={**kind.options, **merging_options(kind)},
                indexes=None if kind.indexes is None else [one for one in kind.indexes if one != "partitioned_record_index"],
            )  # fmt: skip
        stated = kind.properties()
        if stated:
            properties = path / ".hoodie/hoodie.properties"
            lines = [line for line in properties.read_text().splitlines() if line.partition("=")[0] not in stated]
            properties.write_text("\n".join([*lines, *(f"{name}={value}" for name, value in stated.items()), ""]))
        if kind.indexes is not None and "partitioned_record_index" in kind.indexes:
            open_table(path).index("partitioned_record_index")
        made.cleaned = "hoodie.clean.automatic" in kind.options
        made.moments.append(made.moment())
        return made

    def open(self, **options: Any) -> Table:
        return open_table(self.path, **options)

    @property
    def is_global(self) -> bool:
        """Whether keys are once in the table: it has a record index that is not divided by partitions."""
        ready = [index.kind for index in self.open().indexes() if index.state is IndexState.READY]
        return "record_index" in ready and not self.kind.buckets

    @contextmanager
    def clock(self) -> Iterator[None]:
        with patch.object(times, "time_ns", lambda: time_ns() + int(self.ahead.total_seconds()) * 10**9):
            yield

    def moment(self) -> Moment:
        timeline = self.open().timeline
        last = timeline.commits[-1].requested_time if timeline.commits else None
        return Moment(find_end(timeline), last, dict(self.columns), dict(self.state))

    # -- rows

    def schema(self) -> pa.Schema:
        schema = self.kind.schema()
        for name, (_, kind) in self.columns.items():
            schema = schema.append(pa.field(name, kind))
        return schema

    def row(self, **fixed: Any) -> Row:
        """A row, by names of columns."""
        draw = self.random
        row: Row = {
            "id": draw.choice(KEYS), "k": draw.choice([1, 2]), "p": draw.choice("xyz"), "q": draw.choice("uv"),
            "at": draw.choice([1_700_000_000, 1_702_500_000]), "ts": draw.choice([None, 1, 2, 3, 4, 5]),
            "u": draw.choice([None, 1, 2]), "n": draw.choice([None, *range(0, 100, 7)]),
            "s": draw.choice([None, "a0", "b1", "B1", "m", "zz" * 20, "gone"]), "x": draw.choice([None, -1.5, 0.25, 8.0]),
        }  # fmt: skip
        for name, (_, kind) in self.columns.items():
            row[name] = value_of(draw, kind)
        if self.kind.marked:
            row[marker_column()] = draw.random() < 0.2
        if self.kind.is_marker(row):  # one without a value deletes whatever is there: MERGE-6
            row |= {"ts": draw.randint(1, 5), "u": draw.randint(1, 2)}
        return row | fixed

    def new_row(self) -> Row:
        """A row of a key that no other has, without a marker."""
        self.number += 1
        row = self.row(id=f"new{self.number}")
        return unmarked(row)

    def by_id(self, row: Row) -> Row:
        """A row by ids of columns, as states have it: those that came later have numbers."""
        return {self.columns[name][0] if name in self.columns else name: value for name, value in row.items()}

    def by_name(self, row: Row, columns: Columns | None = None) -> Row:
        """A row of a state by names."""
        names = [*FIXED, *([marker_column()] if self.kind.marked else [])]
        later = self.columns if columns is None else columns
        return {name: row.get(name) for name in names} | {
            name: converted(row.get(number), kind) for name, (number, kind) in later.items()
        }

    def batch(self, rows: list[Row], columns: list[str] | None = None) -> pa.Table:
        schema = self.schema()
        if columns is not None:
            schema = pa.schema([one for one in schema if one.name in columns])
        fields = list(schema)
        if self.random.random() < 0.3:
            self.random.shuffle(fields)
        return pa.Table.from_pylist(rows, pa.schema(fields))

    # -- what must hold

    def check(self) -> None:
        """Raises AssertionError with the way there."""
        try:
            self._check()
        except BaseException as problem:
            problem.add_note("\n".join([repr(self.kind), *self.trace[-60:]]))
            raise

    def _check(self) -> None:
        table, off = self.open(), self.open(metadata=MetadataMode.OFF)
        wanted = texts(self.by_name(row) for row in self.state.values())
        for one in (table, off):
            found = texts(rows_of(one.scan(columns=list(self.schema().names))))
            assert found == wanted, difference(found, wanted)
        errors = [str(one) for one in validate(table) if one.severity is Severity.ERROR]
        assert errors == [], errors
        for condition in self.random.sample(list(CONDITIONS), 4):
            holds = CONDITIONS[condition]
            matching = texts(row for row in map(self.by_name, self.state.values()) if holds(row))
            for one in (table, off):
                found = texts(rows_of(one.scan(condition, columns=list(self.schema().names))))
                assert found == matching, (condition, difference(found, matching))
            assert table.count(condition) == sum(matching.values()), condition
        now = self.moment()
        self._check_changes(table, now)
        self._check_times(table)
        self.moments.append(now)

    def _check_times(self, table: Table) -> None:
        latest = {one.instant: one for one in self.moments if one.instant is not None}
        drawn = self.random.sample(sorted(latest), min(4, len(latest)))
        for instant in drawn:
            moment = latest[instant]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConditionWarning)
                    rows = rows_of(table.scan(as_of=instant))
            except (
                UsageError,
                NoSuchFileError,
            ) as problem:  # files of a clean that died are gone before it is recorded
                assert self.cleaned, (instant, str(problem))
                continue
            names = [*FIXED, *moment.columns]
            wanted = texts(
                {name: row[name] for name in names}
                for row in (self.by_name(one, moment.columns) for one in moment.state.values())
            )
            found = texts({name: row[name] for name in names} for row in rows)
            assert found == wanted, (f"as of {instant}", difference(found, wanted))

    def _check_changes(self, table: Table, now: Moment) -> None:
        if not self.kind.meta:
            return
        drawn = [self.moments[-1], self.random.choice(self.moments)]
        for moment in drawn:
            since = moment.end or "earliest"
            try:
                changes = rows_of(table.changes(since=since))
                later = rows_of(table.scan(since=since, columns=list(self.schema().names)))
            except (UsageError, ConflictError, NoSuchFileError) as problem:
                assert self.cleaned or "pending" in str(problem), (since, str(problem))
                continue
            names = list(self.schema().names)
            state = texts(self.by_name(row) for row in moment.state.values())
            for change in changes:
                for side, number in (("before", -1), ("after", 1)):
                    if change[side] is not None:
                        state[text_of({name: change[side][name] for name in names})] += number
            state = Counter({row: number for row, number in state.items() if number})
            wanted = texts(self.by_name(row) for row in self.state.values())
            assert state == wanted, (f"changes since {since}", difference(state, wanted), changes)
            changed = wanted - texts(self.by_name(row) for row in moment.state.values())
            seen = texts(later)
            # A row that a late one filled up keeps its commit: QUERY-14.
            assert self.kind.merging == "partial" or not changed - seen, (
                f"incremental since {since} lacks",
                changed - seen,
            )
            assert not seen - wanted, (f"incremental since {since} has", seen - wanted)


def merging_options(kind: Kind) -> dict[str, str]:
    by_commit = kind.merging in ("commit", "nondefaults")
    return {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"} if by_commit else {}


def unmarked(row: Row) -> Row:
    """The row without what deletes it."""
    row = row | ({marker_column(): False} if marker_column() in row else {})
    return row | ({"s": "kept"} if row["s"] == "gone" else {})


def rows_of(result: Any) -> list[Row]:
    rows: list[Row] = result.to_arrow().to_pylist()
    return rows


def text_of(row: Row) -> str:
    return repr(sorted(row.items()))


def texts(rows: Any) -> Counter[str]:
    return Counter(map(text_of, rows))


def difference(found: Counter[str], wanted: Counter[str]) -> str:
    return f"found {list((found - wanted).elements())}, expected {list((wanted - found).elements())}"


VALUES: dict[pa.DataType, list[Any]] = {
    pa.int32(): [-7, 0, 2**31 - 1], pa.int64(): [2**40, -1], pa.float32(): [0.5, -2.25], pa.float64(): [0.1, 1e300],
    pa.string(): ["", "ä", "t" * 30], pa.date32(): [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)],
    pa.list_(pa.int32()): [[], [1, None]], pa.bool_(): [True, False],
    pa.struct([("a", pa.int32()), ("b", pa.string())]): [{"a": 1, "b": "s"}, {"a": None, "b": None}],
}  # fmt: skip
WIDER = {pa.int32(): ("bigint", pa.int64()), pa.float32(): ("double", pa.float64())}
SQL = {
    pa.int32(): "int", pa.int64(): "bigint", pa.float32(): "float", pa.float64(): "double", pa.string(): "string",
    pa.date32(): "date", pa.list_(pa.int32()): "array<int>", pa.bool_(): "boolean",
    pa.struct([("a", pa.int32()), ("b", pa.string())]): "struct<a: int, b: string>",
}  # fmt: skip


def value_of(draw: Random, kind: pa.DataType) -> Any:
    if draw.random() < 0.3:
        return None
    if pa.types.is_struct(kind) and kind not in VALUES:
        return {one.name: value_of(draw, one.type) for one in kind}
    return draw.choice(VALUES[kind])


def converted(value: Any, kind: pa.DataType) -> Any:
    """A value that was stored under an earlier type of its column."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {one.name: value.get(one.name) for one in kind}
    return float(value) if pa.types.is_floating(kind) else value
