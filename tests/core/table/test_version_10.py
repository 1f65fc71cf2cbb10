"""Tables of version 10: read, with a warning, and never written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_core.errors import CorruptFileError, UnsupportedError, UsageError
from hudi_core.front.opening import create_table, open_table
from hudi_core.front.table import Table
from hudi_core.keys.choose import generator_of_table
from hudi_core.keys.generator import BareKey, Generator
from hudi_core.keys.options import ENCODING
from hudi_core.options import UNRELEASED, MetaFieldsMode, table_config
from hudi_core.table.keying import is_ambiguous
from tests.support.commands import fingerprint, ran
from tests.support.every_write import WRITES
from tests.support.restated import restated
from tests.support.written_tables import rows, rows_of

EXPECTED = [("a", "x", 3), ("b", "y", 2)]


def version_10(folder: Path, type_: Any = "mor", **properties: str) -> Table:
    """A table of version 9 after an upgrade, which writes properties alone. Its log files stay files of blocks."""
    made = create_table(folder, rows(), key="id", partition_by="p", type=type_, indexes=["files", "column_stats"])
    made.insert(rows(("a", "x", 1), ("b", "y", 2)))
    made.upsert(rows(("a", "x", 3)))
    for path in (folder, folder / ".hoodie" / "metadata"):
        restated(path, {"hoodie.table.version": "10"})
    restated(folder, {"hoodie.meta.fields.mode": "ALL", **properties})
    return open_table(folder)


@pytest.mark.parametrize("type_", ["cow", "mor"])
def test_rows_are_read_with_a_warning(tmp_path: Path, type_: str) -> None:
    """TABLE-710."""
    table = version_10(tmp_path / "t", type_)
    assert rows_of(table) == EXPECTED
    assert rows_of(table, "n = 3") == rows_of(table, "p = 'x'") == EXPECTED[:1]
    assert table.warnings == [UNRELEASED]
    assert UNRELEASED in table.findings()
    assert [str(finding) for finding in table.validate()] == []
    for command in ("read", "inspect", "count", "files", "schema"):
        assert UNRELEASED in ran(command, tmp_path / "t").err


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that no test changes."""
    folder = tmp_path_factory.mktemp("new") / "t"
    version_10(folder)
    return folder


@pytest.mark.parametrize("write", WRITES)
def test_nothing_writes_to_it(shared: Path, write: str) -> None:
    """TABLE-710."""
    before = fingerprint(shared)
    with pytest.raises(UnsupportedError, match=r"only read.*found version 10"):
        WRITES[write](open_table(shared))
    assert fingerprint(shared) == before


def test_no_table_is_created_in_it(tmp_path: Path) -> None:
    """TABLE-710."""
    with pytest.raises(UsageError, match="found 10"):
        create_table(tmp_path / "t", rows(), key="id", version=10)  # type: ignore[arg-type]
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("version", [7, 11, 12])
def test_other_versions_are_refused_by_name(tmp_path: Path, version: int) -> None:
    """TABLE-710."""
    create_table(tmp_path / "t", rows(), key="id")
    restated(tmp_path / "t", {"hoodie.table.version": str(version)})
    with pytest.raises(UnsupportedError, match=f"found version {version}"):
        open_table(tmp_path / "t")


@pytest.mark.parametrize(
    "key", ["hoodie.meta.fields.mode", "hoodie.table.complex.keygenerator.encoding", "hoodie.table.storage.layout"]
)
def test_values_that_are_not_known_are_refused_by_name(tmp_path: Path, key: str) -> None:
    """TABLE-711, TABLE-712."""
    with pytest.raises(CorruptFileError, match=f"a valid {key}.*'OTHER'"):
        version_10(tmp_path / "t", **{key: "OTHER"})


@pytest.mark.parametrize("layout", ["default", "lsm_tree"])
def test_rows_sorted_by_key_are_read_as_others(tmp_path: Path, layout: str) -> None:
    """TABLE-712."""
    table = version_10(tmp_path / "t", **{"hoodie.table.storage.layout": layout})
    assert rows_of(table) == EXPECTED


@pytest.mark.parametrize(("encoding", "key"), [("field_prefixed", "id:1"), ("VALUE_ONLY", "1"), (None, "id:1")])
def test_the_encoding_of_the_key_of_one_field_is_a_property(encoding: str | None, key: str) -> None:
    """TABLE-712."""
    stated = {
        "hoodie.table.name": "t",
        "hoodie.table.version": "10",
        "hoodie.table.recordkey.fields": "id",
        "hoodie.table.partition.fields": "p",
        "hoodie.table.keygenerator.type": "COMPLEX",
    }
    config = table_config(stated | ({} if encoding is None else {ENCODING: encoding}))
    assert not is_ambiguous(config)
    generator = generator_of_table(config, bare_single_key=True)
    assert isinstance(generator, Generator)
    assert isinstance(generator.key, BareKey) == (key == "1")


@pytest.mark.parametrize(
    ("mode", "populated", "stored", "columns", "timed"),
    [
        (None, "true", True, True, True),
        (None, "false", False, False, False),
        ("ALL", "false", True, True, True),
        (" none ", "true", False, False, False),
        ("commit_time_only", "false", False, True, True),
        ("FILE_NAME_ONLY", "false", False, True, False),
        ("COMMIT_TIME_AND_FILE_NAME", "true", False, True, True),
    ],
)
def test_the_mode_of_meta_columns_wins_over_the_flag(
    mode: str | None, populated: str, stored: bool, columns: bool, timed: bool
) -> None:
    """TABLE-711."""
    stated = {"hoodie.table.name": "t", "hoodie.table.version": "9", "hoodie.populate.meta.fields": populated}
    config = table_config(stated | ({} if mode is None else {"hoodie.meta.fields.mode": mode}))
    assert [config.populate_meta_fields, config.has_meta_columns, config.stores_commit_times] == [
        stored,
        columns,
        timed,
    ]


@pytest.mark.parametrize("mode", [mode for mode in MetaFieldsMode if "_" in mode.value])
def test_meta_columns_that_are_left_out_are_null_and_keys_virtual(tmp_path: Path, mode: MetaFieldsMode) -> None:
    """TABLE-711: with the commit times there are queries of what changed."""
    folder = tmp_path / "t"
    table = create_table(folder, rows(), key="id", partition_by="p")
    table.insert(rows(("a", "x", 1), ("b", "y", 2)))
    first = table.refresh().timeline.commits[-1]
    table.refresh().insert(rows(("c", "y", 3)))
    kept = {
        "_hoodie_commit_time": "COMMIT_TIME" in mode.value,
        "_hoodie_file_name": "FILE_NAME" in mode.value,
    }
    for file in folder.rglob("*.parquet"):
        if ".hoodie" not in file.parts:
            whole = pq.read_table(file)
            for number, name in enumerate(whole.column_names[:5]):
                if not kept.get(name):
                    whole = whole.set_column(number, name, pa.nulls(len(whole), pa.string()))
            pq.write_table(whole, file)
    restated(folder, {"hoodie.table.version": "10", "hoodie.meta.fields.mode": mode.value})
    table = open_table(folder)
    assert rows_of(table) == [("a", "x", 1), ("b", "y", 2), ("c", "y", 3)]
    assert [row["_hoodie_record_key"] for row in table.scan("id = 'a'").to_json_rows()] == [None]
    assert table.scan("_hoodie_record_key IS NULL").count() == 3
    since = str(first.completion_time)
    if kept["_hoodie_commit_time"]:
        assert [row["id"] for row in table.scan(since=since).to_json_rows()] == ["c"]
    else:
        with pytest.raises(UnsupportedError, match="a table that stores the commit of each row"):
            table.scan(since=since)
