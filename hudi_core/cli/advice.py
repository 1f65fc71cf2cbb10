"""Advice on indexes and clustering, shown: what `index TABLE --advise --where SQL` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hudi_core.advice.advise import advise
from hudi_core.cli.output import Output
from hudi_core.cli.words import counted, duration, size
from hudi_core.table.table import Table


def show_advice(out: Output, table: Table, where: Sequence[str]) -> None:
    """Shows which index or clustering would pay for queries. Raises as `advise`."""
    advice = advise(table, where)
    records = advice.records()
    if out.as_json:
        for record in records:
            out.line(record)
        return
    for number, (text, touched) in enumerate(zip(advice.queries, advice.touched, strict=True), 1):
        left = f"{touched.kept:,} of {counted(advice.slices, 'file slice')} read, {touched.opened:,} footers opened"
        out.text(f"query {number}: {text}: {left}")
    out.text()
    if len(records) == 1:
        out.text(f"no index or clustering would save anything ({counted(advice.sampled, 'file slice')} looked into)")
        return
    columns = ("measure", "columns", "kept", "opened", "bytes_read", "to_build", "time_to_build")
    out.rows(columns, [_shown(record) for record in records], folded=("columns",))
    out.text(f"\nestimates by {counted(advice.sampled, 'file slice')}; kept and opened by query")


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    is_now = record["measure"] is None
    return {
        "measure": record["measure"] or "as it is",
        "columns": record["columns"],
        "kept": " ".join(f"{count:,}" for count in record["kept"]),
        "opened": " ".join(f"{count:,}" for count in record["opened"]),
        "bytes_read": size(record["bytes_read"]),
        "to_build": None if is_now else size(record["bytes_to_build"]),
        "time_to_build": None if is_now else duration(record["seconds_to_build"]),
    }
