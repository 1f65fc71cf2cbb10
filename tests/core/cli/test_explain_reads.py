"""`explain` reads no file that `files` with the same predicate does not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hudi_arrow.files.parquet import OpenedParquet, ParquetReader
from hudi_core.engine import FileInfo, Storage
from tests.support.commands import Ran, ran, rides

WHERE = "fare BETWEEN 90 AND 95 AND city IN ('oslo', 'paris') AND gratuity > 20"


@pytest.fixture
def footers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths of the footers that are read, in order."""
    paths: list[str] = []
    original = ParquetReader.open

    def counted(reader: ParquetReader, storage: Storage, file: FileInfo) -> OpenedParquet:
        paths.append(file.path)
        return original(reader, storage, file)

    monkeypatch.setattr(ParquetReader, "open", counted)
    yield paths


def run(*arguments: object) -> Ran:
    done = ran(*arguments, "--metadata", "off")
    assert done.status == 0
    return done


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_without_a_metadata_table(footers: list[str], tmp_path: Path, form: tuple[str, ...]) -> None:
    run("files", rides(), "--where", WHERE)
    by_files = sorted(footers)
    assert by_files and all(path.startswith(("city=oslo/", "city=paris/")) for path in by_files)
    footers.clear()
    run("explain", rides(), "--where", WHERE, *form, "--html", tmp_path / "why.html")
    assert sorted(footers) == by_files


def test_conditions_are_counted_from_what_the_plan_read() -> None:
    """SOURCE-22."""
    *_, total = (lines := run("explain", rides(), "--where", WHERE, "--json").lines)
    fare, city, gratuity = (line["would_skip_alone"] for line in lines if line["kind"] == "condition")
    of_cities = next(line["removed"] for line in lines if line["kind"] == "step")
    assert city == of_cities
    assert 0 < fare <= total["file_slices"] - of_cities  # of other cities no footer was read
    assert 0 <= gratuity <= total["file_slices"] - of_cities


def test_a_condition_on_recorded_statistics_is_counted_over_all_slices() -> None:
    alone = ran("explain", rides(), "--where", "fare BETWEEN 90 AND 95", "--json").lines[-1]["skip"]
    both = ran("explain", rides(), "--where", "fare BETWEEN 90 AND 95 AND city = 'oslo'", "--json").lines
    assert next(line["would_skip_alone"] for line in both if line["kind"] == "condition") == alone
