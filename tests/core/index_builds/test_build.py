"""META-80 to META-85: a metadata table built from files says what one that commits kept says.

Also covers: `index_builds/built_rows.py`, `index_builds/footers.py`, `index_builds/keys.py`,
`data_files/log_ranges.py`, `transactions/metadata_steps.py`.
"""

from __future__ import annotations

import math
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from hudi_core.errors import ConflictError, CorruptFileError, UnsupportedError
from hudi_core.front.opening import create_table, open_table
from hudi_core.index_builds import group_files as index_files
from hudi_core.index_builds import runs as index_runs
from hudi_core.index_builds.build import build_indexes, build_metadata_table
from hudi_core.index_builds.removal import drop_index
from hudi_core.metadata.definitions import index_definitions
from hudi_core.metadata.record_index import locations
from hudi_core.metadata.table import FILES, MetadataTable
from hudi_core.options import PROPERTIES_PATH
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.writing.operations import write
from tests.support.conformance import TableEntry, each_table_with

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("p", pa.string()),
        ("n", pa.int64()),
        ("x", pa.float64()),
        ("s", pa.string()),
        ("ts", pa.int64()),
    ]
)
INDEXES = {6: ["column_stats", "bloom_filters", "record_index"]}
ALL = [*INDEXES[6], "partition_stats"]
each_kind = pytest.mark.parametrize(("kind", "version"), [("cow", 9), ("mor", 9), ("cow", 8), ("mor", 6)])


def rows(first: int, last: int, ts: int) -> pa.Table:
    listed = [
        {
            "id": f"k{number}",
            "p": "xy"[number % 2],
            "n": None if number % 7 == 0 else number,
            "x": float("nan") if number % 5 == 0 else -0.0,
            "s": "é" * number,
            "ts": ts,
        }
        for number in range(first, last)
    ]
    return pa.Table.from_pylist(listed, SCHEMA)


def written(folder: Path, kind: str, version: int, indexes: list[str] | None) -> Table:
    table = create_table(
        folder, SCHEMA, "id", partition_by="p", ordering="ts", type=kind, version=version, indexes=indexes
    )
    write(table, rows(0, 20, 1))
    write(refreshed(table), rows(10, 30, 2))
    return refreshed(table)


def metadata(table: Table) -> MetadataTable:
    found = table.snapshot().metadata
    assert found is not None
    return found


def recorded(table: Table, column: str, of: str = "column_stats") -> dict[bytes, tuple[Any, ...]]:
    """By key what is recorded of a column: type, bounds where known, counts."""
    found: dict[bytes, tuple[Any, ...]] = {}
    read = metadata(table).column_stats if of == "column_stats" else metadata(table).partition_stats
    for item in read([column])[column]:
        statistics = item.statistics
        for row, key in enumerate(item.keys):
            bounds = [
                bound[row] if known[row] else None
                for bound, known in (
                    (statistics.lower, statistics.lower_known),
                    (statistics.upper, statistics.upper_known),
                )
            ]
            found[key.tobytes()] = (statistics.type, *bounds, statistics.nulls[row], statistics.rows[row])
    return found


@pytest.mark.each_value
@each_kind
def test_a_built_metadata_table_equals_a_maintained_one(tmp_path: Path, kind: str, version: int) -> None:
    indexes = INDEXES.get(version, ALL)
    kept = written(tmp_path / "t", kind, version, indexes)
    before = {column: recorded(kept, column) for column in SCHEMA.names}
    listing, keys = metadata(kept).files().by_name(), [f"k{number}" for number in range(30)]
    places = dict(locations(metadata(kept).lookup("record_index", keys)))
    built = build_metadata_table(kept, indexes)
    assert sorted(built.config.metadata_partitions) == sorted(["files", *indexes])
    assert metadata(built).files().by_name() == listing
    assert dict(locations(metadata(built).lookup("record_index", keys))) == places
    assert len(places) == 30
    after = {column: recorded(built, column) for column in SCHEMA.names}
    # META-131: footers state no bounds of a column that holds NaN, and count its values all the same.
    with_nan, built_of_it = before.pop("x"), after.pop("x")
    assert {key: record[3:] for key, record in built_of_it.items()} == {key: r[3:] for key, r in with_nan.items()}
    assert {record[1:3] for record in built_of_it.values()} == {(-math.inf, None)}
    assert after == before


@pytest.mark.one_of(2)
@each_kind
def test_writes_maintain_built_indexes(tmp_path: Path, kind: str, version: int) -> None:
    table = build_metadata_table(written(tmp_path / "t", kind, version, None), INDEXES.get(version, ALL))
    write(table, rows(25, 40, 3))
    table = refreshed(table)
    assert not table.warnings
    assert table.scan("n > 30").to_arrow().num_rows == 8
    assert table.scan("x > 1e300").to_arrow().num_rows == 8
    assert table.scan("s = ''").to_arrow().num_rows == 1
    assert table.scan().to_arrow().num_rows == 40


class Elsewhere:
    """A runner of tasks on other machines: what goes there and comes back is pickled."""

    parallelism = 2

    def run(self, work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        return [pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(work))(task))) for task in tasks]


@pytest.mark.parametrize("held_bytes", [0, index_runs.HELD_BYTES])
def test_tasks_run_on_other_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_bytes: int) -> None:
    """META-130: also where records wait in a file."""
    monkeypatch.setattr(index_files, "waiting_runner", lambda *_: Elsewhere())
    monkeypatch.setattr(index_runs, "HELD_BYTES", held_bytes)
    built = build_metadata_table(written(tmp_path / "t", "mor", 9, None), ALL)
    keys = [f"k{number}" for number in range(30)]
    assert len(dict(locations(metadata(built).lookup("record_index", keys)))) == 30
    assert built.scan("n > 20").to_arrow().num_rows == 7
    assert len(recorded(built, "n")) == len(built.snapshot().listing.names.offsets) - 1


def test_a_file_that_lacks_a_column_has_nulls_alone(tmp_path: Path) -> None:
    table = create_table(tmp_path / "t", SCHEMA.remove(4), "id", partition_by="p", version=9)
    write(table, rows(0, 4, 1).drop_columns(["s"]))
    write(refreshed(table), rows(4, 6, 1), "append")
    built = build_metadata_table(refreshed(table), ALL)
    counts = sorted((nulls, values) for *_, nulls, values in recorded(built, "s").values())
    assert counts == [(0, 1), (0, 1), (2, 2), (2, 2)]
    assert built.scan("s is null").to_arrow().num_rows == 4


def test_dropping_the_metadata_table_leaves_the_rows(tmp_path: Path) -> None:
    drop_index(written(tmp_path / "t", "cow", 9, ALL), FILES)
    table = open_table(str(tmp_path / "t"))
    assert not table.config.metadata_partitions
    assert not (tmp_path / "t/.hoodie/metadata").exists()
    assert table.scan().to_arrow().num_rows == 30


def test_an_empty_data_file_is_damage(tmp_path: Path) -> None:
    table = written(tmp_path / "t", "cow", 9, None)
    file = table.slices()[0].files[0]
    (tmp_path / "t" / file.path).write_bytes(b"")
    with pytest.raises(CorruptFileError, match="0 bytes"):
        build_metadata_table(table, ALL)
    assert not refreshed(table).config.metadata_partitions


def pending(table: Table, folder: Path, *, alive: bool) -> Table:
    """The table with a write that has begun."""
    place = folder / table.timeline.folder / "29991231235959000.commit.requested"
    place.write_bytes(b"")
    if alive:
        table.storage.replace(heartbeat_path("29991231235959000"), b"")
    return refreshed(table)


def test_a_write_that_crashed_is_rolled_back_first(tmp_path: Path) -> None:
    """META-84."""
    table = pending(written(tmp_path / "t", "cow", 6, None), tmp_path / "t", alive=False)
    built = build_metadata_table(table, ["column_stats"])
    assert not built.timeline.pending
    assert built.scan("n > 20").to_arrow().num_rows == 7


def test_version_6_lists_files_at_rest_alone(tmp_path: Path) -> None:
    """META-84, RESTORE-890."""
    table = pending(written(tmp_path / "t", "cow", 6, None), tmp_path / "t", alive=True)
    with pytest.raises(ConflictError, match=r"no write under way .* found commit 29991231235959000"):
        build_metadata_table(table, ["column_stats"])
    assert not refreshed(table).config.kept_partitions


def test_indexes_that_are_not_built_here_are_refused(tmp_path: Path) -> None:
    table = written(tmp_path / "t", "cow", 9, None)
    path = tmp_path / "t" / PROPERTIES_PATH
    path.write_text(path.read_text() + "\nhoodie.table.metadata.partitions=files,strange_index\n")
    with pytest.raises(UnsupportedError, match="found strange_index"):
        build_metadata_table(refreshed(table), ALL)


@each_table_with("files", "record_index", every=3)
def test_tables_of_apache_hudi_have_the_same_record_index_again(entry: TableEntry, tmp_path: Path) -> None:
    """By the listing and the places of all keys."""
    if entry.requires:
        pytest.skip(", ".join(entry.requires))
    shutil.copytree(entry.unpacked(), tmp_path / "t")
    table = open_table(tmp_path / "t")
    partitions = [name for name in table.config.metadata_partitions if name != "files"]
    if set(partitions) - set(ALL) or [item for item in table.timeline.pending if item.action.endswith("commit")]:
        pytest.skip("indexes that are not built here, or a write under way")
    snapshot = table.scan(columns=["_hoodie_record_key"]).to_arrow()
    definitions = index_definitions(table.storage, table.config)
    keys = sorted(set(snapshot.column(0).to_pylist()))
    if len(keys) < snapshot.num_rows and not definitions["record_index"].is_partitioned:
        with pytest.raises(UnsupportedError, match="each record key once"):
            build_metadata_table(table, ["record_index"])
        return
    before = dict(locations(metadata(table).lookup("record_index", keys)))
    built = build_metadata_table(table, ["record_index"])
    after = dict(locations(metadata(built).lookup("record_index", keys)))
    assert len(before) == len(keys)
    assert np.all([before[number] == after[number] for number in before])


def test_properties_state_the_path_of_definitions(tmp_path: Path) -> None:
    """META-91: also where the metadata table was there before, with no index that has one. Apache Hudi finds none otherwise."""
    table = written(tmp_path / "t", "cow", 9, ["files"])
    assert "hoodie.table.index.defs.path" not in table.config.properties
    built = build_indexes(table, ["column_stats"])
    assert built.config.properties["hoodie.table.index.defs.path"] == ".hoodie/.index_defs/index.json"
    assert "column_stats" in index_definitions(built.storage, built.config)


def test_a_partition_column_that_files_leave_out_is_not_null(tmp_path: Path) -> None:
    """META-1570, WRITE-1653: its values are in the paths; who takes it for null loses rows of `p = 'x' OR n > 90`."""
    hive = {"hoodie.datasource.write.hive_style_partitioning": "true"}
    table = create_table(tmp_path, SCHEMA, "id", partition_by="p", options=hive)
    write(table, rows(0, 20, 1), "insert")
    for file in tmp_path.glob("p=*/*.parquet"):
        pq.write_table(pq.read_table(file, partitioning=None).drop_columns(["p"]), file)
    with (tmp_path / PROPERTIES_PATH).open("a") as properties:
        properties.write("hoodie.datasource.write.drop.partition.columns=true\n")
    build_indexes(open_table(tmp_path), ["column_stats"])
    table = open_table(tmp_path)
    stated = [record["ColumnStatsMetadata"] for record in table.metadata_records("column_stats")]
    assert {"id", "n"} <= {one["columnName"] for one in stated}
    assert "p" not in {one["columnName"] for one in stated}
    assert [table.scan(where).count() for where in ("p = 'x' OR n > 90", "p IS NULL")] == [10, 0]
    assert not [finding for finding in table.validate() if finding.check == "column_stats"]
