"""Words of other tools, and what they are here.

Also covers: `cli/other_tools.py`.
"""

from __future__ import annotations

import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from hudi_core.cli.application import command_function
from hudi_core.cli.other_tools import BEHIND, COMMANDS, OF_COMMANDS, OPTIONS
from hudi_core.errors import UsageError
from hudi_core.table.open import open_table
from tests.support.commands import ran, rides


def refusal(typed: str) -> str:
    """The error of a command line, in which T is the table."""
    words = [str(rides()) if word == "T" else word for word in shlex.split(typed)]
    refused = ran(*words)
    assert refused.status == 2
    return refused.error.replace(str(rides()), "T")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("vacuum T RETAIN 168 HOURS", "clean T"),
        ("vacum T", "clean TABLE"),
        ("optimize T", "cluster T"),
        ("log", "commits TABLE"),
        ("history T", "commits T"),
        ("describe history T", "commits T"),
        ("describe T", "inspect T"),
        ("show T", "read T"),
        ("show commits", "commits TABLE"),
        ("show T commits", "commits T"),
        ("commits show", "commits TABLE"),
        ("compaction schedule T", "compact T --plan-only"),
        ("clustering run", "cluster TABLE"),
        ("cleans run", "clean TABLE"),
        ("savepoint create T", "savepoint T"),
        ("savepoint rollback --savepoint 1", "restore TABLE SAVEPOINT"),
        ("savepoints show T", "savepoint T --list"),
        ("schema show T", "schema T"),
        ("index create T", "index build T KIND"),
        ("indexes", "index list TABLE"),
        ("restor", "restore"),
        ("partition", "partitions"),
        ("CALL show_commits", "commits TABLE"),
        ("call system.run_compaction(table => 'rides')", "compact TABLE"),
        ("upsert T where", "write T FILE --op upsert"),
    ],
)
def test_words_of_other_tools_get_the_right_command(typed: str, meant: str) -> None:
    """CLI-676, CLI-1220."""
    error = refusal(typed)
    assert error.startswith("hudi-core: no such command ")
    assert error.endswith(
        f"; did you mean hudi-core {meant.replace('TABLE', 'T' if ' T' in typed else 'TABLE')}? See hudi-core --help"
    )


@pytest.mark.parametrize("line", sorted({line for line in COMMANDS.values() if line[:1] not in ("", "-")}))
def test_each_command_line_that_is_named_can_be_typed(line: str) -> None:
    """CLI-1220."""
    words = line.replace("'SELECT …'", "Q").split()
    places = list(takewhile(lambda word: word.islower() and not word.startswith("-"), words))
    options = ran(*places, "--help").out
    assert callable(command_function(" ".join(places)))
    assert all(f"{word} " in options or f"{word}," in options for word in words if word.startswith("--"))


@pytest.mark.parametrize("word", ["upgrade", "qqq"])
def test_a_word_that_nothing_here_does_gets_no_hint(word: str) -> None:
    """CLI-1220."""
    assert refusal(word) == f"hudi-core: no such command {word!r}; see hudi-core --help"


def test_a_folder_is_a_table_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1220."""
    (tmp_path / "show").symlink_to(rides())
    monkeypatch.chdir(tmp_path)
    assert ran("commits", "show", "--json").out == ran("commits", rides(), "--json").out


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("read T --filter 'fare > 95'", "no such option: --filter; did you mean --where?"),
        ("read T --order-by fare", "no such option: --order-by; hudi-core sql T 'SELECT …' does that"),
        ("cluster T --by city", "no such option: --by; did you mean --columns?"),
        ("read T -l 5", "no such option: -l; did you mean --limit?"),
        ("clean T --retain 168", "no such option: --retain; did you mean --keep-hours?"),
        ("compact T --schedule", "no such option: --schedule; did you mean --plan-only?"),
        ("validate T --repair", "no such option: --repair; did you mean --mend?"),
        ("index drop T files --yes", "no such option: --yes; no command asks for confirmation"),
        ("read T --colums fare", "no such option: --colums; did you mean --columns?"),
        ("read T 'fare > 95'", "(fare > 95); did you mean --where 'fare > 95'?"),
        ("head T 5 rows", "(5 rows); did you mean --limit 5?"),
        ("read T T", "(T); a command takes one table"),
        ("index T build", "(build); did you mean hudi-core index build T?"),
        ("stats T fare", "missing option '--column' / '-c'; did you mean --column fare?"),
        ("update T 'fare = 3'", "missing option '--set'; did you mean --set 'fare = 3'?"),
        ("delete T keys.csv", "to delete the keys of a file: hudi-core write T keys.csv --op delete"),
        ("delete T", "; hudi-core write T FILE --op delete deletes the keys of a file, "),
        ("delete T --keys keys.csv", "hudi-core write T FILE --op delete does that"),
    ],
)
def test_another_option_or_one_word_more_gets_the_option_that_is_meant(typed: str, hint: str) -> None:
    """CLI-1220."""
    assert hint in refusal(typed)


def test_options_that_are_named_are_there() -> None:
    """CLI-1220."""
    known = " ".join(ran(*name.split(), "--help").out for name in BEHIND)
    meant = {*BEHIND.values(), *OF_COMMANDS["cluster"].values()}
    assert all(option in known for option in meant)
    others = ("read", "write", "create", "clean", "compact", "service", "validate", "savepoint", "evolve")
    rest = " ".join(ran(name, "--help").out for name in others)
    assert all(any(one in f"{known} {rest}" for one in options) for options in OPTIONS.values())


def test_a_table_that_does_not_come_first() -> None:
    """CLI-1220."""
    refused = ran("sql", "SELECT 1", rides())
    assert refused.error.endswith("; the table comes first")


@pytest.mark.parametrize(("option", "name"), [("--as-of", "--as-of"), ("--since", "--since"), ("--until", "--until")])
def test_a_time_that_cannot_be_read_is_an_error_about_its_option(option: str, name: str) -> None:
    """CLI-1221."""
    error = refusal(f"read T {option} yesterday")
    assert error.startswith(f"{name}: expected an instant (20261121124819754), a date (2026-11-21), ")
    assert error.endswith(", found 'yesterday'")


@pytest.mark.parametrize("name", ["as_of", "since", "until"])
def test_a_time_of_another_type_is_an_error_about_its_argument(name: str) -> None:
    """CLI-1221."""
    with pytest.raises(UsageError, match=rf"^{name}: expected a string, datetime or date, found 3\.5 \(float\)$"):
        open_table(str(rides())).scan(**{name: 3.5})  # type: ignore[arg-type]


def test_the_table_that_a_path_is_within_or_that_is_in_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CLI-1355."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places" / "rides" / ".hoodie").mkdir(parents=True)
    (tmp_path / "places" / "rides" / "city=oslo").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    ends = {
        "places": "found a folder without it; did you mean places/rides?",
        "places/rides/city=oslo": "; did you mean places/rides?",
        "empty": "found an empty folder",
        "notes.txt": "found a file",
        "nothing": "found no such folder",
    }
    for typed, end in ends.items():
        answer = ran("inspect", typed)
        assert (answer.status, answer.error.endswith(end)) == (1, True), answer.error


def test_a_predicate_of_one_word_is_to_be_quoted() -> None:
    """CLI-1355: the shell takes what is behind it."""
    assert '; put the whole predicate in quotes, as --where "fare > 5"' in ran("read", rides(), "--where", "fare").err
    assert "quotes" not in ran("read", rides(), "--where", "fare + 1").err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("read", "t", "--limit", "1", "-n", "2"), "--limit: expected once, found several times"),
        (("cluster", "t", "--strategy", "zorder2"), "found 'zorder2'; did you mean zorder?"),
        (("archive", "t", "--min", "5"), "no such option: --min; did you mean --keep-min?"),
        (("read", "t", "--verbose"), "it goes before the command: hudi-core --verbose read ..."),
    ],
)  # fmt: skip
def test_an_option_is_named_with_what_it_expects(arguments: tuple[str, ...], error: str) -> None:
    """CLI-1356."""
    answer = ran(*arguments)
    assert (answer.status, error in answer.error) == (2, True), answer.error


@pytest.mark.parametrize(
    ("option", "value"),
    [("--partition-by", "no"), ("--ordering", "no"), ("--type", "mro"), ("--table-version", "7"), ("--index", "no")],
)
def test_an_error_of_create_names_the_option(tmp_path: Path, option: str, value: str) -> None:
    """CLI-984: the words of the library's own arguments are not those that were typed."""
    rows = tmp_path / "rows.csv"
    rows.write_text("id,n\n1,2\n")
    answer = ran("create", tmp_path / "t", "--like", rows, "--key", "id", option, value)
    assert (answer.status, answer.error.startswith(f"{option}: expected ")) == (2, True), answer.error
    assert not (tmp_path / "t").exists()


def test_a_word_before_the_table_is_no_table() -> None:
    """CLI-1355."""
    answer = ran("partitions", "list", rides())
    assert f"; did you mean hudi-core partitions {shlex.quote(str(rides()))}?" in answer.error
    assert "a command takes one table" in ran("partitions", rides(), rides()).error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("write", "--option", "hoodie.x=1"), "--option: expected one of hoodie."),
        (("clean", "--keep-commits", "1", "--keep-hours", "2"), "found --keep-commits and --keep-hours"),
        (("cluster", "--columns", ""), "--columns: expected names separated by commas, found ''"),
        (("service", "--limit", "memory=lots"), "--limit memory: expected a size such as 134217728, 128MB or 1GiB"),
        (("cluster", "--columns", "id", "--target-file-size", "12QB"), "--target-file-size: expected a size such as"),
        (("evolve", "DROP COLUMN nope"), "nope: no such column; columns are id, n"),
    ],
)
def test_an_error_has_the_words_of_the_command_line(tmp_path: Path, arguments: tuple[str, ...], error: str) -> None:
    """CLI-984, CLI-1356."""
    rows = tmp_path / "rows.csv"
    rows.write_text("id,n\n1,2\n")
    ran("create", tmp_path / "t", "--like", rows, "--key", "id")
    command, *others = arguments
    files = [rows] if command == "write" else []
    answer = ran(command, tmp_path / "t", *files, *others)
    assert (answer.status, error in answer.error) == (2, True), answer.error


def test_kinds_of_indexes_may_have_commas_between_them(tmp_path: Path) -> None:
    """CLI-677: as `create --index` takes them."""
    rows = tmp_path / "rows.csv"
    rows.write_text("id,n\n1,2\n")
    ran("create", tmp_path / "t", "--like", rows, "--key", "id")
    ran("write", tmp_path / "t", rows)
    answer = ran("index", "build", tmp_path / "t", "column_stats,bloom_filters", "--dry-run", "--json")
    assert {"column_stats", "bloom_filters"} <= set(answer.lines[0]["built"])
