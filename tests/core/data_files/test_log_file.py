"""Log files as they are written: their names, their blocks, and when there are any."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.columns.nodes import UnionColumn
from hudi_core.data_files.file_properties import BLOCK_SIZE
from hudi_core.errors import UsageError
from hudi_core.formats.avro.block import read_content
from hudi_core.formats.deletes import read_deletes
from hudi_core.formats.log import BlockKind, HeaderKey, read_blocks
from hudi_core.formats.names import parse_log_file
from hudi_core.formats.roaring import read_positions
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.open import refreshed
from hudi_core.table.table import Table
from hudi_core.timeline.slices import FileSlice
from hudi_core.writing.operation import WriteOptions
from hudi_core.writing.operations import write
from hudi_core.writing.plan import FileSizes

TYPES = pa.schema([("id", pa.string()), ("n", pa.int64()), ("ts", pa.int64())])


def new_table(folder: Path, version: int) -> Table:
    return create_table(folder / "t", TYPES, "id", type="mor", ordering="ts", version=version)


def arrow(*rows: tuple[str, int, int]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def only_slice(table: Table) -> FileSlice:
    (file_slice,) = refreshed(table).slices()
    return file_slice


@pytest.mark.parametrize("version", [6, 8, 9])
def test_names_and_blocks(tmp_path: Path, version: int) -> None:
    """WRITE-13."""
    table = new_table(tmp_path, version)
    first = write(table, arrow(("a", 1, 1), ("b", 1, 1), ("c", 1, 1))).instant
    times = [write(table, arrow(("b", n, n), ("a", n, n))).instant for n in (2, 3)]
    deleted = write(table, pa.table({"id": ["c", "none"]}), "delete")
    assert deleted.deleted == 1
    logs = [parse_log_file(log.name) for log in only_slice(table).logs]
    names = [(log.instant, log.version) for log in logs if log is not None]
    if version == 6:
        assert names == [(first, 1), (first, 2), (first, 3)]
        assert len({log.write_token for log in logs if log is not None}) == 1
    else:
        assert names == [(times[0], 1), (times[1], 1), (deleted.instant, 1)]
    blocks = [list(read_blocks(table.storage.open(log.path))) for log in only_slice(table).logs]
    assert [[block.kind for block in of_file] for of_file in blocks] == [
        [BlockKind.AVRO_DATA], [BlockKind.AVRO_DATA], [BlockKind.DELETE]
    ]  # fmt: skip
    rows = refreshed(table).scan(columns=["id", "n", "_hoodie_file_name", "_hoodie_commit_seqno"]).to_json_rows()
    file_id = only_slice(table).file_id
    assert sorted(tuple(row.values()) for row in rows) == [
        ("a", 3, file_id, f"{times[1]}_0_2"), ("b", 3, file_id, f"{times[1]}_0_1")
    ]  # fmt: skip


def test_new_keys_go_to_base_files_and_take_updates_with_them(tmp_path: Path) -> None:
    """WRITE-15."""
    table = new_table(tmp_path, 9)
    write(table, arrow(("a", 1, 1)))
    write(table, arrow(("a", 2, 2), ("b", 1, 1)))
    assert only_slice(table).logs == ()
    write(table, arrow(("a", 3, 3), ("c", 1, 1)), options=WriteOptions(sizes=FileSizes(small=0)))
    slices = refreshed(table).slices()
    assert sorted(len(file_slice.logs) for file_slice in slices) == [0, 1]
    rows = refreshed(table).scan(columns=["id", "n"]).to_json_rows()
    assert sorted((row["id"], row["n"]) for row in rows) == [("a", 3), ("b", 1), ("c", 1)]


def headers(table: Table) -> list[list[tuple[list[int] | None, str | None]]]:
    """Of each block of each log file the positions that it names, and in which base file."""
    return [
        [
            (
                None if text is None else read_positions(text, "positions", 100).tolist(),
                block.header.get(HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS),
            )
            for block in read_blocks(table.storage.open(log.path))
            for text in [block.header.get(HeaderKey.RECORD_POSITIONS)]
        ]
        for log in only_slice(table).logs
    ]


def stored(table: Table) -> list[tuple[str, int]]:
    return sorted((row["id"], row["n"]) for row in refreshed(table).scan(columns=["id", "n"]).to_json_rows())


ABCD = (("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 1))


def test_blocks_name_positions_in_the_base_file(tmp_path: Path) -> None:
    """WRITE-54."""
    table = new_table(tmp_path, 9)
    first = write(table, arrow(*ABCD)).instant
    write(table, arrow(("d", 2, 2), ("b", 9, 0), ("b", 5, 2), ("c", 3, 2)))
    assert headers(table) == [[([1, 2, 3], first)]]
    assert stored(table) == [("a", 1), ("b", 5), ("c", 3), ("d", 2)]
    rows = refreshed(table).scan(columns=["id", "_hoodie_record_key"]).to_json_rows()
    assert all(row["id"] == row["_hoodie_record_key"] for row in rows)
    # Of keys in a slice with log files positions are not known.
    write(table, arrow(("a", 4, 4)))
    assert headers(table)[1:] == [[(None, None)]]
    assert stored(table) == [("a", 4), ("b", 5), ("c", 3), ("d", 2)]


def test_deletes_name_positions_in_the_base_file(tmp_path: Path) -> None:
    """WRITE-54: merging by position gives what merging by key does."""
    table = new_table(tmp_path, 8)
    first = write(table, arrow(*ABCD)).instant
    write(table, pa.table({"id": ["c", "none", "a"]}), "delete")
    assert headers(table) == [[([0, 2], first)]]
    assert stored(table) == [("b", 1), ("d", 1)]


@pytest.mark.parametrize(("version", "wanted"), [(6, True), (9, False)])
def test_positions_are_left_out_where_they_are_not_wanted_or_not_known_to_readers(
    tmp_path: Path, version: int, wanted: bool
) -> None:
    """WRITE-54."""
    table = new_table(tmp_path, version)
    write(table, arrow(*ABCD))
    write(table, arrow(("d", 2, 2)), options=WriteOptions(record_positions=wanted))
    assert headers(table) == [[(None, None)]]
    assert stored(table) == [("a", 1), ("b", 1), ("c", 1), ("d", 2)]


@pytest.mark.parametrize("version", [6, 8, 9])
def test_rows_and_deletes_are_divided_into_blocks(tmp_path: Path, version: int) -> None:
    """LOG-1020, WRITE-1020: each block has the positions of its own records."""
    table = new_table(tmp_path, version)
    write(table, arrow(*((f"k{n}", 1, 1) for n in range(9))))
    small = WriteOptions(sizes=FileSizes(small=0), properties={BLOCK_SIZE: "150"})
    write(refreshed(table), arrow(*((f"k{n}", n, 2) for n in range(5, -1, -1))), options=small)
    write(refreshed(table), pa.table({"id": ["k8", "k6", "k7"]}), "delete", options=small)
    (file_slice,) = refreshed(table).slices()
    blocks = [block for log in file_slice.logs for block in read_blocks(table.storage.open(log.path))]
    kinds = [block.kind for block in blocks]
    assert kinds.count(BlockKind.AVRO_DATA) > 1
    if version > 6:
        texts = [block.require(HeaderKey.RECORD_POSITIONS) for block in blocks if block.kind is BlockKind.AVRO_DATA]
        positions = [read_positions(text, "a block", 9).tolist() for text in texts]
        assert [place for some in positions for place in some] == list(range(6))
    rows = refreshed(table).scan(columns=["id", "n"]).to_json_rows()
    assert sorted(tuple(row.values()) for row in rows) == [(f"k{n}", n) for n in range(6)]
    assert [str(finding) for finding in open_table(tmp_path / "t").validate()] == []


def test_a_size_of_blocks_that_is_none_is_refused(tmp_path: Path) -> None:
    """WRITE-1020."""
    table = new_table(tmp_path, 9)
    for text in ("0", "-1", "16 MiB", "1e6", "\u0663"):
        with pytest.raises(UsageError, match="a whole number from 1 on"):
            write(table, arrow(("a", 1, 1)), options=WriteOptions(properties={BLOCK_SIZE: text}))
    assert not list(refreshed(table).timeline.commits)


MARKED = pa.schema([("id", pa.string()), ("n", pa.int64()), ("ts", pa.int64()), ("op", pa.string())])
DELETE_MARKER = {
    "hoodie.record.merge.property.hoodie.payload.delete.field": "op",
    "hoodie.record.merge.property.hoodie.payload.delete.marker": "D",
}


def marked(*rows: tuple[str, int, int | None, str]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(MARKED.names, row, strict=True)) for row in rows], MARKED)


def keys_of(table: Table) -> str:
    return "".join(sorted(refreshed(table).scan(columns=["id"]).to_arrow()["id"].to_pylist()))


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("ordering", [(), ("ts",), ("ts", "n")])
def test_rows_with_the_delete_marker_of_the_table_are_listed(
    tmp_path: Path, version: int, ordering: tuple[str, ...]
) -> None:
    """WRITE-1480."""
    table = create_table(
        tmp_path / "t", MARKED, "id", type="mor", ordering=ordering, version=version, options=DELETE_MARKER
    )
    write(table, marked(*((key, 1, 5, "I") for key in "abcdef")))
    write(table, marked(("a", 1, 6, "D"), ("b", 1, 6, "U"), ("c", 1, 4, "D"), ("d", 1, 5, "D")))
    (log,) = only_slice(table).logs
    rows, *deletes = read_blocks(table.storage.open(log.path))
    assert rows.kind is BlockKind.AVRO_DATA
    assert [block.kind for block in deletes] == [BlockKind.DELETE]
    places = [read_positions(block.header[HeaderKey.RECORD_POSITIONS], "log", 9).tolist() for block in (rows, *deletes)]
    assert places == [[1], [0, 2, 3]]
    assert read_content(rows).count == 1
    values = read_deletes(deletes[0]).ordering_values
    assert isinstance(values, UnionColumn)
    (kind,) = {values.names[branch] for branch in values.branches}
    assert kind == ("IntWrapper" if not ordering else "LongWrapper" if len(ordering) == 1 else "ArrayWrapper")
    assert keys_of(table) == ("bcef" if ordering else "bef")
    write(table, marked(("e", 1, None, "D"), ("b", 1, 5, "D")))
    assert keys_of(table) == ["f", "bcf", "bcef"][len(ordering)]
    assert list(open_table(tmp_path / "t").validate()) == []


def test_rows_that_hudis_own_column_marks_stay_rows(tmp_path: Path) -> None:
    """WRITE-14."""
    types = TYPES.append(pa.field("_hoodie_is_deleted", pa.bool_()))
    table = create_table(tmp_path / "t", types, "id", type="mor", ordering="ts")
    write(table, pa.Table.from_pylist([{"id": key, "n": 1, "ts": 1} for key in "ab"], types))
    write(table, pa.Table.from_pylist([{"id": "a", "n": 1, "ts": 2, "_hoodie_is_deleted": True}], types))
    (log,) = only_slice(table).logs
    assert [block.kind for block in read_blocks(table.storage.open(log.path))] == [BlockKind.AVRO_DATA]


def test_rows_that_a_payload_class_finds_deleted_stay_rows(tmp_path: Path) -> None:
    """WRITE-1480: before version 9 Apache Hudi's class looks at the marker and at the ordering value of a row."""
    types = pa.schema([("id", pa.string()), ("_event_seq", pa.string()), ("_change_operation_type", pa.string())])
    table = create_table(tmp_path / "t", types, "id", type="mor", ordering="_event_seq", version=8)
    path = tmp_path / "t" / ".hoodie" / "hoodie.properties"
    stated = {line for line in path.read_text().splitlines() if "merge" not in line and "checksum" not in line}
    payload = "org.apache.hudi.common.model.debezium.MySqlDebeziumAvroPayload"
    path.write_text("\n".join([*sorted(stated), f"hoodie.compaction.payload.class={payload}"]))
    table = open_table(tmp_path / "t")

    def put(*rows: tuple[str, str, str]) -> None:
        write(refreshed(table), pa.Table.from_pylist([dict(zip(types.names, row, strict=True)) for row in rows], types))

    put(("a", "1.9", "c"), ("b", "1.9", "c"))
    put(("a", "1.10", "d"), ("b", "1.8", "d"))
    (log,) = only_slice(table).logs
    assert [block.kind for block in read_blocks(table.storage.open(log.path))] == [BlockKind.AVRO_DATA]
    assert keys_of(table) == "b"
