"""Changes of columns that keys, partition paths, the order of records and marks of deletes come from: CHANGE-1540, -1542."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.errors import UnsupportedError
from hudi_core.evolve.apply import evolve
from hudi_core.front.table import Table
from hudi_core.table.change_effects import find_effects
from hudi_core.table.table import Table as CoreTable
from tests.support.commands import ran

TYPES = pa.schema([("id", pa.int32()), ("p", pa.int32()), ("o", pa.int64()), ("d", pa.date32()), ("v", pa.string())])
ROWS = [{"id": 1, "p": 1, "o": 9, "d": None, "v": "old"}, {"id": 2, "p": 2, "o": 1, "d": None, "v": "other"}]


def table(path: Path, kind: str = "cow", **options: Any) -> Table:
    made = hudi_core.create(path, TYPES, "id", type=kind, partition_by="p", ordering="o", **options)
    made.upsert(pa.Table.from_pylist(ROWS, TYPES))
    return made.refresh()


def rows(of: Table) -> list[dict[str, Any]]:
    return sorted(of.refresh().scan(meta=False).to_arrow().to_pylist(), key=lambda row: row["id"])


REFUSED = [
    ("ALTER COLUMN id TYPE double", "id changes from int to double, and hoodie.table.recordkey.fields names it"),
    ("ALTER COLUMN id TYPE float", "stored rows would have other keys"),
    ("ALTER COLUMN p TYPE double", "p changes from int to double, and hoodie.table.partition.fields names it"),
    ("ALTER COLUMN p TYPE decimal(12, 2)", "stored rows would have other partition paths"),
    ("ALTER COLUMN o TYPE string", "o changes from long to string, and hoodie.table.ordering.fields names it"),
    ("ALTER COLUMN o TYPE double", "records of one key could change their order"),
]


@pytest.mark.parametrize("meta", ["true", "false"])
@pytest.mark.parametrize(("change", "reason"), REFUSED)
def test_types_that_give_stored_rows_other_keys_or_another_order_are_refused(
    tmp_path: Path, change: str, reason: str, meta: str
) -> None:
    """CHANGE-1540."""
    made = table(tmp_path / "t", options={"hoodie.populate.meta.fields": meta})
    with pytest.raises(
        UnsupportedError, match="expected changes that keep the columns that the table's properties name"
    ) as error:
        made.evolve(change)
    assert reason in str(error.value)
    assert len(made.refresh().timeline.commits) == 1
    with pytest.warns(UserWarning, match=reason):
        made.evolved(change)
    shown = ran("evolve", str(tmp_path / "t"), change, "--json")
    assert shown.err.startswith("warning: ") and reason in shown.err


def test_a_column_of_two_roles_keeps_what_both_need(tmp_path: Path) -> None:
    """CHANGE-1540: a double keeps the order of an int, and not its text."""
    made = table(tmp_path / "t")
    config = made.config.model_copy(update={"ordering_fields": made.config.record_key_fields})
    both = CoreTable(made.engine, made.storage, config, made.timeline)
    (effect,) = find_effects(both, evolve(both.schema, "ALTER COLUMN id TYPE double"))
    assert effect.endswith("hoodie.table.recordkey.fields names it: stored rows would have other keys")
    assert find_effects(both, evolve(both.schema, "ALTER COLUMN id TYPE bigint")) == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_types_that_keep_keys_and_order_are_taken(tmp_path: Path, kind: str) -> None:
    made = table(tmp_path / "t", kind, options={"hoodie.populate.meta.fields": "false"})
    made.upsert(pa.Table.from_pylist([{**ROWS[0], "o": 10, "v": "new"}], TYPES))
    made = made.refresh().evolve(
        "ALTER COLUMN id TYPE bigint; ALTER COLUMN p TYPE string; ALTER COLUMN o TYPE decimal(22, 2)"
    )
    kept = [{**ROWS[0], "p": "1", "o": Decimal(10), "v": "new"}, {**ROWS[1], "p": "2", "o": Decimal(1)}]
    assert rows(made) == kept
    late = pa.table(
        {
            "id": [1, 2],
            "p": ["1", "2"],
            "o": pa.array([Decimal("9.99"), Decimal("1.01")], pa.decimal128(22, 2)),
            "d": pa.array([None, None], pa.date32()),
            "v": ["late", "newer"],
        }
    )
    made.upsert(late)
    assert rows(made) == [kept[0], {**kept[1], "o": Decimal("1.01"), "v": "newer"}]
    assert list(made.refresh().validate()) == []


def test_a_batch_gives_stored_rows_no_other_keys(tmp_path: Path) -> None:
    """An upsert with keys of more digits after the point would not meet the rows that are there."""
    two = pa.table({"id": pa.array([Decimal("1.00")], pa.decimal128(6, 2)), "v": ["a"]})
    made = hudi_core.create(tmp_path / "t", two, "id")
    made.upsert(two)
    four = pa.table({"id": pa.array([Decimal("1.0000")], pa.decimal128(8, 4)), "v": ["b"]})
    with pytest.raises(UnsupportedError, match=r"id changes from decimal\(6,2\) to decimal\(8,4\)"):
        made.refresh().upsert(four)
    wider = pa.table({"id": pa.array([Decimal("1.00"), Decimal("12345678.00")], pa.decimal128(10, 2)), "v": ["c", "d"]})
    made.refresh().upsert(wider)
    assert [row["v"] for row in rows(made)] == ["c", "d"]


def test_an_append_makes_no_other_partition_paths(tmp_path: Path) -> None:
    given = pa.table({"id": ["a"], "p": pa.array([1], pa.int32())})
    made = hudi_core.create(tmp_path / "t", given, "id", partition_by="p")
    made.append(given)
    with pytest.raises(UnsupportedError, match="p changes from int to double"):
        made.refresh().append(pa.table({"id": ["b"], "p": [1.5]}))
    assert rows(made) == [{"id": "a", "p": 1}]


def test_paths_of_formatted_dates_keep_their_form(tmp_path: Path) -> None:
    given = pa.table({"id": ["a"], "d": pa.array([19_000], pa.date32())})
    for slashes, refused in (("false", False), ("true", True)):
        options = {"hoodie.datasource.write.slash.separated.date.partitioning": slashes}
        made = hudi_core.create(tmp_path / slashes, given, "id", partition_by="d", options=options)
        made.upsert(given)
        if refused:
            with pytest.raises(UnsupportedError, match="other partition paths"):
                made.refresh().evolve("ALTER COLUMN d TYPE string")
        else:
            made = made.refresh().evolve("ALTER COLUMN d TYPE string")
            made.upsert(pa.table({"id": ["a"], "d": ["2022-01-08"]}))
            assert len(rows(made)) == 1


MARKED = pa.schema([("id", pa.string()), ("v", pa.string()), ("_hoodie_is_deleted", pa.bool_())])
FLAGGED = pa.schema([("id", pa.string()), ("v", pa.string()), ("flag", pa.bool_())])


def logged(path: Path, types: pa.Schema) -> Table:
    """A merge-on-read table with a row of `true` in a log file."""
    made = hudi_core.create(path, types, "id", type="mor", ordering="v")
    for value, mark in (("x", False), ("y", True)):
        given = [("a", value, mark), ("b", value, False)]
        made.upsert(pa.Table.from_pylist([dict(zip(types.names, row, strict=True)) for row in given], types))
        made = made.refresh()
    return made


@pytest.mark.parametrize(
    ("types", "change", "reason"),
    [
        (MARKED, "DROP COLUMN _hoodie_is_deleted", "a compaction has to come first"),
        (MARKED, "RENAME COLUMN _hoodie_is_deleted TO gone", "a compaction has to come first"),
        (FLAGGED, "RENAME COLUMN flag TO _hoodie_is_deleted", "flag is renamed to _hoodie_is_deleted"),
        (FLAGGED, "ADD COLUMN _hoodie_is_deleted string", "_hoodie_is_deleted is a string"),
        (FLAGGED, "ADD COLUMN _hoodie_is_deleted boolean DEFAULT true", "_hoodie_is_deleted has the default true"),
    ],
)
def test_no_change_of_the_schema_deletes_rows_or_brings_them_back(
    tmp_path: Path, types: pa.Schema, change: str, reason: str
) -> None:
    """CHANGE-1542."""
    made = logged(tmp_path / "t", types)
    before = rows(made)
    with pytest.raises(UnsupportedError, match=reason):
        made.evolve(change)
    assert rows(made) == before


def test_marks_of_deletes_may_go_behind_a_compaction_and_may_come(tmp_path: Path) -> None:
    made = logged(tmp_path / "t", MARKED)
    made.compact()
    made = made.refresh().evolve("DROP COLUMN _hoodie_is_deleted").evolve("ADD COLUMN _hoodie_is_deleted boolean")
    assert rows(made) == [{"id": "b", "v": "y", "_hoodie_is_deleted": None}]
    made.upsert(pa.Table.from_pylist([{"id": "b", "v": "z", "_hoodie_is_deleted": True}], MARKED))
    assert rows(made) == []


def test_the_own_mark_of_a_table_stays(tmp_path: Path) -> None:
    given = pa.table({"id": ["a"], "o": [1], "op": ["I"]})
    prefix = "hoodie.record.merge.property.hoodie.payload.delete"
    options = {f"{prefix}.field": "op", f"{prefix}.marker": "D"}
    made = hudi_core.create(tmp_path / "t", given, "id", type="mor", ordering="o", options=options)
    for _ in range(2):
        made.refresh().upsert(given)
    for change in ("DROP COLUMN op", "RENAME COLUMN op TO what"):
        with pytest.raises(UnsupportedError, match=r"op (is dropped|changes to what of string), and rows of log files"):
            made.refresh().evolve(change)


def test_ordering_columns_of_a_payload_class_stay(tmp_path: Path) -> None:
    given = pa.table({"id": ["a"], "_event_lsn": [1], "_change_operation_type": ["c"]})
    made = hudi_core.create(tmp_path / "t", given, "id", type="mor", version=8)
    for _ in range(2):
        made.refresh().upsert(given)
    path = tmp_path / "t/.hoodie/hoodie.properties"
    payload = "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload"
    stated = [line for line in path.read_text().splitlines() if "merge" not in line and "checksum" not in line]
    path.write_text("\n".join([*stated, f"hoodie.compaction.payload.class={payload}"]))
    opened = hudi_core.open(tmp_path / "t")
    for change in ("RENAME COLUMN _event_lsn TO lsn", "ALTER COLUMN _event_lsn TYPE double"):
        with pytest.raises(UnsupportedError, match=r"_event_lsn .*, and rows of log files are merged by it"):
            opened.evolve(change)
