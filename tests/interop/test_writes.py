"""Tables that this library writes: Apache Hudi reads them under all settings of its readers and goes on with them; then we do."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.alter_schema import alter_schema
from hudi_core.writing.operation import WriteOptions

pytestmark = pytest.mark.interop

TYPES = pa.schema(
    [
        ("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("n", pa.int32()), ("f", pa.float64()),
        ("d", pa.decimal128(12, 2)), ("day", pa.date32()), ("at", pa.timestamp("us", "UTC")), ("bytes", pa.binary()),
        ("flag", pa.bool_()), ("items", pa.list_(pa.int32())), ("pairs", pa.map_(pa.string(), pa.int64())),
        ("inner", pa.struct([("a", pa.string()), ("b", pa.int32())])),
    ]
)  # fmt: skip
NOON = datetime.datetime(2024, 3, 1, 12, tzinfo=datetime.UTC)


def rows(names: list[str], partition: str, ts: int) -> pa.Table:
    """Rows with NaN, negative zero, nulls and long strings. No list has a null: Apache Hudi's own writer refuses those."""
    values = [
        {
            "id": name, "p": partition, "ts": ts, "n": number - 3, "f": [float("nan"), -0.0, 1.5, None][number % 4],
            "d": Decimal(number).scaleb(-2), "day": NOON.date(), "at": NOON + datetime.timedelta(hours=number),
            "bytes": bytes([number % 7]), "flag": number % 2 == 0, "items": list(range(number % 3)),
            "pairs": [("k", number)], "inner": None if number % 5 == 0 else {"a": "x" * 100 * (number % 3), "b": number},
        }
        for number, name in enumerate(names)
    ]  # fmt: skip
    return pa.Table.from_pylist(values, TYPES)


def verify_rows(judge: Any, table: Table, version: int) -> None:
    """Apache Hudi reads the rows of the table that we read, as they are now."""
    path = Path(table.storage.uri)
    expected = path.with_name("rows.parquet")
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    checks = ["timeline", "rows"]
    verified = judge.ask("verify", str(path), expect=str(expected), key=["id"], table_version=version, checks=checks)
    assert verified["ok"], judge.explain(verified)


def ours(table: Table) -> Table:
    """Some writes of each kind."""
    table.insert(rows([f"k{n:03d}" for n in range(20)], "x", 1))
    refreshed(table).upsert(rows(["k003", "k010", "new"], "x", 2))
    refreshed(table).upsert(rows(["k004"], "x", 0))  # loses by its ordering value
    refreshed(table).delete(where="id IN ('k005', 'k006')")
    refreshed(table).insert(rows(["a", "b"], "y", 1))
    refreshed(table).overwrite_partitions(rows(["b", "c"], "y", 1))
    return refreshed(table)


@pytest.mark.parametrize("kind", ["cow", "mor"])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_hudi_reads_our_tables_and_writes_to_them(tmp_path: Path, judge: Any, kind: str, version: int) -> None:
    indexes = ["column_stats", "bloom_filters", "record_index"] + (["partition_stats"] if version > 6 else [])
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    made = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes)
    table = ours(made)
    pq.write_table(table.scan(meta=False).to_arrow(), expected)
    verified = judge.ask("verify", str(path), expect=str(expected), pending="none", table_version=version, count=8)
    errors = [item for item in verified.get("findings", ()) if item["severity"] == "error"]
    assert verified["ok"], errors or verified
    options = {"hoodie.write.auto.upgrade": "false", "hoodie.write.table.version": str(version)}
    operations = ["upsert", "delete", *(["compact"] if kind == "mor" else []), "clean"]
    went_on = judge.ask("continue", str(path), ops=operations, rows=10, options=options)
    assert went_on["ok"], went_on
    table = open_table(path)
    table.upsert(rows(["k001", "last"], "x", 99))
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    verified = judge.ask(
        "verify", str(path), expect=str(expected), pending="none", table_version=version, checks=["timeline", "rows"]
    )
    assert verified["ok"], verified


@pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("mor", 6)])
def test_hudi_reads_our_schema_changes_and_continues_from_them(
    tmp_path: Path, judge: Any, kind: str, version: int
) -> None:
    """COMMIT-13, COMMIT-14."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    types = pa.schema([("id", pa.string()), ("n", pa.int32()), ("s", pa.string()), ("gone", pa.int64())])
    table = create_table(path, types, "id", type=kind, version=version)
    table.insert(pa.Table.from_pylist([{"id": f"k{n}", "n": n, "s": "old", "gone": n} for n in range(8)], types))
    alter_schema(
        table, "RENAME COLUMN n TO m; ADD COLUMN more double AFTER id; DROP COLUMN gone; ALTER COLUMN m TYPE bigint"
    )
    changed = [{"id": f"k{n}", "more": n / 2, "m": 1 << 40, "s": "new"} for n in range(5, 11)]
    table.upsert(pa.Table.from_pylist(changed))
    for _ in range(2):
        rows = refreshed(table).scan(meta=False).to_arrow()
        assert rows.column_names == ["id", "more", "m", "s"]
        pq.write_table(rows, expected)
        checks = ["timeline", "rows"]
        verified = judge.ask(
            "verify", str(path), expect=str(expected), key=["id"], table_version=version, checks=checks
        )
        assert verified["ok"], judge.explain(verified)
        went_on = judge.ask("continue", str(path), ops=["upsert"], rows=6)
        assert went_on["ok"], judge.explain(went_on)


@pytest.mark.parametrize("version", [8, 9])
def test_hudi_merges_our_rows_by_position_and_column_by_column(tmp_path: Path, judge: Any, version: int) -> None:
    """WRITE-54, WRITE-55, WRITE-1481."""
    path = tmp_path / "t"
    types = pa.schema([("id", pa.string()), ("n", pa.int32()), ("s", pa.string()), ("x", pa.float64())])
    table = create_table(path, types, "id", type="mor", version=version)

    def batch(names: list[str], n: int) -> pa.Table:
        return pa.Table.from_pylist([{"id": name, "n": n, "s": f"{name}{n}", "x": n / 2} for name in names], types)

    table.insert(batch([f"k{n:02d}" for n in range(40)], 1))
    refreshed(table).upsert(batch(["k31", "k03", "k20"], 2))
    (file_slice,) = refreshed(table).slices()
    (block,) = read_blocks(table.storage.open(file_slice.logs[0].path))
    assert HeaderKey.RECORD_POSITIONS in block.header
    verify_rows(judge, table, version)
    refreshed(table).delete(pa.table({"id": ["k03", "k07"]}))
    verify_rows(judge, table, version)
    partial = WriteOptions(partial_updates=True)
    refreshed(table).update({"s": "new", "x": None}, where="n = 2 OR id < 'k05'", options=partial)
    refreshed(table).update({"n": 7}, where="id = 'k31'", options=partial)
    verify_rows(judge, table, version)
    refreshed(table).delete(where="id = 'k02'")
    refreshed(table).upsert(batch(["k02", "k07"], 3))  # WRITE-1481
    verify_rows(judge, table, version)
    went_on = judge.ask("continue", str(path), ops=["upsert", "delete", "compact"], rows=6)
    assert went_on["ok"], judge.explain(went_on)
    refreshed(table).update({"n": 8}, options=partial)
    verify_rows(judge, table, version)


@pytest.mark.parametrize("version", [8, 9])
def test_hudi_deletes_by_our_positions(tmp_path: Path, judge: Any, version: int) -> None:
    """WRITE-54: in a slice whose only log file has deletes."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type="mor", version=version)
    table.insert(rows([f"k{n:02d}" for n in range(20)], "x", 1))
    refreshed(table).delete(where="id IN ('k19', 'k00', 'k07')")
    pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
    verified = judge.ask("verify", str(path), expect=str(expected), table_version=version, checks=["timeline", "rows"])
    assert verified["ok"], judge.explain(verified)


@pytest.mark.parametrize(("version", "ordering"), [(9, ()), (9, ("ts",)), (9, ("day", "n")), (8, ("d",))])
def test_hudi_finds_rows_with_the_tables_delete_marker_deleted(
    tmp_path: Path, judge: Any, version: int, ordering: tuple[str, ...]
) -> None:
    """WRITE-1480: its reader does not know that marker in rows of log files."""
    path = tmp_path / "t"
    types = TYPES.append(pa.field("op", pa.string()))
    prefix = "hoodie.record.merge.property.hoodie.payload.delete"
    options = {f"{prefix}.field": "op", f"{prefix}.marker": "D"}
    table = create_table(path, types, "id", ordering=ordering, type="mor", version=version, options=options)

    def put(ids: list[str], ts: int, op: str) -> None:
        columns = {"op": op, "ts": ts, "n": ts - 3, "d": Decimal(ts) - 3, "day": NOON.date().replace(day=ts)}
        given = [{**row, **columns} for row in rows(ids, "x", ts).to_pylist()]
        refreshed(table).upsert(pa.Table.from_pylist(given, types))

    put([f"k{n:02d}" for n in range(12)], 5, "I")
    put(["k00", "k01"], 6, "D")
    put(["k02"], 5, "D")
    put(["k03", "k04"], 4, "D")
    put(["k05"], 7, "U")
    left = {row["id"] for row in refreshed(table).scan(columns=["id"]).to_json_rows()}
    assert left == {f"k{n:02d}" for n in range(3 if ordering else 5, 12)}
    verify_rows(judge, table, version)
    # Apache Hudi's procedure of compactions takes the names of several ordering fields for one name.
    operations = ["upsert"] if len(ordering) > 1 else ["upsert", "compact"]
    went_on = judge.ask("continue", path, ops=operations, rows=6)
    assert went_on["ok"], judge.explain(went_on)
    put(["k06"], 9, "D")
    verify_rows(judge, table, version)


@pytest.mark.parametrize(("index", "version"), [("SIMPLE", 9), ("BLOOM", 9), ("BLOOM", 6)])
def test_a_key_that_comes_again_after_its_delete_has_one_row_after_an_upsert_of_hudi(
    tmp_path: Path, judge: Any, index: str, version: int
) -> None:
    """WRITE-75: these indexes read base files alone, one of which has the deleted key."""
    table = create_table(tmp_path / "t", TYPES, "id", partition_by="p", ordering="ts", type="mor", version=version)
    table.upsert(rows(["a", "b", "c"], "x", 1))
    refreshed(table).delete(where="id = 'b'")
    refreshed(table).upsert(rows(["b", "new"], "x", 2))
    went_on = judge.ask("continue", tmp_path / "t", ops=["upsert"], rows=10, options={"hoodie.index.type": index})
    assert went_on["ok"], judge.explain(went_on)
    written = [row["id"] for row in refreshed(table).scan(columns=["id"]).to_json_rows()]
    assert len(written) == len(set(written)) > 3
    assert written.count("b") == 1


@pytest.mark.parametrize("version", [6, 9])
def test_hudi_finds_the_record_index_right_after_rows_and_deletes_that_lose(
    tmp_path: Path, judge: Any, version: int
) -> None:
    """WRITE-75, WRITE-76, WRITE-1462."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    types = TYPES.append(pa.field("_hoodie_is_deleted", pa.bool_()))
    table = create_table(
        path, types, "id", partition_by="p", ordering="ts", type="mor", version=version, indexes=["record_index"]
    )

    def put(ids: list[str], ts: int, deleted: bool = False) -> None:
        given = rows(ids, "x", ts)
        refreshed(table).upsert(given.append_column("_hoodie_is_deleted", pa.array([deleted] * len(given))))

    def verify() -> None:
        pq.write_table(refreshed(table).scan(meta=False).to_arrow(), expected)
        verified = judge.ask("verify", str(path), expect=str(expected), key=["id"], table_version=version)
        assert verified["ok"], judge.explain(verified)

    put(["a", "b", "c", "d", "e", "f"], 5)
    refreshed(table).delete(rows(["e", "f"], "x", 0).select(["id", "p"]))
    put(["e"], 4, deleted=True)
    put(["b", "c"], 10, deleted=True)
    put(["d"], 4, deleted=True)
    put(["b"], 7)
    put(["c"], 11)
    assert sorted(row["id"] for row in refreshed(table).scan(columns=["id"]).to_json_rows()) == ["a", "c", "d"]
    verify()
    put(["f"], 4)
    read = {row["id"]: row["ts"] for row in refreshed(table).scan(columns=["id", "ts"]).to_json_rows()}
    assert read == {"a": 5, "c": 11, "d": 5, "f": 4}
    verify()
    went_on = judge.ask("continue", str(path), ops=["upsert"], rows=8)
    assert went_on["ok"], judge.explain(went_on)
    assert [str(finding) for finding in refreshed(table).validate()] == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_hudi_finds_rows_that_stayed_in_their_old_partition(tmp_path: Path, judge: Any, kind: str) -> None:
    """WRITE-480."""
    path, expected = tmp_path / "t", tmp_path / "rows.parquet"
    table = create_table(path, TYPES, "id", partition_by="p", ordering="ts", type=kind, indexes=["record_index"])
    table.upsert(rows(["a", "b", "c"], "x", 1))
    stays = {"hoodie.record.index.update.partition.path": "false"}
    refreshed(table).upsert(rows(["b", "new"], "y", 2), properties=stays)
    read = refreshed(table).scan(meta=False).to_arrow()
    assert sorted(read.select(["id", "p"]).to_pylist(), key=str) == [
        {"id": name, "p": partition} for name, partition in zip(["a", "b", "c", "new"], "xxxy", strict=True)
    ]
    pq.write_table(read, expected)
    verified = judge.ask("verify", str(path), expect=str(expected), key=["id"], table_version=9)
    assert verified["ok"], judge.explain(verified)
