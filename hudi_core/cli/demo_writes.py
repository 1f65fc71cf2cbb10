"""The part of the tour that writes: a table of its own is created, written to, updated, deleted from, and pruned."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hudi_core.cli.create import create
from hudi_core.cli.explain.command import explain
from hudi_core.cli.output import Output
from hudi_core.cli.read import read
from hudi_core.cli.writing import delete, update, write

_DEAR: Final = "fare > 40"
_DEARER: Final = "fare > 60"
_CHEAPER: Final = "fare < 45"
_CITY: Final = "city = 'oslo' AND fare > 60"


def tour_of_writes(out: Output, rides: Path, to: Path, engine: str) -> None:
    """Runs commands one after the other, with the line that a user would type above what each prints."""
    dear, table = to / "dear.parquet", to / "dear"
    shutil.rmtree(table, ignore_errors=True)
    steps: list[tuple[str, Callable[[], None]]] = [
        (
            f'read {rides} --where "{_DEAR}" --output {dear} --overwrite',
            lambda: read(str(rides), where=[_DEAR], output=str(dear), overwrite=True, engine=engine),
        ),
        (
            f"create {table} --like {dear} --key ride_id --partition-by city --ordering fare --index column_stats",
            lambda: create(
                str(table), None, like=str(dear), key="ride_id", partition_by="city", ordering="fare",
                index="column_stats", engine=engine,
            ),
        ),
        (f"write {table} {dear}", lambda: write(str(table), str(dear), engine=engine)),
        (
            f"""update {table} --set "note = 'kept'" --where "{_DEARER}\"""",
            lambda: update(str(table), ["note = 'kept'"], [_DEARER], engine=engine),
        ),
        (f'delete {table} --where "{_CHEAPER}"', lambda: delete(str(table), [_CHEAPER], engine=engine)),
        (f'explain {table} --where "{_CITY}"', lambda: explain(str(table), [_CITY], engine=engine)),
    ]  # fmt: skip
    for line, step in steps:
        out.text(f"\n$ hudi-core {line}", "bold", folded=False)
        step()
