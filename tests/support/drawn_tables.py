"""Tables with columns of every type and every kind of index, drawn at random, and rows, batches and conditions for them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Final

import pyarrow as pa

from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table

Row = dict[str, Any]

LONG: Final = "É" + "z" * 300
_UTC: Final = datetime.UTC
_BEFORE: Final = datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, _UTC)
_STRUCT: Final = pa.struct([("a", pa.int32()), ("b", pa.string())])
VALUES: Final[dict[pa.DataType, list[Any]]] = {
    pa.bool_(): [True, False],
    pa.int32(): [-(2**31), -1, 0, 1, 7, 2**31 - 1],
    pa.int64(): [-(2**63), -1, 0, 1, 39, 40, 2**53 + 1, 2**63 - 1],
    pa.float32(): [-math.inf, -1.5, -0.0, 0.0, 0.5, math.nan],
    pa.float64(): [-math.inf, -1.5, -0.0, 0.0, 0.1, 5e-324, 1e300, math.inf, math.nan],
    pa.decimal128(9, 2): [Decimal("-1.50"), Decimal("0.00"), Decimal("0.01"), Decimal("9999999.99")],
    pa.decimal128(30, 7): [Decimal("-99999999999999999999.0000000"), Decimal("0.0000010"), Decimal("12.5000000")],
    pa.date32(): [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(2020, 2, 29)],
    pa.timestamp("us", "UTC"): [datetime.datetime(1, 1, 1, tzinfo=_UTC), _BEFORE, datetime.datetime(2020, 1, 1, tzinfo=_UTC)],
    pa.timestamp("ms", "UTC"): [_BEFORE.replace(microsecond=999_000), datetime.datetime(2020, 1, 1, tzinfo=_UTC)],
    pa.timestamp("us"): [_BEFORE.replace(tzinfo=None), datetime.datetime(2020, 1, 1)],
    pa.string(): ["", "x1", "X1", "ä", "\ue000", "\U0001f600", LONG, LONG + "!"],
    pa.binary(): [b"", b"\0", b"\xff", b"x" * 200],
    _STRUCT: [{"a": -1, "b": "x1"}, {"a": None, "b": None}, {"a": 3, "b": LONG}],
    pa.list_(pa.int32()): [[], [1], [2, None, 3]],
}  # fmt: skip
"""Of each type the values that rows are drawn from, beside null."""
TYPES: Final[dict[str, pa.DataType]] = {
    "v": pa.int64(), "w": pa.int32(), "r": pa.float32(), "x": pa.float64(), "e": pa.decimal128(9, 2),
    "d": pa.decimal128(30, 7), "day": pa.date32(), "at": pa.timestamp("us", "UTC"), "ms": pa.timestamp("ms", "UTC"),
    "wall": pa.timestamp("us"), "s": pa.string(), "b": pa.binary(), "n": _STRUCT, "l": pa.list_(pa.int32()),
    "flag": pa.bool_(),
}  # fmt: skip
WIDER: Final = {pa.int32(): pa.int64(), pa.float32(): pa.float64()}
"""Types that a batch widens without a loss."""
_ALWAYS: Final = {"id": pa.string(), "p": pa.string(), "ts": pa.int64()}

SECONDARY: Final = ["v", "s", "day", "at"]
EXPRESSIONS: Final = [
    IndexOptions(["s"], name="low", function="lower"),
    IndexOptions(["x"], name="x"),
    IndexOptions(["at"], name="at"),
    IndexOptions(["s"], name="sieve", function="upper", using="bloom_filters"),
    IndexOptions(["v"], name="numbers", using="bloom_filters"),
    IndexOptions(["day"], name="year", function="year"),
    IndexOptions(["s"], name="length", function="length"),
    IndexOptions(["d"], name="d"),
]
"""Those of the last three are of another type than their column, or of one that only tables of version 9 state."""
_SINCE_9: Final = {"year", "length", "d"}


def _of(name: str, holds: Callable[[Any], bool]) -> Callable[[Row], bool]:
    return lambda row: row.get(name) is not None and holds(row[name])


CONDITIONS: Final[dict[str, tuple[str, Callable[[Row], bool]]]] = {
    "v < 40": ("v", _of("v", lambda v: v < 40)),
    "v = 9007199254740993": ("v", _of("v", lambda v: v == 2**53 + 1)),
    "v IN (39, 40)": ("v", _of("v", lambda v: v in (39, 40))),
    "v IS NULL": ("v", lambda row: row.get("v") is None),
    "w >= 2147483647": ("w", _of("w", lambda w: w >= 2**31 - 1)),
    "r > 0": ("r", _of("r", lambda r: not r <= 0)),
    "x = 0.0": ("x", _of("x", lambda x: x == 0)),
    "x > 1e301": ("x", _of("x", lambda x: not x <= 1e301)),
    "x < 0": ("x", _of("x", lambda x: x < 0)),
    "e <= 0.01": ("e", _of("e", lambda e: e <= Decimal("0.01"))),
    "d > 0.000001": ("d", _of("d", lambda d: d > Decimal("0.000001"))),
    "d = 0.000001": ("d", _of("d", lambda d: d == Decimal("0.000001"))),
    "day < date'1970-01-01'": ("day", _of("day", lambda day: day < datetime.date(1970, 1, 1))),
    "year(day) = 1969": ("day", _of("day", lambda day: day.year == 1969)),
    "at < timestamp'1970-01-01 00:00:00Z'": ("at", _of("at", lambda at: at < datetime.datetime(1970, 1, 1, tzinfo=_UTC))),
    "ms < timestamp'1970-01-01 00:00:00Z'": ("ms", _of("ms", lambda ms: ms < datetime.datetime(1970, 1, 1, tzinfo=_UTC))),
    f"s = '{LONG}'": ("s", _of("s", lambda s: s == LONG)),
    "s > 'É'": ("s", _of("s", lambda s: s > "É")),
    "lower(s) = 'x1'": ("s", _of("s", lambda s: s.lower() == "x1")),
    "upper(s) = 'X1'": ("s", _of("s", lambda s: s.upper() == "X1")),
    "length(s) > 300": ("s", _of("s", lambda s: len(s) > 300)),
    "s IS NULL": ("s", lambda row: row.get("s") is None),
    "n.a = 3": ("n", _of("n", lambda n: n["a"] == 3)),
    "flag": ("flag", _of("flag", lambda flag: bool(flag))),
    "id IN ('b', 'c') AND p = 'x'": ("id", lambda row: row["id"] in "bc" and row["p"] == "x"),
    "p = 'y' AND v > 1": ("v", lambda row: row["p"] == "y" and row["v"] is not None and row["v"] > 1),
}  # fmt: skip
"""Conditions with the column that they need, and what they mean of a row. NaN is greater than all numbers."""


@dataclass
class DrawnTable:
    """A table at a path, the columns that it has now, and the random numbers by which it goes on."""

    random: Random
    path: Path
    columns: dict[str, pa.DataType] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    """Columns that stay as they are: those with an index of their own."""
    settings: dict[str, Any] = field(default_factory=dict)
    added: int = 0

    @classmethod
    def create(cls, random: Random, path: Path, *, kind: str, version: int, meta: bool, buckets: int = 0) -> DrawnTable:
        """A table with some columns and indexes, and a few rows; with so many buckets in each partition if not 0."""
        names = random.sample(list(TYPES), random.randint(5, len(TYPES)))
        names = ["v", *(name for name in names if name != "v")]
        random.shuffle(names)
        columns = {**_ALWAYS, **{name: TYPES[name] for name in names}}
        ordering = random.choice([(), "ts"])
        indexes = ["column_stats", *(["partition_stats"] if version > 6 else []), *(["bloom_filters"] if meta else [])]
        if version > 6 or random.random() < 0.7:
            indexes += [] if buckets else ["record_index"]
        partitioned = random.random() < 0.8
        made = cls(random, path, columns)
        made.settings = {
            "kind": kind, "version": version, "meta": meta, "ordering": ordering, "partitioned": partitioned,
            "columns": list(columns), "buckets": buckets,
        }  # fmt: skip
        options = {"hoodie.populate.meta.fields": str(meta).lower()}
        if buckets:
            options |= {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": str(buckets)}
        table = create_table(
            path, made.schema(), "id", partition_by="p" if partitioned else (), type=kind, version=version,
            ordering=ordering, indexes=indexes, options=options,
        )  # fmt: skip
        table.upsert(made.batch([{**made.row(), "id": key, "p": "xy"[key == "c"]} for key in "abc"]))
        if version > 6 and not buckets:
            made._index(version)
        return made

    def _index(self, version: int) -> None:
        secondary = [name for name in SECONDARY if name in self.columns and self.random.random() < 0.4]
        expressions = [
            options
            for options in EXPRESSIONS
            if (options.columns or ("",))[0] in self.columns
            and self.random.random() < 0.5
            and (version > 8 or options.name not in _SINCE_9)
        ]
        for name in secondary:
            build_indexes(refreshed(self.open()), ["secondary_index"], IndexOptions([name], name=name))
        for options in expressions:
            build_indexes(refreshed(self.open()), ["expression_index"], options)
        self.fixed = {*secondary, *((options.columns or ("",))[0] for options in expressions)}
        self.settings["indexes"] = [*secondary, *(options.name for options in expressions)]

    def open(self) -> Table:
        return open_table(self.path)

    def schema(self, *, shuffled: bool = False) -> pa.Schema:
        fields = [pa.field(name, kind) for name, kind in self.columns.items()]
        if shuffled:
            self.random.shuffle(fields)
        return pa.schema(fields)

    def row(self) -> Row:
        """A row of a few keys."""
        random = self.random
        values = {
            name: None if random.random() < 0.2 else random.choice(VALUES[kind])
            for name, kind in self.columns.items()
            if name not in _ALWAYS
        }
        return {"id": random.choice("abcd"), "p": random.choice("xy"), "ts": random.randrange(4), **values}

    def rows(self) -> list[Row]:
        return self.batch([self.row() for _ in range(self.random.randint(1, 5))]).to_pylist()

    def batch(self, rows: list[Row], *, shuffled: bool = False) -> pa.Table:
        return pa.Table.from_pylist(rows, self.schema(shuffled=shuffled))

    def conditions(self) -> dict[str, Callable[[Row], bool]]:
        """Those whose columns the table has."""
        return {text: holds for text, (name, holds) in CONDITIONS.items() if name in self.columns}
