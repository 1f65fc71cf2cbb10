"""A snapshot of 40,000 rows in 48 file slices with four log files of Avro blocks each: ours beside Apache Hudi's.

Such small slices are what streams leave behind. Apache Hudi makes the table once; it is beside the others in `.bench/tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from hudi_core.front.opening import open_table
from tests.bench import apache_hudi
from tests.bench.timing import Elsewhere, Missing, Pair, Unbuilt

_SLICES, _LOGS = 48, 192
_SCRIPT = Path(__file__).with_name("mor_logs_peer.py")


def pair(case: str, peer: str) -> Pair:
    """The measurement. Raises `Unbuilt` for another peer, `Missing` for what the machine lacks."""
    if peer != "apache-hudi":
        raise Unbuilt("no such peer")
    table = _table()
    slices = open_table(table).slices()
    shape = (len(slices), sum(len(file_slice.logs) for file_slice in slices))
    if shape != (_SLICES, _LOGS):
        raise Missing(f"{table} has {shape[0]} slices and {shape[1]} log files")
    return Pair(lambda: _rows(table), Elsewhere(lambda: _of_apache_hudi(table)), _check)


def _rows(table: Path) -> pa.Table:
    return open_table(table).scan(meta=False).to_arrow()


def _table() -> Path:
    table = apache_hudi.tables_folder() / "mor_48_slices_192_logs"
    if not table.is_dir():
        new = table.with_name(f"{table.name}.new")
        apache_hudi.script(_SCRIPT, "make", str(new))
        new.rename(table)
    return table


def _of_apache_hudi(table: Path) -> tuple[Sequence[float], Sequence[str]]:
    (line,) = apache_hudi.script(_SCRIPT, "read", str(table))
    return line["seconds"], line["detail"]["answer"]


def _check(ours: pa.Table, theirs: Sequence[str]) -> None:
    answer = [ours.num_rows, pc.sum(ours["a"]), pc.sum(ours["b"]), pc.max(ours["c"])]
    count, a, b, c = (str(value) for value in answer)
    assert [count, a, c] == [theirs[0], theirs[1], theirs[3]], f"{answer} for {theirs}"
    assert abs(float(b) - float(theirs[2])) <= 1e-6 * abs(float(b)), f"{b} for {theirs[2]}"
