"""A table with indexes of columns, built and kept by this library; Apache Hudi queries by them, judges them and writes on."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from hudi_core.front.opening import create_table
from hudi_core.index_builds.build import build_indexes
from hudi_core.index_kinds.build_plan import IndexOptions
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.validation.validate import validate
from hudi_core.writing.operations import write

SCHEMA: Final = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("s", pa.string()),
        ("w", pa.string()),
        ("day", pa.date32()),
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("ts", pa.int64()),
    ]
)
CHECKS: Final = ("timeline", "rows", "metadata", "filters")


@dataclass(slots=True)
class IndexedTable:
    """A table in a folder, the strings of its rows, and the predicates that Apache Hudi answers by its indexes."""

    judge: Any
    table: Table
    strings: Sequence[str]
    filters: Sequence[str]

    @classmethod
    def create(
        cls,
        judge: Any,
        folder: Path,
        kind: str,
        version: int,
        strings: Sequence[str],
        filters: Sequence[str],
        *,
        meta: bool = True,
    ) -> IndexedTable:
        options = {} if meta else {"hoodie.populate.meta.fields": "false"}
        table = create_table(
            folder / "t", SCHEMA, "id", partition_by="p", ordering="ts", type=kind, version=version, options=options
        )
        created = cls(judge, table, strings, filters)
        created.write(0, 60, 0)
        return created

    def build(self, partition: str, options: Sequence[IndexOptions]) -> None:
        for index in options:
            self.table = build_indexes(refreshed(self.table), [partition], index)

    def write(self, first: int, last: int, ts: int, string: str | None = None) -> None:
        """Upserts the rows of a range of numbers; all their strings are one, where it is given."""
        write(refreshed(self.table), self._rows(first, last, ts, string))

    def delete(self, first: int, last: int, ts: int) -> None:
        write(refreshed(self.table), self._rows(first, last, ts).select(["id", "p"]), "delete")

    def go_on(self, kind: str) -> None:
        """Apache Hudi writes, and we validate; then we write, and it verifies."""
        operations = ["upsert", "delete", *(["compact"] if kind == "mor" else [])]
        answer = self.judge.ask("continue", self.table.storage.uri, ops=operations, rows=10)
        assert answer["ok"], self.judge.explain(answer)
        self._validate()
        self.write(20, 50, 9, self.strings[0])
        refreshed(self.table).delete(where="n = 2")
        self.verify()

    def verify(self, checks: Sequence[str] = CHECKS) -> None:
        answer = self.judge.ask(
            "verify", self.table.storage.uri, pending="none", filters=list(self.filters), checks=list(checks)
        )
        assert answer["ok"], self.judge.explain(answer)
        self._validate()

    def _validate(self) -> None:
        assert [str(finding) for finding in validate(refreshed(self.table))] == []

    def _rows(self, first: int, last: int, ts: int, string: str | None = None) -> pa.Table:
        rows = [
            {
                "id": f"k{number:04d}",
                "p": "xyz"[number % 3],
                "s": None if number % 9 == 0 else string or self.strings[number % len(self.strings)],
                "w": string or self.strings[number % len(self.strings)],
                "day": datetime.date(1969 + number % 3, 12, 31),
                "n": number % 7 - 3,
                "x": [math.nan, -0.0, 1.5, None][number % 4],
                "ts": ts,
            }
            for number in range(first, last)
        ]
        return pa.Table.from_pylist(rows, SCHEMA)
