"""Tables with logs of changes that this library writes: Apache Hudi's change query gives the changes that were made."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table
from hudi_core.options import CdcMode
from hudi_core.schema.meta import is_meta
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from tests.interop.test_beside import bundle

pytestmark = pytest.mark.interop

SCRIPT = Path(__file__).parent / "change_feed.py"
TYPES = pa.schema(
    [("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("n", pa.float64()), ("day", pa.date32())]
)


def rows(*keys: str, ts: int) -> pa.Table:
    return pa.Table.from_pylist([{"id": key, "p": "x", "ts": ts, "n": ts / 2} for key in keys], TYPES)


def written(folder: Path, kind: str, version: int, mode: CdcMode) -> Table:
    options = {"hoodie.table.cdc.enabled": "true", "hoodie.table.cdc.supplemental.logging.mode": mode.value}
    table = create_table(
        folder, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, options=options
    )
    table.insert(rows("a", "b", "c", "d", ts=1))
    refreshed(table).upsert(rows("b", "e", ts=2))
    refreshed(table).upsert(rows("b", ts=1))  # loses by its ordering value
    refreshed(table).upsert(rows("c", ts=3))
    refreshed(table).delete(where="id = 'a'")
    refreshed(table).overwrite_partitions(rows("c", "f", ts=4))
    refreshed(table).insert(rows("g", ts=5))
    refreshed(table).delete(where="true")
    return refreshed(table)


def plain(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """A row without nulls, and without the meta columns, which Apache Hudi shows of rows that are in no log."""
    return row and {name: value for name, value in row.items() if value is not None and not is_meta(name)}


def sortable(changes: Any) -> list[str]:
    return sorted(json.dumps([op, time, plain(old), plain(new)], sort_keys=True) for op, time, old, new in changes)


def test_changes_that_apache_hudi_reads_are_those_that_were_made(tmp_path: Path) -> None:
    """WRITE-50 to WRITE-52."""
    jar = bundle()
    made = {
        str(tmp_path / f"{kind}{version}{mode.value}"): written(
            tmp_path / f"{kind}{version}{mode.value}", kind, version, mode
        )
        for (kind, version), mode in product((("cow", 6), ("cow", 8), ("cow", 9), ("mor", 9)), CdcMode)
    }
    run = [sys.executable, str(SCRIPT), jar, *made]
    ended = subprocess.run(run, capture_output=True, text=True, check=False, timeout=600)
    answers = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert len(answers) == len(made), ended.stderr[-4000:]
    ours = {
        path: [list(row.values()) for row in table.changes(meta=False).to_json_rows()] for path, table in made.items()
    }
    different = {
        path: (set(theirs) ^ set(sortable(ours[path])))
        for path, theirs in ((answer["table"], sortable(answer["changes"])) for answer in answers)
        if theirs != sortable(ours[path])
    }
    assert not different
