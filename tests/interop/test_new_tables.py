"""Tables that this library creates and nobody has written: Apache Hudi is their first reader and first writer. CREATE-230."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_core.front.opening import create_table, open_table

pytestmark = pytest.mark.interop

TYPES = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.int64())])


@pytest.mark.parametrize("indexes", [None, ("column_stats", "record_index")], ids=["bare", "indexed"])
@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_apache_hudi_reads_and_writes_it_first(
    judge: Any, tmp_path: Path, kind: str, version: int, indexes: tuple[str, ...] | None
) -> None:
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes)
    read = judge.ask("verify", str(path), pending="none", checks=["timeline", "rows"])
    assert read["ok"], judge.explain(read)
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    first = {"op": "sql", "sql": "insert into {table} values ('first', 1, 1, 'x'), ('second', 1, 2, 'y')"}
    went_on = judge.ask("continue", str(path), ops=[first, "upsert"], rows=5, options=options)
    assert went_on["ok"], judge.explain(went_on)
    table = open_table(path)
    assert table.scan().to_arrow().num_rows > 0
    assert [str(finding) for finding in table.validate()] == []
    table.upsert(pa.Table.from_pylist([{"id": "ours", "p": "x", "ts": 1, "v": 1}], TYPES))
    verified = judge.ask("verify", str(path), pending="none", checks=["timeline", "rows"])
    assert verified["ok"], judge.explain(verified)


@pytest.mark.parametrize(("kind", "version"), [("mor", 9), ("mor", 6), ("cow", 8)])
def test_apache_hudi_goes_by_what_the_table_states_for_services(
    judge: Any, tmp_path: Path, kind: str, version: int
) -> None:
    """CREATE-570: it takes the numbers that its writer does not state, leaves all in the table, and refuses a writer that states
    otherwise."""
    path = tmp_path / "t"
    stated = {
        "hoodie.clean.automatic": "true",
        "hoodie.clean.commits.retained": "2",
        "hoodie.compact.inline": "true" if kind == "mor" else "false",
        "hoodie.compact.inline.max.delta.commits": "2",
    }
    create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, options=stated)
    data = pa.Table.from_pylist([{"id": f"k{number}", "p": "x", "ts": 1, "v": number} for number in range(9)], TYPES)
    open_table(path).append(data)
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    update = {"op": "sql", "sql": "update {table} set v = v + 1 where id = 'k1'"}
    # The judge switches services off, unless it is told otherwise.
    refused = judge.ask("continue", str(path), ops=[update], options=options)
    assert "Config conflict" in judge.explain(refused)
    switches = {name: value for name, value in stated.items() if value == "true"}
    went_on = judge.ask("continue", str(path), ops=[update] * 4, options={**options, **switches})
    assert went_on["ok"], judge.explain(went_on)
    table = open_table(path)
    assert {name: table.config.properties.get(name) for name in stated} == stated
    actions = [instant.action for instant in table.timeline.completed]
    assert "clean" in actions
    assert actions.count("commit") == (2 if kind == "mor" else 5)
    verified = judge.ask("verify", str(path), pending="none", checks=["timeline", "rows"])
    assert verified["ok"], judge.explain(verified)
