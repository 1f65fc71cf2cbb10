"""What single files hold."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from hudi_core.errors import HudiError, UnsupportedError
from hudi_core.front.opening import open_table
from hudi_core.table.file_contents import file_contents, plain
from hudi_core.table.table import Table
from tests.core.table.test_record_versions import written
from tests.support.commands import rides


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return written(tmp_path_factory.mktemp("t") / "t", "mor")


def contents(table: Table, path: str, records: int = 0) -> list[dict[str, object]]:
    return list(file_contents(table.engine, table.storage, path, records=records))


def test_every_file_of_a_table_is_read(table: Table) -> None:
    """TABLE-670: and what it holds is JSON."""
    root, kinds = Path(table.storage.uri), set()
    for file in root.rglob("*"):
        if file.is_file() and file.suffix != ".crc":
            first, *parts = contents(table, file.relative_to(root).as_posix(), 3)
            kinds.add(first["kind"])
            assert first["bytes"] == file.stat().st_size
            json.dumps([first, *parts], allow_nan=False)
    assert kinds >= {"log", "parquet", "avro", "properties", "empty"}


def test_a_log_has_blocks_and_on_request_records(table: Table) -> None:
    """TABLE-670."""
    *_, late, deletes = [file.path for file in table.slices()[0].logs]
    log, block, record = contents(table, late, 5)
    assert (log["blocks"], block["type"], record["kind"]) == (1, "avro_data", "record")
    assert record["value"]["v"] == "late"  # type: ignore[index]
    assert contents(table, deletes, 5)[2] == {"kind": "delete", "record_key": "b", "partition": ""}
    assert len(contents(table, late)) == 2


def test_a_footer_has_its_columns_with_their_bounds(table: Table) -> None:
    """TABLE-670."""
    base = table.slices()[0].base
    assert base is not None
    whole, *columns = contents(table, base.path)
    assert (whole["rows"], whole["row_groups"]) == (2, [2])
    (number,) = [column for column in columns if column["name"] == "n"]
    assert (number["lower"], number["upper"], number["nulls"], number["type"]) == (1, 1, 0, "long")


def test_an_hfile_has_keys_and_values() -> None:
    table = open_table(rides())
    path = next(rides().glob(".hoodie/metadata/bloom_filters/*.hfile"))
    whole, *records = contents(table, path.relative_to(rides()).as_posix(), 2)
    assert whole["kind"] == "hfile"
    assert [record["kind"] for record in records] == ["record", "record"]
    assert "BloomFilterMetadata" in records[0]["value"]  # type: ignore[operator]


def test_other_files_are_refused(table: Table, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello")
    with pytest.raises(UnsupportedError, match="found a file that starts b'hello'"):
        list(file_contents(table.engine, table.engine.storage(str(tmp_path)), "note.txt"))
    with pytest.raises(HudiError, match=r"none\.json"):
        list(file_contents(table.engine, table.engine.storage(str(tmp_path)), "none.json"))


def test_values_of_avro_are_json() -> None:
    assert plain({"a": b"x", "b": [b"\xff", math.nan, None]}) == {
        "a": "x",
        "b": [{"base64": "/w=="}, {"float": "nan"}, None],
    }
