"""Tables whose files leave out partition columns: what is written, and what is refused.

The files are as Apache Hudi's writers from Spark make them (`tests/interop/test_left_out_columns.py` lets it judge them).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import HudiError, UnsupportedError, UsageError
from hudi_core.formats.log import HeaderKey, read_blocks
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from tests.support.commands import fingerprint
from tests.support.every_write import WRITES
from tests.support.written_tables import TYPES, read, rows

DROPS = "hoodie.datasource.write.drop.partition.columns"
DROPPED = {DROPS: "true"}
TABLES = [("cow", 9), ("mor", 9), ("cow", 6), ("mor", 6), ("mor", 8)]
ELSEWHERE = ("spread update", "spread delete by predicate")
"""The writes that scan the table in a way that the test of all writes has not."""
INDEXES = ["column_stats", "record_index"]


def with_rows(path: Path, kind: str, version: int, **options: Any) -> Table:
    """A table with base files, on merge-on-read with log files too."""
    create_table(path, TYPES, "id", partition_by="p", type=kind, version=version, **options)
    open_table(path).insert(rows(("a", "x", 1), ("b", "x", 2), ("e", "y", 5)))
    open_table(path).upsert(rows(("a", "x", 3)))
    return open_table(path)


def stored_columns(path: Path) -> set[tuple[str, ...]]:
    """The columns of rows in base files, log blocks and commits, without Hudi's own."""
    table = open_table(path)
    named = [pq.read_schema(file).names for file in path.glob("*/*.parquet")]
    logs = [str(log.relative_to(path)) for log in path.glob("*/.*.log.*")]
    blocks = (block for log in logs for block in read_blocks(table.storage.open(log)))
    texts = [text for block in blocks if (text := block.header.get(HeaderKey.SCHEMA))]
    texts += [extra["schema"] for extra in table.timeline.extras() if "schema" in extra]
    named += [[column["name"] for column in json.loads(text)["fields"]] for text in texts]
    return {tuple(name for name in names if not name.startswith("_hoodie")) for names in named}


def rows_after(path: Path, change: Callable[[Table], object]) -> object:
    """The rows of a table after a change, or the error that it ends in."""
    try:
        change(open_table(path))
    except HudiError as error:
        return type(error)
    assert [str(finding) for finding in open_table(path).validate()] == []
    return read(path)


@pytest.mark.parametrize(("kind", "version"), TABLES)
def test_files_leave_partition_columns_out(tmp_path: Path, kind: str, version: int) -> None:
    """WRITE-1650, WRITE-1653."""
    path = tmp_path / "t"
    table = with_rows(path, kind, version, indexes=INDEXES, options=DROPPED)
    assert read(path) == [("a", "x", 3), ("b", "x", 2), ("e", "y", 5)]
    assert read(path, where="p = 'y'") == [("e", "y", 5)]
    assert stored_columns(path) == {("id", "n")}
    definitions = json.loads((path / ".hoodie/.index_defs/index.json").read_text())["indexDefinitions"]
    assert definitions["column_stats"]["sourceFields"][-2:] == ["id", "n"]
    assert [str(finding) for finding in table.validate()] == []


@pytest.mark.each_value
@pytest.mark.parametrize("name", [name for name in WRITES if name not in ELSEWHERE])
@pytest.mark.parametrize(("kind", "version"), TABLES)
def test_each_write_gives_what_it_gives_where_files_have_all_columns(
    tmp_path: Path, kind: str, version: int, name: str
) -> None:
    """WRITE-1650."""
    whole, without = tmp_path / "whole", tmp_path / "without"
    with_rows(whole, kind, version, indexes=INDEXES)
    with_rows(without, kind, version, indexes=INDEXES, options=DROPPED)
    wanted = rows_after(whole, WRITES[name])
    assert rows_after(without, WRITES[name]) == wanted
    assert not any("p" in columns for columns in stored_columns(without))


def test_rows_of_files_that_have_the_column_get_that_of_their_path(tmp_path: Path) -> None:
    """WRITE-1650: Apache Hudi's deletes and clusterings write it, with nulls."""
    path = tmp_path / "t"
    with_rows(path, "cow", 9)
    for file in path.glob("*/*.parquet"):
        stored = pq.read_table(file, partitioning=None)
        nulls = pa.nulls(stored.num_rows, pa.string())
        pq.write_table(stored.set_column(stored.schema.get_field_index("p"), "p", nulls), file)
    properties = path / ".hoodie/hoodie.properties"
    properties.write_text(properties.read_text().replace(f"{DROPS}=false", f"{DROPS}=true"))
    before = set(path.glob("*/*.parquet"))
    open_table(path).upsert(rows(("b", "x", 9), ("c", "y", 4)))
    assert read(path) == [("a", "x", 3), ("b", "x", 9), ("c", "y", 4), ("e", "y", 5)]
    new = set(path.glob("*/*.parquet")) - before
    assert new and not any("p" in pq.read_schema(file).names for file in new)


def test_the_schema_goes_on_without_these_columns(tmp_path: Path) -> None:
    """WRITE-1650."""
    path = tmp_path / "t"
    with_rows(path, "cow", 9, options=DROPPED)
    more = rows(("f", "y", 6)).append_column("m", pa.array([1.5]))
    open_table(path).insert(more)
    table = open_table(path)
    assert table.schema.names[5:] == ["id", "n", "m", "p"]
    table.evolve("RENAME COLUMN n TO k; ADD COLUMN z int")
    open_table(path).upsert(pa.table({"id": ["a"], "p": ["x"], "k": [7], "m": [0.5], "z": pa.array([1], pa.int32())}))
    table = open_table(path)
    assert table.schema.names[5:] == ["id", "k", "m", "z", "p"]
    wanted = [("a", 7, 0.5, 1, "x"), ("b", 2, None, None, "x"), ("e", 5, None, None, "y"), ("f", 6, 1.5, None, "y")]
    assert sorted(tuple(row.values()) for row in table.scan(meta=False).to_json_rows()) == wanted
    assert not any("p" in columns for columns in stored_columns(path))


def test_changes_have_the_value_of_the_path(tmp_path: Path) -> None:
    """WRITE-1650: images of change logs have the columns, for Apache Hudi takes nulls for those that they lack."""
    options = {**DROPPED, "hoodie.table.cdc.enabled": "true"}
    table = with_rows(tmp_path / "t", "cow", 9, options=options)
    changes = table.changes(where="op = 'u'").to_arrow().to_pylist()
    images = [(change["before"]["p"], change["after"]["p"], change["after"]["n"]) for change in changes]
    assert images == [("x", "x", 3)]


@pytest.mark.parametrize("value", ["default", "é %", "", "1/2"])
def test_strings_come_back_from_their_paths(tmp_path: Path, value: str) -> None:
    """WRITE-1652: the empty string as null, as in other tables (TABLE-11)."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", partition_by="p", options=DROPPED)
    with nullcontext() if value else pytest.warns(UserWarning, match="without a value"):
        open_table(path).insert(rows(("a", value, 1)))
    assert read(path) == [("a", value or None, 1)]


@pytest.mark.parametrize("change", ["insert", "upsert", "overwrite"])
def test_a_path_that_does_not_give_the_values_is_refused(tmp_path: Path, change: str) -> None:
    """WRITE-1652."""
    path = tmp_path / "t"
    types = pa.schema([("id", pa.string()), ("p", pa.string()), ("q", pa.string())])
    table = create_table(path, types, "id", partition_by=["p", "q"], options=DROPPED)
    table.insert(pa.Table.from_pylist([{"id": "a", "p": "x", "q": "y"}], types))
    before = fingerprint(path)
    with pytest.raises(
        UnsupportedError, match="a path that gives the value of p, which files leave out, found 'x/y/z'"
    ):
        getattr(open_table(path), change)(pa.Table.from_pylist([{"id": "b", "p": "x/y", "q": "z"}], types))
    assert fingerprint(path) == before


@pytest.mark.parametrize(
    ("partition_by", "options", "match"),
    [
        (["p"], {"hoodie.populate.meta.fields": "false"}, "stored record keys where files leave partition columns out"),
        (["ts"], {}, "ordering columns that files have where files leave partition columns out, found ts"),
        (["at"], {}, "paths that give the value of at, which files leave out"),
        (["s.a"], {}, "top-level partition columns where files leave them out, found s.a"),
        (["p:TIMESTAMP"], {"hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS"}, "paths that give the value of p"),
        (["p"], {"hoodie.datasource.write.slash.separated.date.partitioning": "true"}, "found dates with slashes"),
        (["k"], {}, "strings where files leave partition columns out: Apache Hudi reads them as strings, found int"),
    ],
)  # fmt: skip
def test_columns_that_nothing_would_have_are_not_left_out(
    tmp_path: Path, partition_by: Sequence[str], options: dict[str, str], match: str
) -> None:
    """WRITE-1651, CREATE-1654."""
    types = pa.schema(
        [
            ("id", pa.string()), ("p", pa.string()), ("ts", pa.string()), ("at", pa.timestamp("us")), ("k", pa.int32()),
            ("s", pa.struct([("a", pa.string())])),
        ]
    )  # fmt: skip
    with pytest.raises((UnsupportedError, UsageError), match=match):
        create_table(
            tmp_path / "t", types, "id", partition_by=partition_by, ordering="ts", options={**DROPPED, **options}
        )
    assert not (tmp_path / "t").exists()


def test_a_table_without_partition_columns_leaves_none_out(tmp_path: Path) -> None:
    """WRITE-1651."""
    path = tmp_path / "t"
    create_table(path, TYPES, "id", options=DROPPED).insert(rows(("a", "x", 1)))
    assert stored_columns(path) == {("id", "p", "n")}


def test_other_values_than_strings_are_written_where_the_schema_of_creation_has_them(tmp_path: Path) -> None:
    """WRITE-1650: as tables have them that Apache Hudi's SQL created."""
    path = tmp_path / "t"
    types = pa.schema([("id", pa.string()), ("k", pa.int32()), ("day", pa.date32())])
    create_table(path, types, "id", partition_by=["k", "day"])
    properties = path / ".hoodie/hoodie.properties"
    properties.write_text(properties.read_text().replace(f"{DROPS}=false", f"{DROPS}=true"))
    data = pa.table({"id": ["a", "b"], "k": pa.array([-7, 7], pa.int32()), "day": pa.array([0, 19754], pa.date32())})
    open_table(path).insert(data)
    open_table(path).upsert(data)
    assert open_table(path).scan(meta=False, columns=["id", "k", "day"]).to_arrow().to_pylist() == data.to_pylist()
    assert stored_columns(path) == {("id",)}


@pytest.mark.parametrize(
    "index",
    [
        lambda table: table.index("column_stats", columns=["p"]),
        lambda table: table.index("secondary_index", columns=["p"]),
        lambda table: table.index("expression_index", columns=["p"], function="upper"),
    ],
)
def test_a_column_that_files_leave_out_has_no_index(tmp_path: Path, index: Callable[[Table], object]) -> None:
    """WRITE-1653."""
    table = with_rows(tmp_path / "t", "cow", 9, indexes=["record_index"], options=DROPPED)
    before = fingerprint(tmp_path / "t")
    with pytest.raises(
        UnsupportedError, match="a column that files have, found the partition column p, which they leave"
    ):
        index(table)
    assert fingerprint(tmp_path / "t") == before
