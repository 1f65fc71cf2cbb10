"""`validate`: findings in both forms, exit status, and mending."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hudi_core.commit.heartbeat import heartbeat_path
from tests.support.commands import ran
from tests.support.faulty_tables import base_file, copied, made


@pytest.fixture(scope="module")
def cow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("cow") / "t")


def test_a_sound_table(cow: Path) -> None:
    reported = ran("validate", cow)
    assert (reported.status, reported.out, reported.err) == (0, "no findings\n", "")
    assert (ran("validate", cow, "--json").status, ran("validate", cow, "--json").lines) == (0, [])


def test_findings_for_programs_and_people(cow: Path, tmp_path: Path) -> None:
    table = copied(cow, tmp_path / "t")
    path = base_file(table)
    path.unlink()
    reported = ran("validate", tmp_path / "t", "--json")
    (line,) = reported.lines
    assert reported.status == 1
    assert list(line) == ["severity", "check", "where", "expected", "found", "mending"]
    assert (line["severity"], line["check"]) == ("error", "commits")
    assert line["where"] == str(path.relative_to(tmp_path / "t"))
    shown = ran("validate", tmp_path / "t")
    assert shown.status == 1
    assert shown.out.splitlines()[-1] == "1 error"
    assert ran("validate", tmp_path / "t", "--only", "timeline,footers").status == 0
    refused = ran("validate", tmp_path / "t", "--only", "time")
    assert refused.status == 2
    assert refused.error.endswith("found time")


def test_findings_of_a_kind_stand_together_for_people(cow: Path, tmp_path: Path) -> None:
    """CLI-671."""
    copied(cow, tmp_path / "t")
    for number in range(5):
        beat = tmp_path / "t" / heartbeat_path(f"2020010100000000{number}")
        beat.parent.mkdir(exist_ok=True)
        beat.write_bytes(b"")
        os.utime(beat, (1, 1))
    together = ran("validate", tmp_path / "t").out.splitlines()
    assert [line for line in together if "alike" in line] == ["warning leftovers: 5 alike"]
    assert [line for line in together if line.endswith("and 2 more")]
    assert together[-1] == "5 warnings; --all shows each"
    apart = ran("validate", tmp_path / "t", "--all").out.splitlines()
    assert apart.count("warning leftovers") == 5
    assert apart[-1] == "5 warnings"
    assert len(ran("validate", tmp_path / "t", "--json").lines) == 5


def test_information_alone_is_no_failure(cow: Path, tmp_path: Path) -> None:
    copied(cow, tmp_path / "t")
    (tmp_path / "t/.hoodie/lock").write_text('{"validUntil": 1}')
    os.utime(tmp_path / "t/.hoodie/lock", (1, 1))
    reported = ran("validate", tmp_path / "t")
    assert reported.status == 0
    assert reported.out.splitlines()[-1] == "1 info"


def test_mending(cow: Path, tmp_path: Path) -> None:
    table = copied(cow, tmp_path / "t")
    time = table.timeline.commits[0].requested_time
    beat = tmp_path / "t" / heartbeat_path(time)
    beat.parent.mkdir(exist_ok=True)
    beat.write_bytes(b"")
    assert ran("validate", tmp_path / "t").status == 0  # its writer may be alive
    os.utime(beat, (1, 1))
    assert ran("validate", tmp_path / "t").status == 1
    reported = ran("validate", tmp_path / "t", "--mend", "--json")
    assert reported.status == 0
    assert reported.lines == [{"removed": [f".hoodie/.heartbeat/{time}"], "rebuilt": [], "forgotten": []}]
    assert ran("validate", tmp_path / "t", "--mend").out == "no findings\n"
