"""`dump`, in both forms."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_core
from hudi_core.table.table import Table
from tests.core.table.test_record_versions import written
from tests.support.commands import ran, rides
from tests.support.screens import screen


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return written(tmp_path_factory.mktemp("t") / "t", "mor")


def test_dump(table: Table) -> None:
    log = table.slices()[0].logs[0]
    first, block = ran("dump", f"{table.storage.uri}/{log.path}", "--json").lines
    assert (first["kind"], block["type"]) == ("log", "avro_data")
    assert ran("dump", f"{table.storage.uri}/{log.path}", "-n", "1").out.count("\n\n") == 3
    assert ran("dump", f"{table.storage.uri}/.hoodie/hoodie.properties", "--json").lines[0]["kind"] == "properties"
    assert "found the folder" in ran("dump", f"{table.storage.uri}/").error
    assert ran("dump", Path(table.storage.uri) / "none.parquet").status == 1


def test_dump_names_a_file_that_is_not_there_as_it_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1088."""
    monkeypatch.chdir(tmp_path)
    for typed in ("nope", "./nope", "no/such/folder/file.parquet", str(tmp_path / "nope")):
        answer = ran("dump", typed)
        assert (answer.status, answer.error) == (1, f"{typed}: No such file or directory")


def test_people_see_the_columns_of_a_footer_as_a_table() -> None:
    """CLI-1350."""
    file = sorted((rides() / "city=oslo").glob("*.parquet"))[0]
    _, *columns = ran("dump", file, "--json").lines
    lines = screen(80, "dump", str(file)).out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = lines[lines.index("columns") + 2 :]
    assert [row.split()[0] for row in rows if not row.startswith("    ")] == [column["name"] for column in columns]
    assert len(lines) < 60


def test_a_long_text_is_cut_for_people_with_its_length_and_is_whole_in_json(tmp_path: Path) -> None:
    """CLI-1350: in properties, in the header of a block, and in the records of an instant."""
    rows = pa.table({"id": ["a"], **{f"a_long_column_name_{number}": [number] for number in range(60)}})
    table = hudi_core.create(tmp_path / "t", rows, "id", type="mor")
    table.append(rows)
    table.refresh().upsert(rows)
    places = [".hoodie/hoodie.properties", *(f".hoodie/timeline/{path.name}" for path in _completed(tmp_path / "t"))]
    (log,) = table.refresh().slices()[0].logs
    for place in (*places, log.path):
        shown = ran("dump", tmp_path / "t" / place).out
        assert " characters)" in shown
        assert max(map(len, shown.splitlines())) < 3_000
        whole = json.dumps(ran("dump", tmp_path / "t" / place, "--json").lines)
        assert "a_long_column_name_59" in whole
        assert " characters)" not in whole


def _completed(root: Path) -> list[Path]:
    return sorted((root / ".hoodie" / "timeline").glob("*.deltacommit"))
