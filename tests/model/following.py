"""A reader that follows a table: it applies the changes since its last position to rows that it keeps, and keeps the rows that
incremental queries give beside them. It may be killed at any time, and goes on where it was."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep
from typing import Any

from hudi_core.changes.incremental import find_end
from hudi_core.errors import ConflictError, UsageError
from hudi_core.front.opening import open_table

Numbers = dict[str, int]


@dataclass
class Followed:
    """Up to when a follower has seen all commits, and its rows by key, from changes and from incremental queries."""

    position: str | None = None
    by_changes: Numbers = field(default_factory=dict)
    by_rows: Numbers = field(default_factory=dict)
    steps: int = 0
    problem: str = ""

    @classmethod
    def read(cls, path: Path) -> Followed:
        return cls(**json.loads(path.read_text())) if path.exists() else cls()

    def write(self, path: Path) -> None:
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(vars(self)))
        os.replace(beside, path)

    def take(self, table: str) -> bool:
        """Goes on to the end of what is there; whether there was something."""
        opened = open_table(table)
        end = find_end(opened.timeline)
        if end is None or end == self.position:
            return False
        since = self.position or "earliest"
        changes = opened.changes(since=since, until=end).to_arrow().to_pylist()
        rows = opened.scan(since=since, until=end, columns=["id", "n"]).to_arrow().to_pylist()
        for change in changes:
            self._apply(change)
        self.by_rows |= {row["id"]: row["n"] for row in rows}
        self.position, self.steps = end, self.steps + 1
        return True

    def _apply(self, change: dict[str, Any]) -> None:
        before, after = change["before"], change["after"]
        if before is not None:
            if self.by_changes.get(before["id"]) != before["n"] and not self.problem:
                self.problem = f"a change of {before}, which was {self.by_changes.get(before['id'])} before"
            self.by_changes.pop(before["id"], None)
        if after is not None:
            if after["id"] in self.by_changes and not self.problem:
                self.problem = f"{after} was inserted, but was there"
            self.by_changes[after["id"]] = after["n"]


def follow_until_killed(table: str, notes: Path) -> None:
    followed = Followed.read(notes)
    while True:
        try:
            changed = followed.take(table)
        except ConflictError:  # a clean took a file meanwhile, or a write of version 6 is pending
            changed = False
        except UsageError as problem:  # its position was cleaned away
            followed.problem = followed.problem or f"too slow: {problem}"
            changed = False
        if changed:
            followed.write(notes)
        sleep(0.3)
