"""How commands end when what they write to, or the one who waits for them, does not let them go on: one line and a status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import ran, rides
from tests.support.drawing import SOAK

_WHERE = ("--where", "city = 'oslo' AND fare > 20")
_FULL = Path("/dev/full")
COMMANDS: list[tuple[str, ...]] = [
    ("inspect", "TABLE"),
    ("timeline", "TABLE"),
    ("schema", "TABLE"),
    ("files", "TABLE", *_WHERE),
    ("explain", "TABLE", *_WHERE),
    ("read", "TABLE", *_WHERE, "--json"),
    ("evolve", "TABLE", "drop column note"),
    ("--version",),
    (),
    ("read", "--help"),
]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The console script, as a process of its own."""
    command = [sys.executable, "-c", "from hudi_core.cli.main import run; run()"]
    given = [str(rides()) if argument == "TABLE" else argument for argument in arguments]
    return subprocess.run([*command, *given], stderr=subprocess.PIPE, timeout=120, check=False, **options)


@pytest.mark.one_of(2)
@pytest.mark.skipif(not _FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", COMMANDS if SOAK else COMMANDS[::3], ids=" ".join)
def test_a_full_disk_behind_standard_output(command: tuple[str, ...]) -> None:
    with _FULL.open("w") as full:
        done = run(*command, stdout=full)
    assert (done.returncode, done.stderr) == (1, b"error: standard output: No space left on device\n")


def test_standard_output_that_was_closed() -> None:
    done = run("files", "TABLE", *_WHERE, "--json", preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (1, b"error: standard output: it is closed\n")


def test_help_where_standard_output_was_closed() -> None:
    done = run("--help", preexec_fn=lambda: os.close(1))
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "unbuffered"),
    [
        (("explain", *_WHERE), ""),
        (("explain", *_WHERE), "1"),
        (("demo",), ""),
        pytest.param(("demo",), "1", marks=pytest.mark.soak),
    ],
    ids=["explain", "explain at once", "demo", "demo at once"],
)
def test_pages_are_written_though_nobody_reads_what_is_shown(
    tmp_path: Path, command: tuple[str, ...], unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    page = tmp_path / "explain.html"
    where = ("TABLE", "--html", str(page)) if command[0] == "explain" else ("--to", str(tmp_path))
    done = run(*command, *where, stdout=writer, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
    os.close(writer)
    assert done.returncode == 0 and b"Traceback" not in done.stderr
    assert page.read_text("utf-8").endswith("</html>\n")


# One process for all files: starting takes longest.
_SMALL_FILES = """
import contextlib, io, json, resource, sys
from hudi_core.cli.application import app

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
ends = []
for arguments in json.loads(sys.argv[1]):
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown):
        try:
            app(arguments)
        except SystemExit as end:
            ends.append((end.code, shown.getvalue()))
sys.__stdout__.write(json.dumps(ends))
"""


def test_a_full_disk_behind_a_file(tmp_path: Path) -> None:
    files = [tmp_path / name / name for name in ("rows.csv", "rows.json", "rows.parquet", "rows.arrow", "why.html")]
    for file in files:
        file.parent.mkdir()
        file.write_text("as it was")
    reads = [["read", str(rides()), "--overwrite", "--output", str(file)] for file in files[:-1]]
    commands = [*reads, ["explain", str(rides()), *_WHERE, "--html", str(files[-1]), "--overwrite"]]
    done = subprocess.run(
        [sys.executable, "-c", _SMALL_FILES, json.dumps(commands)], capture_output=True, timeout=120, check=False
    )
    assert json.loads(done.stdout) == [[1, f"error: {file}: File too large\n"] for file in files], done.stderr
    assert [(file.read_text(), os.listdir(file.parent)) for file in files] == [("as it was", [f.name]) for f in files]


@pytest.mark.parametrize("write", [("read", "--output", "rows.csv"), ("explain", "--html", "why.html")])
def test_files_are_written_where_links_lead(tmp_path: Path, write: tuple[str, str, str]) -> None:
    """ROWS-8."""
    command, option, name = write
    target, link = tmp_path / "elsewhere" / "target", tmp_path / name
    target.parent.mkdir()
    link.symlink_to(target)
    assert ran(command, rides(), *_WHERE, option, link).status == 0
    assert link.is_symlink() and target.stat().st_size > 0
    assert os.listdir(target.parent) == ["target"]


def test_a_path_that_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    done = ran("read", rides(), *_WHERE, "--output", pipe)
    assert (done.status, done.error) == (2, f"{pipe}: expected a file, found a device or a pipe")
    assert pipe.is_fifo()


class TestKeyGeneratorsOfYourOwn:
    @pytest.fixture
    def keys(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
        """The error of `keys` with a generator whose class has this body."""
        monkeypatch.syspath_prepend(str(tmp_path))
        rows = tmp_path / "rows.json"
        rows.write_text('{"id": "a"}\n')

        def error(module: str) -> str:
            name = f"own_{abs(hash(module))}"
            (tmp_path / f"{name}.py").write_text(module)
            options = tmp_path / "options.properties"
            options.write_text(f"hoodie.datasource.write.keygenerator.class={name}:Own\n")
            done = ran("keys", rows, "--options", options)
            assert done.status == 2
            return done.error

        return error

    _OWN = "class Own:\n    def record_key(self, row): {}\n    def partition_path(self, row): return ''\n"

    def test_a_method_that_raises(self, keys: Callable[[str], str]) -> None:
        answer = keys(self._OWN.format("return row['nope']"))
        assert answer == "key generator's record_key: expected a text, found KeyError: 'nope'"

    def test_a_class_that_cannot_be_made(self, keys: Callable[[str], str]) -> None:
        assert keys(self._OWN.format("...") + "    def __init__(self): 1 / 0\n").endswith(
            "that takes no arguments, found ZeroDivisionError: division by zero"
        )

    def test_a_module_that_cannot_be_imported(self, keys: Callable[[str], str]) -> None:
        assert keys("raise OSError('gone')").endswith("expected a module that can be imported, found OSError: gone")


def test_arguments_that_are_no_text_are_misuse() -> None:
    """CLI-1683: an error that names the bytes, and what makes them letters."""
    given = os.fsdecode(b"city = 'osl\xc3\xb3'")
    for other, expected in (
        ({}, "expected arguments in utf-8, found the bytes b'\\xff'; see hudi-core --help"),
        (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            "found the bytes b\"city = 'osl\\xc3\\xb3'\"; with PYTHONUTF8=1 in the environment they are read as UTF-8",
        ),
    ):
        where = given if other else os.fsdecode(b"\xff")
        done = run("read", "TABLE", "--where", where, stdout=subprocess.PIPE, env={**os.environ, **other})
        assert done.returncode == 2 and done.stdout == b""
        assert expected in done.stderr.decode()
