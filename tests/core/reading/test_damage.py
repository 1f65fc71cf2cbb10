"""Log files that lost what a completed write wrote: an error, or the rest of the rows with a warning. Rules LOG-260 to LOG-262.

Also covers: `reading/log_blocks.py`, `timeline/recorded_logs.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hudi_core
from hudi_core.errors import CorruptFileError, TableError, UnsupportedError, UsageError
from hudi_core.front.opening import open_table
from hudi_core.front.table import Table
from tests.support.commands import ran
from tests.support.written_tables import rows, rows_of

BEFORE = [(name, "x", 1) for name in "abcd"]
AFTER = [("a", "x", 2), ("b", "x", 3), ("d", "x", 1)]


def logged(folder: Path, version: int, indexes: list[str] | None = None) -> tuple[Table, list[Path]]:
    """A table whose rows `a` and `b` were updated and `c` deleted, and its log files, oldest first."""
    table = hudi_core.create(folder, rows(), key="id", partition_by="p", type="mor", version=version, indexes=indexes)
    table.insert(rows(*BEFORE))
    table.upsert(rows(("a", "x", 2)))
    table.delete(where="id = 'c'")
    table.upsert(rows(("b", "x", 3)))
    table = open_table(folder)
    return table, [folder / log.path for log in table.slices()[0].logs]


def cut(share: float) -> Callable[[bytes], bytes]:
    return lambda content: content[: int(share * len(content))]


def without(share: float, count: int) -> Callable[[bytes], bytes]:
    """Without some bytes in the middle."""
    return lambda content: content[: int(share * len(content))] + content[int(share * len(content)) + count :]


DAMAGES = {
    "empty": cut(0.0),
    "in the magic": lambda content: content[:3],
    "cut early": cut(0.2),
    "cut late": cut(0.95),
    "a byte is gone": without(0.5, 1),
    "some are gone": without(0.3, 40),
    "the first are gone": lambda content: content[6:],
    "zeros": lambda content: content[:20] + bytes(len(content) - 20),
}


@pytest.mark.each_value
@pytest.mark.parametrize("version", [6, 8, 9])
@pytest.mark.parametrize("indexes", [None, ["files"]], ids=["listed", "recorded"])
def test_a_log_file_that_lost_bytes_is_an_error_whatever_it_lost(
    tmp_path: Path, version: int, indexes: list[str] | None
) -> None:
    """LOG-260, LOG-262."""
    table, logs = logged(tmp_path / "t", version, indexes)
    assert rows_of(table) == AFTER
    for number, (name, damaged) in enumerate(DAMAGES.items()):
        log = logs[(number + version) % len(logs)]
        sound = log.read_bytes()
        log.write_bytes(damaged(sound))
        with pytest.raises(TableError, match=log.name.replace(".", r"\.")):
            rows_of(open_table(tmp_path / "t"))
        scan = open_table(tmp_path / "t").scan(on_damage="skip")
        ids = {row["id"] for row in scan.to_json_rows()}
        assert {"a", "b", "d"} <= ids <= {"a", "b", "c", "d"}, name
        assert any(log.name in warning and "left out" in warning for warning in scan.warnings), name
        log.write_bytes(sound)
    assert rows_of(open_table(tmp_path / "t")) == AFTER


def test_a_log_file_of_another_size_is_damage_though_its_blocks_are_whole(tmp_path: Path) -> None:
    """LOG-260."""
    table, logs = logged(tmp_path / "t", 9)
    size = table.slices()[0].logs[0].size
    logs[0].write_bytes(logs[0].read_bytes() * 2)
    with pytest.raises(
        CorruptFileError, match=f"expected {size:,} bytes, as the table records, found {2 * size:,} bytes"
    ):
        rows_of(open_table(tmp_path / "t"))


def appended(folder: Path, between: bytes = b"", behind: bytes = b"") -> tuple[Table, Path]:
    """A table of version 6 whose first two writes to logs stand in one file, as appending writers leave it."""
    _, (first, second, _) = logged(folder, 6)
    sizes = [first.stat().st_size, second.stat().st_size]
    first.write_bytes(first.read_bytes() + between + second.read_bytes() + behind)
    second.unlink()
    for commit in (folder / ".hoodie").glob("*.deltacommit"):
        record = json.loads(commit.read_text())
        for stats in record["partitionToWriteStats"].values():
            for stat in stats:
                if stat["path"] == f"x/{second.name}":
                    offset = sizes[0] + len(between)
                    stat |= {"path": f"x/{first.name}", "logOffset": offset, "fileSizeInBytes": offset + sizes[1]}
        commit.write_text(json.dumps(record))
    return open_table(folder), first


@pytest.mark.parametrize(
    ("between", "behind"),
    [(b"", b""), (b"", b"#HUDI#\0\0\0"), (b"#HUDI#" + bytes(30), b""), (b"#HUDI#", b"#HUDI#"), (b"", b"lost")],
    ids=["sound", "torn end", "torn middle", "magic twice", "no block at the end"],
)
def test_what_dead_writers_left_in_a_file_that_others_appended_to_is_no_damage(
    tmp_path: Path, between: bytes, behind: bytes
) -> None:
    """LOG-261."""
    table, _ = appended(tmp_path / "t", between, behind)
    assert rows_of(table) == AFTER


@pytest.mark.parametrize("write", [0, 1])
def test_a_block_of_a_completed_write_that_others_appended_behind_is_missed(tmp_path: Path, write: int) -> None:
    """LOG-261: the file has at least the size that is recorded."""
    _, log = appended(tmp_path / "t")
    content = bytearray(log.read_bytes())
    starts = [start for start in range(len(content)) if content.startswith(b"#HUDI#", start)]
    content[starts[write] + 20 : starts[write] + 24] = b"#HUD"
    content[starts[write] + 6] = 1
    log.write_bytes(bytes(content) + b"#HUDI#" + bytes(40))
    with pytest.raises(CorruptFileError, match="expected a whole block, found"):
        rows_of(open_table(tmp_path / "t"))
    scan = open_table(tmp_path / "t").scan(on_damage="skip")
    assert len(list(scan.to_json_rows())) in (3, 4)
    assert any("expected a whole block" in warning for warning in scan.warnings)


def test_a_block_that_cannot_be_decoded_is_left_out_alone(tmp_path: Path) -> None:
    """LOG-262."""
    _, logs = logged(tmp_path / "t", 9)
    content = logs[0].read_bytes()
    logs[0].write_bytes(content[:-60] + b"\xff" * 20 + content[-40:])
    with pytest.raises(CorruptFileError):
        rows_of(open_table(tmp_path / "t"))
    scan = open_table(tmp_path / "t").scan(on_damage="skip", columns=["id", "n"])
    values = {row["id"]: row["n"] for row in scan.to_json_rows()}
    assert values == {"a": 1, "b": 3, "d": 1}
    assert len(scan.warnings) == 1


def test_a_file_of_a_task_that_was_given_up_is_no_damage(tmp_path: Path) -> None:
    """LOG-261: it has the time of a completed write, whose commit does not name it."""
    _, logs = logged(tmp_path / "t", 9)
    stray = logs[0].with_name(logs[0].name.replace("_0-0-0", "_7-7-7"))
    assert stray != logs[0]
    for content in (b"", logs[0].read_bytes()[:50]):
        stray.write_bytes(content)
        assert rows_of(open_table(tmp_path / "t")) == AFTER


@pytest.mark.parametrize("damage", ["cut", "gone"])
@pytest.mark.parametrize("request_", [{}, {"where": "n = 1"}, {"limit": 9}, {"columns": ["id"]}], ids=str)
def test_a_damaged_base_file_costs_its_file_group(tmp_path: Path, damage: str, request_: dict[str, Any]) -> None:
    """LOG-262."""
    table = hudi_core.create(tmp_path / "t", rows(), key="id", partition_by="p", indexes=["files"])
    table.insert(rows(*BEFORE, ("e", "y", 1)))
    base = tmp_path / "t" / next(item.base.path for item in open_table(tmp_path / "t").slices() if item.base)
    base.write_bytes(base.read_bytes()[:-9]) if damage == "cut" else base.unlink()
    with pytest.raises(TableError):
        list(open_table(tmp_path / "t").scan(**request_).to_json_rows())
    scan = open_table(tmp_path / "t").scan(**request_, on_damage="skip")
    assert [row["id"] for row in scan.to_json_rows()] == ["e"]
    assert any(base.name in warning and "file slice is left out" in warning for warning in scan.warnings)
    assert scan.count() == 1


def test_the_command_line_warns_of_what_it_left_out(tmp_path: Path) -> None:
    """LOG-262."""
    _, logs = logged(tmp_path / "t", 9)
    logs[1].write_bytes(logs[1].read_bytes()[:100])
    refused = ran("read", tmp_path / "t", "--json")
    assert refused.status == 1
    assert "as the table records" in refused.error
    skipped = ran("read", tmp_path / "t", "--json", "--on-damage", "skip")
    assert skipped.status == 0
    assert len(skipped.lines) == 4
    assert f"warning: {logs[1]}" in skipped.err
    assert ran("read", tmp_path / "t", "--cdc", "--on-damage", "skip").status == 2


def test_the_choice_is_one_of_two_and_made_where_rows_are_read_in_this_process(tmp_path: Path) -> None:
    """LOG-262."""
    table, _ = logged(tmp_path / "t", 9)
    with pytest.raises(UsageError, match="on_damage: expected error or skip, found 'warn'"):
        table.scan(on_damage="warn")
    pytest.importorskip("pyspark")
    with pytest.raises(UnsupportedError, match="expected an engine that reads in this process, found the engine spark"):
        open_table(tmp_path / "t", engine="spark").scan(on_damage="skip")
