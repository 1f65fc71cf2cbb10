"""Bad input: one line that says where, what was expected and what was found, an exit status, and nothing changed.

Also covers: `cli/application.py`, `cli/options.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hudi_core.cli import application
from tests.support.commands import Ran, fingerprint, ran, rides, rides_in

_FARE = ("--where", "fare > 90")


def refused(*arguments: object, on: Path | None = None) -> Ran:
    """A command that fails; the table is as it was."""
    before = fingerprint(on) if on else None
    result = ran(*arguments)
    assert result.status in (1, 2)
    assert before is None or fingerprint(on or rides()) == before
    return result


def cut(file: Path, size: int) -> Path:
    file.write_bytes(file.read_bytes()[:size])
    return file


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A copy of the packaged table."""
    return rides_in(tmp_path)


class TestNotATable:
    def test_nothing_there(self, tmp_path: Path) -> None:
        missing = refused("inspect", tmp_path / "nowhere")
        assert (missing.status, missing.out) == (1, "")
        assert missing.error.startswith(
            f"{tmp_path / 'nowhere'}: expected a Hudi table, with .hoodie/hoodie.properties"
        )

    def test_another_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert refused("timeline", tmp_path).error.endswith("found a folder without it")

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert refused("schema", tmp_path / "file").status == 1

    def test_an_empty_path(self) -> None:
        answer = refused("inspect", "")
        assert (answer.status, answer.error) == (2, "table: expected a path or URL, found an empty string")

    def test_a_url_of_a_kind_nobody_opens(self) -> None:
        assert refused("files", "nosuch://bucket/table").status == 1


class TestProperties:
    def rewritten(self, table: Path, change: Callable[[bytes], bytes]) -> str:
        file = table / ".hoodie" / "hoodie.properties"
        file.write_bytes(change(file.read_bytes()))
        result = refused("inspect", table, on=table)
        assert (result.status, result.out) == (1, "")
        assert result.error.startswith(f"{file}: ")
        return result.error

    def test_a_newer_version(self, table: Path) -> None:
        answer = self.rewritten(table, lambda b: b.replace(b"hoodie.table.version=9", b"hoodie.table.version=12"))
        assert answer.endswith("expected a table version of 2, 3, 4, 5, 6, 8, 9, 10, found version 12")

    def test_cut_off(self, table: Path) -> None:
        assert "expected a property hoodie.table.version, found none" in self.rewritten(table, lambda b: b[:60])

    def test_empty(self, table: Path) -> None:
        assert "found none" in self.rewritten(table, lambda _: b"")

    def test_empty_text_is_refused(self, table: Path) -> None:
        assert "expected the text of a properties file" in self.rewritten(table, lambda _: bytes(range(256)))


class TestDamagedCommit:
    @pytest.mark.parametrize("command", [("timeline",), ("files", *_FARE), ("read", "--limit", 1), ("schema",)])
    def test_it_is_named(self, table: Path, command: tuple[object, ...]) -> None:
        commit = max((table / ".hoodie" / "timeline").glob("*.commit"))
        cut(commit, 300)
        name, *options = command
        answer = refused(name, table, *options, on=table)
        assert answer.status == 1
        assert answer.error.startswith(f"{commit}: expected a whole Avro container file")


class TestDamagedMetadataTable:
    """Where metadata may be left out, a warning and the same answer; where it is required, an error."""

    @pytest.fixture(params=["HFile", "properties"])
    def damaged(self, request: pytest.FixtureRequest, table: Path) -> Path:
        """The table, whose metadata table has a cut HFile or no properties."""
        metadata = table / ".hoodie" / "metadata"
        if request.param == "HFile":
            cut(next((metadata / "files").glob("*.hfile")), 500)
        else:
            (metadata / ".hoodie" / "hoodie.properties").unlink()
        return table

    def test_auto_warns_and_lists_folders(self, damaged: Path) -> None:
        """TABLE-2."""
        answer = ran("files", damaged, *_FARE, "--json")
        sound = ran("files", rides(), *_FARE, "--json")
        assert answer.status == 0
        assert [item["file_id"] for item in answer.lines] == [item["file_id"] for item in sound.lines]
        (warning,) = answer.err.splitlines()
        assert warning.startswith(f"warning: {damaged}/.hoodie/metadata/")
        assert warning.endswith("; listing folders and reading footers instead")

    def test_require_fails(self, damaged: Path) -> None:
        """TABLE-2."""
        answer = refused("files", damaged, *_FARE, "--metadata", "require", on=damaged)
        assert (answer.status, answer.out) == (1, "")
        assert answer.error.startswith(f"{damaged}/.hoodie/metadata/")

    def test_off_does_not_look(self, damaged: Path) -> None:
        """TABLE-2."""
        answer = ran("files", damaged, *_FARE, "--metadata", "off")
        assert (answer.status, answer.err) == (0, "")


def test_the_cache_of_footers_may_be_given_a_size(tmp_path: Path) -> None:
    cache = tmp_path / "footers"
    requested = ("files", rides(), *_FARE, "--metadata", "off", "--footer-cache", cache, "--json")
    assert (
        ran(*requested, "--footer-cache-mib", 1).lines
        == ran("files", rides(), *_FARE, "--metadata", "off", "--json").lines
    )
    assert 0 < cache.stat().st_size <= 1 << 20
    assert ran(*requested, "--footer-cache-mib", 0).status == 2


class TestDamagedBaseFile:
    @pytest.fixture
    def base(self, table: Path) -> Path:
        """A base file of one city."""
        return min(table.glob("city=oslo/*.parquet"))

    def read(self, base: Path, *options: object) -> Ran:
        table = base.parents[1]
        return refused("read", table, "--where", "city = 'oslo'", *options, on=table)

    def test_a_cut_one(self, base: Path, tmp_path: Path) -> None:
        cut(base, 1000)
        answer = self.read(base, "--output", tmp_path / "rows.csv")
        assert answer.status == 1
        assert answer.err.splitlines()[-1].startswith(f"error: {base}: expected a Parquet file")
        assert not list(tmp_path.glob("*rows*"))

    def test_an_empty_one(self, base: Path) -> None:
        base.write_bytes(b"")
        assert f"error: {base}: expected a Parquet file" in self.read(base, "--json").err

    def test_one_that_cannot_be_read(self, base: Path) -> None:
        base.unlink()
        base.mkdir()
        (error,) = self.read(base, "--json").err.splitlines()[-1:]
        assert error.startswith(f"error: {base}: ")

    def test_a_missing_file_that_the_metadata_table_lists_is_reported(self, base: Path) -> None:
        base.unlink()
        assert f"error: {base}: No such file or directory" in self.read(base, "--json").err


class TestPredicate:
    def of(self, where: str) -> tuple[str, str, str]:
        answer = refused("files", rides(), "--where", where)
        assert (answer.status, answer.out) == (2, "")
        error, line, caret = answer.err.splitlines()
        return error, line, caret

    def test_an_unknown_column_has_a_suggestion_and_its_place(self) -> None:
        assert self.of("fare > 1 AND distance_kn > 4") == (
            "error: predicate, column 14: no column distance_kn; did you mean distance_km?",
            "fare > 1 AND distance_kn > 4",
            "             ^^^^^^^^^^^",
        )

    def test_a_string_that_ends_too_early_is_refused(self) -> None:
        error, _, caret = self.of("distance_km >")
        assert error == "error: predicate, column 14: expected a column, a value or `(`, found the end"
        assert caret == "             ^"

    def test_a_value_of_another_type(self) -> None:
        error, _, caret = self.of("fare > DATE '2020-01-01'")
        assert "expected a value comparable with fare of decimal(8,2), found DATE '2020-01-01' of date" in error
        assert caret == "       ^^^^^^^^^^^^^^^^^"

    def test_more_than_one_statement(self) -> None:
        assert "found `;`" in self.of("fare > 1; DROP TABLE rides")[0]

    def test_control_characters_do_not_reach_the_terminal(self) -> None:
        assert "\x1b" not in refused("files", rides(), "--where", "fare > \x1b[31m").err

    @pytest.mark.parametrize("where", ["(" * 5_000 + "fare > 1" + ")" * 5_000, "NOT " * 5_000 + "fare > 1"])
    def test_nesting_without_end(self, where: str) -> None:
        assert refused("files", rides(), "--where", where).status == 2


class TestMisuse:
    def answer(self, *arguments: object) -> str:
        result = refused(*arguments)
        assert (result.status, result.out) == (2, "")
        return result.error

    def test_an_unknown_engine(self) -> None:
        assert self.answer("read", rides(), "--engine", "spork") == (
            "engine 'spork': expected one of arrow, plain, spark, found no such engine"
        )

    def test_an_unknown_column(self) -> None:
        assert self.answer("read", rides(), "--columns", "ride_idd") == (
            "ride_idd: no such column; did you mean ride_id or rider?"
        )

    def test_no_name_between_commas(self) -> None:
        assert "expected names separated by commas" in self.answer("read", rides(), "--columns", "city,,fare")

    def test_an_unknown_extension_is_refused(self, tmp_path: Path) -> None:
        assert "found .xlsx" in self.answer("read", rides(), "--output", tmp_path / "rows.xlsx")
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        target = tmp_path / "no" / "rows.csv"
        assert self.answer("read", rides(), "--output", target) == (
            f"{target}: expected a file in a folder that exists, found no folder {target.parent}"
        )
        page = tmp_path / "no" / "page.html"
        assert "found no folder" in self.answer("explain", rides(), *_FARE, "--html", page)

    def test_a_folder_in_place_of_a_file(self, tmp_path: Path) -> None:
        assert self.answer("explain", rides(), *_FARE, "--html", tmp_path).endswith("expected a file, found a folder")

    def test_an_invalid_time_is_refused(self) -> None:
        assert self.answer("read", rides(), "--as-of", "yesterday").startswith("--as-of: expected an instant (2026")

    @pytest.mark.parametrize("option", [("--as-of", "2030-01-01"), ("--read-optimized",)])
    def test_an_option_that_changes_do_not_have(self, option: tuple[str, ...]) -> None:
        answer = self.answer("read", rides(), "--cdc", *option)
        assert answer == f"--cdc: expected a range of times, found {option[0]}"

    def test_a_form_nobody_offers(self) -> None:
        assert self.answer("schema", rides(), "--to", "xml") == (
            "--to: expected one of arrow, avro, ddl, internal, spark, found xml"
        )

    def test_changes_that_cannot_be_read(self) -> None:
        assert self.answer("evolve", rides(), "add colum fare").endswith("expected a type, found 'fare'")
        assert "found" in self.answer("evolve", rides())

    def test_a_change_of_a_column_that_is_not_there(self) -> None:
        assert self.answer("evolve", rides(), "drop column nope") == "nope: no such column; did you mean note?"

    @pytest.mark.parametrize(
        ("arguments", "command", "found"),
        [
            (("explain", "t"), "explain", "missing option '--where'"),
            (("read", "t", "--limit", "-1"), "read", "--limit: expected at least 0, found '-1'"),
            (("read", "t", "--limit", "ten"), "read", "--limit: expected a whole number, found 'ten'"),
            (("head", "t", "-n", "ten"), "head", "--limit: expected a whole number, found 'ten'"),
            (
                ("files", "t", "--metadata", "maybe"),
                "files",
                "--metadata: expected one of auto, require, off, found 'maybe'",
            ),
            (("files", "t", "--bogus"), "files", "no such option: --bogus"),
            (("read",), "read", "missing argument 'TABLE' (path or URL"),
            (("index", "build", "t"), "index build", "missing argument 'KIND...' (files, column_stats, "),
            (("read", "t", "u"), "read", "unexpected extra argument"),
            (("--bogus", "read", "t"), "", "no such option: --bogus"),
            (
                ("--storage-option", "a", "read", "t"),
                "",
                "--storage-option: expected name=value, found a name without =",
            ),
            (("reed", "t"), "", "no such command 'reed'"),
        ],
    )
    def test_misuse_of_the_command_line_is_refused(self, arguments: tuple[str, ...], command: str, found: str) -> None:
        """CLI-1243."""
        answer, path = self.answer(*arguments), f"hudi-core {command}".strip()
        assert answer.startswith(f"{path}: ") and answer.lower().endswith(f" see {path} --help")
        assert found in answer

    def test_a_command_without_arguments_prints_help(self) -> None:
        assert "Usage: hudi-core" in ran().out + ran().err


class TestRefusedSchemas:
    def test_a_change_that_readers_could_not_follow(self) -> None:
        answer = refused("evolve", rides(), "alter column payment type int")
        assert (answer.status, answer.error) == (
            1,
            "payment: expected a type that string can change to (binary, date, decimal), found int",
        )

    @pytest.mark.parametrize("form", ["avro", "internal", "arrow", "spark", "ddl"])
    def test_text_of_another_form_is_refused(self, tmp_path: Path, form: str) -> None:
        file = tmp_path / "schema"
        file.write_text('{"type": "record", "name": ')
        answer = refused("convert-schema", file, "--from", form, "--to", "avro")
        assert answer.status == 1
        assert answer.error.startswith(f"{file}: ")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        answer = refused("evolve", "--schema", tmp_path / "none", "drop a")
        assert (answer.status, answer.error) == (1, f"{tmp_path / 'none'}: No such file or directory")

    def test_a_file_that_is_not_text_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "schema"
        file.write_bytes(b"\xff\xfe")
        assert "expected UTF-8 text" in refused("convert-schema", file, "--from", "avro", "--to", "spark").error


@pytest.mark.parametrize(
    ("problem", "line"),
    [
        (MemoryError("malloc of 64 bytes failed"), "error: out of memory: malloc of 64 bytes failed\n"),
        (MemoryError(), "error: out of memory\n"),
        (RuntimeError("can't start new thread"), "error: can't start new thread: the limit of threads or of memory is reached\n"),
    ],
)  # fmt: skip
def test_a_system_that_gives_no_more_is_one_line(
    problem: Exception, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """CLI-1479."""

    def run() -> int:
        raise problem

    assert application._status(run) == 1
    assert capsys.readouterr() == ("", line)


def test_an_error_that_is_a_fault_of_ours_is_raised() -> None:
    def run() -> int:
        raise RuntimeError("a fault")

    with pytest.raises(RuntimeError, match="a fault"):
        application._status(run)


class TestInstalled:
    """The console script, as a process of its own."""

    def run(self, *arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-c", "from hudi_core.cli.main import run; run()", *arguments]
        return subprocess.run(command, capture_output=True, timeout=120, **options)  # type: ignore[call-overload,no-any-return]

    def test_an_error_is_one_line_and_a_status(self, tmp_path: Path) -> None:
        done = self.run("inspect", str(tmp_path))
        assert done.returncode == 1
        assert done.stdout == b""
        assert done.stderr.count(b"\n") == 1

    def test_a_reader_that_has_seen_enough_is_no_error(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-c", "from hudi_core.cli.main import run; run()", "files", str(rides()), "--json"]
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=120)
        os.close(writer)
        assert (done.returncode, done.stderr) == (0, b"")

    def test_json_is_utf_8_whatever_the_terminal_takes(self, tmp_path: Path) -> None:
        file = tmp_path / "schema.ddl"
        file.write_text("a INT COMMENT 'größe'", "utf-8")
        ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
        requested = ("convert-schema", str(file), "--from", "ddl", "--to", "avro")
        assert "größe" in self.run(*requested, "--json", env=ascii_only).stdout.decode("utf-8")
        shown = self.run(*requested, env=ascii_only)
        assert (shown.returncode, "gr??e" in shown.stdout.decode("ascii")) == (0, True)

    def test_the_version_is_that_of_the_package(self) -> None:
        assert self.run("--version").stdout.startswith(b"hudi-core ")

    def test_garbage_is_looked_for_in_what_a_command_makes_alone(self) -> None:
        """CLI-1070."""
        shown = "import atexit, gc; atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000))"
        program = f"{shown}; from hudi_core.cli.main import run; run()"
        done = subprocess.run(
            [sys.executable, "-c", program, "timeline", str(rides())], capture_output=True, timeout=120
        )
        assert done.stdout.splitlines()[-1] == b"True True"
