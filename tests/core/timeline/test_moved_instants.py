"""Tables whose version was being changed when the change stopped. TIME-1547."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.front.opening import create_table, open_table
from hudi_core.table.table import Table

TYPES = pa.schema([("id", pa.string()), ("n", pa.int32())])


def made(path: Path, version: int, *, indexed: bool) -> Table:
    indexes = ["column_stats"] if indexed else []
    table = create_table(path, TYPES, "id", version=version, indexes=indexes)
    for key in "abc":
        table.refresh().append(pa.table({"id": [key], "n": pa.array([1], pa.int32())}))
    return table.refresh()


def move(path: Path, version: int, times: list[str]) -> None:
    """Moves the instants of these times to the folder of the other layout, as a change of the version does."""
    old, new = path / ".hoodie", path / ".hoodie/timeline"
    new.mkdir(exist_ok=True)
    if version > 6:
        old, new = new, old
    for time in times:
        for file in old.glob(f"{time}*"):
            name = (
                re.sub(r"_\d+", "", file.name)
                if version > 6
                else re.sub(r"^(\d+)\.commit$", r"\1_\1.commit", file.name)
            )
            file.rename(new / name)


@pytest.mark.each_value
@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("moved", [(2,), (1,), (0,), (0, 1)])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_table_of_which_some_instants_moved_is_refused(
    tmp_path: Path, version: int, moved: tuple[int, ...], indexed: bool
) -> None:
    path = tmp_path / "t"
    times = [one.requested_time for one in made(path, version, indexed=indexed).timeline.commits]
    move(path, version, [times[number] for number in moved])
    files = sorted(path.rglob("*.parquet"))
    row = pa.table({"id": ["c"], "n": pa.array([7], pa.int32())})
    for act in (
        lambda table: table.count(),
        lambda table: table.scan(as_of=times[2]).to_arrow(),
        lambda table: table.upsert(row),
        lambda table: table.append(row),
        lambda table: table.cluster(columns=["n"]),
    ):
        with pytest.raises(CorruptFileError, match="expected all instants in") as raised:
            act(open_table(path))
        assert "stopped half-way" in raised.value.__notes__[0]
    findings = [str(finding) for finding in open_table(path).validate(["orphans"])]
    assert len(findings) == 1 and findings[0].startswith("error: orphans: .hoodie/")
    assert sorted(path.rglob("*.parquet")) == files


@pytest.mark.each_value
@pytest.mark.parametrize("moved", [(2,), (1,), (0,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("version", [6, 8, 9])
def test_a_metadata_table_of_which_some_instants_moved_is_not_used(
    tmp_path: Path, version: int, moved: tuple[int, ...]
) -> None:
    path = tmp_path / "t"
    times = [one.requested_time for one in made(path, version, indexed=True).timeline.commits]
    move(path / ".hoodie/metadata", version, [times[number] for number in moved])
    table = open_table(path)
    assert sorted(row["id"] for row in table.scan().to_json_rows()) == ["a", "b", "c"]
    assert [warning for warning in table.warnings if "metadata" in warning]
    with pytest.raises(CorruptFileError, match="metadata"):
        table.upsert(pa.table({"id": ["b"], "n": pa.array([7], pa.int32())}))


@pytest.mark.parametrize("version", [6, 9])
def test_a_table_without_unknown_writes_is_read(tmp_path: Path, version: int) -> None:
    """Instants that a change left behind are in nobody's way."""
    path = tmp_path / "t"
    table = made(path, version, indexed=True)
    place = path / ".hoodie/timeline" if version == 6 else path / ".hoodie"
    place.mkdir(exist_ok=True)
    (place / "20200101000000000.commit").write_text("{}")
    assert open_table(path).count() == 3
    unknown = next(path.glob("*.parquet"))
    (path / re.sub(r"_\d{17}\.parquet", "_29990101000000000.parquet", unknown.name)).write_bytes(unknown.read_bytes())
    assert open_table(path, metadata="off").count() == 3
    assert table.refresh().upsert(pa.table({"id": ["c"], "n": pa.array([7], pa.int32())})).updated == 1
