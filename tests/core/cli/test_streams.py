"""Rows through standard input and output."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import ran, rides

_COMMAND = [sys.executable, "-c", "from hudi_core.cli.main import run; run()"]


def piped(*arguments: object, given: bytes = b"") -> bytes:
    """What a command of its own process prints for what it is given."""
    done = subprocess.run([*_COMMAND, *map(str, arguments)], input=given, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.one_of(2)
@pytest.mark.parametrize("form", ["parquet", "arrow", "csv", "jsonl"])
def test_rows_go_through_a_pipe(form: str, tmp_path: Path) -> None:
    """CLI-680: the first bytes tell the format, of CSV that there is no other."""
    query = ("read", rides(), "--where", "fare > 95", "--columns", "ride_id,fare,city")
    rows = ran(*query, "--json").lines
    sent = piped(*query, "--output", "-", "--format", form)
    like = tmp_path / f"rows.{form}"
    like.write_bytes(sent)
    table = tmp_path / "t"
    assert ran("create", table, "--like", like, "--key", "ride_id").status == 0
    piped("write", table, "-", given=sent)
    assert sorted(row["ride_id"] for row in ran("read", table, "--json").lines) == sorted(
        row["ride_id"] for row in rows
    )


def test_formats_are_of_streams_alone(tmp_path: Path) -> None:
    """CLI-680."""
    assert "--format" in ran("read", rides(), "--output", tmp_path / "x.csv", "--format", "csv").error
    assert "found 'xml'" in ran("read", rides(), "--output", "-", "--format", "xml").error
    assert "with --json" in ran("read", rides(), "--output", "-", "--json").error
    assert "--format" in ran("write", tmp_path, tmp_path / "x.csv", "--format", "csv").error


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.feather", "rows.csv.gz", "rows.json.gz", "rows.jsonl.gz"])
def test_files_of_other_names_are_written_and_read(name: str, tmp_path: Path) -> None:
    """CLI-681."""
    target = tmp_path / name
    written = ran("read", rides(), "--where", "fare > 95", "--columns", "ride_id,fare", "--output", target, "--json")
    assert written.lines == [{"rows": 10, "file": str(target)}]
    assert (target.read_bytes()[:2] == b"\x1f\x8b") == name.endswith(".gz")
    assert len(ran("keys", target, "--table", rides(), "--json").err.splitlines()) >= 1
    assert os.listdir(tmp_path) == [name]
    refused = ran("read", rides(), "--output", target)
    assert (refused.status, "--overwrite" in refused.error) == (2, True)
    assert "found .gz" in ran("read", rides(), "--output", tmp_path / "rows.parquet.gz").error


def test_a_page_takes_the_place_of_a_file_only_when_told(tmp_path: Path) -> None:
    """CLI-202."""
    page = tmp_path / "why.html"
    assert ran("explain", rides(), "--where", "fare > 95", "--html", page).status == 0
    again = ran("explain", rides(), "--where", "fare > 95", "--html", page)
    assert (
        again.status,
        again.error.endswith("expected a file that does not exist, or --overwrite, found one that does"),
    ) == (2, True)
    assert ran("explain", rides(), "--where", "fare > 95", "--html", page, "--overwrite").status == 0


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "given",
    [gzip.compress(MARK + b"id,n\na,1\n", mtime=0), MARK + b'\n {"id": "a", "n": 1}\n'],
    ids=["packed CSV", "JSON"],
)
def test_packed_rows_and_the_mark_of_utf8_go_through_a_pipe(given: bytes, tmp_path: Path) -> None:
    """CLI-1327."""
    (tmp_path / "like.csv").write_bytes(b"id,n\na,1\n")
    assert ran("create", tmp_path / "t", "--like", tmp_path / "like.csv", "--key", "id").status == 0
    piped("write", tmp_path / "t", "-", given=given)
    assert [row["n"] for row in ran("read", tmp_path / "t", "--json").lines] == [1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (b'{"id": "a", "n": 1}\n{"id": "b', b"error: standard input: row 2: "),
        (gzip.compress(b"id,n\n" + os.urandom(9999))[:5000], b"error: standard input: expected a whole .gz file"),
    ],
    ids=["cut", "cut and packed"],
)
def test_errors_name_standard_input(given: bytes, words: bytes, tmp_path: Path) -> None:
    """CLI-1327: and change nothing."""
    (tmp_path / "like.csv").write_bytes(b"id,n\na,1\n")
    assert ran("create", tmp_path / "t", "--like", tmp_path / "like.csv", "--key", "id").status == 0
    before = sorted(os.walk(tmp_path / "t"))
    done = subprocess.run(
        [*_COMMAND, "write", str(tmp_path / "t"), "-"], input=given, capture_output=True, timeout=120, check=False
    )
    assert done.stderr.startswith(words)
    assert sorted(os.walk(tmp_path / "t")) == before
