"""Options that are given several times: each counts, or the command is refused. No value is dropped without a word.

Also covers: `cli/predicates.py`.
"""

from __future__ import annotations

import shlex
from contextlib import chdir
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer

import hudi_core
from hudi_core.cli.application import app
from hudi_core.cli.arguments import names_and_values
from hudi_core.cli.predicates import conjunction
from hudi_core.errors import ExpressionError, UsageError
from hudi_core.tagging.choose import IndexType
from hudi_core.writing.spread.operations import spread_write
from tests.support.commands import ran, rides, rides_in
from tests.support.local_flow import local_rows

REPEATABLE = {"--where", "--set", "--option", "--build", "--argument", "--column", "--storage-option"}
"""Options of which each value counts: what a test below or that of their command shows."""


def options() -> list[Any]:
    """Every option of every command, with the arguments before it."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("hudi-core", ["inspect", "t"])
    found = [((), option) for option in group.params]
    for name in group.list_commands(context):
        found += [((name, "table"), option) for option in group.get_command(context, name).params]
    chosen = [(before, option) for before, option in found if option.param_type_name == "option"]
    return [
        pytest.param(before, option, id=f"{' '.join(before[:1])} {max(option.opts, key=len)}")
        for before, option in chosen
    ]


@pytest.mark.parametrize(("before", "option"), options())
def test_an_option_counts_each_time_or_is_taken_once(before: tuple[str, ...], option: Any) -> None:
    """CLI-200."""
    if option.multiple:
        assert max(option.opts, key=len) in REPEATABLE
        return
    for name in (*option.opts, *option.secondary_opts):
        given = [option.opts[0], name] if option.is_flag else [option.opts[0], "1", name, "2"]
        answer = ran(*before, *given, *(() if before else ("inspect", "table")))
        assert (answer.status, answer.out) == (2, "")
        assert f"{max(option.opts, key=len)}: expected once, found several times" in answer.error


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cities")
    rows = pa.table({"id": ["a", "b", "c"], "city": ["oslo", "rome", "oslo"], "fare": [5, 7, 90]})
    hudi_core.create(folder / "t", rows, key="id", indexes=["column_stats"]).insert(rows)
    return folder / "t"


BOTH = ("--where", "city = 'oslo' OR fare = 1", "--where", "fare < 50")


def test_several_predicates_are_true_together(cities: Path) -> None:
    """CLI-201: in whatever reads."""
    assert [row["id"] for row in ran("read", cities, *BOTH, "--json").lines] == ["a"]
    assert ran("read", cities, *BOTH, "--count", "--json").lines == [{"rows": 1}]
    never = ("--where", "fare > 1", "--where", "fare < 0")
    assert ran("files", cities, "--where", "fare > 1", "--json").lines != []
    assert ran("files", cities, *never, "--json").lines == []
    explained = ran("explain", cities, *never).out
    assert "(fare > 1) AND (fare < 0)" in explained
    records = ran("metadata", cities, "--partition", "files", "--where", "type = 2", "--where", "type = 1", "--json")
    assert records.lines == []


@pytest.mark.parametrize("kind", ["cow", "mor"])
def test_several_predicates_of_a_change_are_true_together(tmp_path: Path, kind: str) -> None:
    """CLI-201."""
    rows = pa.table({"id": ["a", "b", "c"], "city": ["oslo", "rome", "oslo"], "fare": [5, 7, 90]})
    hudi_core.create(tmp_path / "t", rows, key="id", type=kind).insert(rows)
    assert ran("update", tmp_path / "t", "--set", "fare = 6", *BOTH, "--json").lines[0]["updated"] == 1
    assert ran("delete", tmp_path / "t", *BOTH, "--json").lines[0]["deleted"] == 1
    left = hudi_core.open(tmp_path / "t").scan(columns=["id", "fare"]).to_arrow()
    assert sorted(zip(*left.to_pydict().values(), strict=True)) == [("b", 7), ("c", 90)]


def test_a_predicate_of_several_stands_for_itself() -> None:
    """CLI-201."""
    assert conjunction(()) is conjunction(None) is None
    assert conjunction(["n=1 -- so"]) == "n=1 -- so"
    assert conjunction(["n=1 -- so", "m = 2 OR k = 3"]) == "(n = 1) AND (m = 2 OR k = 3)"
    with pytest.raises(ExpressionError):
        conjunction(["n = 1) OR (m = 2", "k = 3"])


def test_a_current_folder_that_is_gone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-1641."""
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    answer = ran("count", "t")
    assert (answer.status, answer.error) == (1, "the current folder: No such file or directory")
    assert ran("count", rides()).status == 0


def test_a_name_has_one_value() -> None:
    """CLI-200."""
    assert names_and_values("--option", ["a=1", "b==2", "c="], "K=V") == {"a": "1", "b": "=2", "c": ""}
    with pytest.raises(UsageError, match=r"^--option: expected one value of a, found several$"):
        names_and_values("--option", ["a=1", "a=1"], "K=V")
    for wrong, text in (("a", "a name without ="), ("=1", "= without a name"), (" =1", "= without a name")):
        with pytest.raises(UsageError, match=rf"^--option: expected K=V, found {text}$"):
            names_and_values("--option", [wrong], "K=V")


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("validate T --only ''", "--only: expected names separated by commas, found ''"),
        (
            "validate T --only timeline,,footers",
            "--only: expected names separated by commas, found 'timeline,,footers'",
        ),
        ("validate T --only nope", "--only: expected checks among properties, "),
        ("service T --only nope", "--only: expected some of rollback, "),
        ("create x --like T/none.csv --key id --index ''", "T/none.csv: No such file or directory"),
        ("read T --as-of 2026 --since 2025", "--as-of: expected either a time or a range of times"),
        ("read T --overwrite", "--overwrite: expected --output FILE beside it, found none"),
        ("explain T --where 'fare > 1' --overwrite", "--overwrite: expected --html, found none"),
        ("report T --overwrite", "--overwrite: expected --html, found none"),
        ("timeline T --every 5s", "--every: expected --follow, found none"),
        ("stats T --column ''", "'': no such column; columns are ride_id"),
        ("trace T key --partition nope", "--partition: expected a partition of the table (city=amsterdam, "),
        ("dump T", "FILE: expected a file, found the folder T"),
        ("rollback T", "rollback: expected either an instant or --failed, found neither"),
        (
            "archive T --keep-min 5 --keep-max 2",
            "archive: expected a --keep-min of at least 1, and a --keep-max",
        ),
        (
            "clean T --keep-commits 1 --keep-hours 2",
            "clean: expected one of --keep-commits, --keep-versions, --keep-hours",
        ),
        ("update T --set ''", "--set: expected an assignment, as"),
        (
            "index lst T",
            "hudi-core: no such command 'index lst'; did you mean hudi-core index list? See hudi-core --help",
        ),
        ("read T --columns", "hudi-core read: option '--columns' requires an argument; see hudi-core read --help"),
        ("savepoint T --drop nope", "savepoint: expected a savepoint of the table (none), found nope"),
    ],
)
def test_errors_name_options_as_they_are_typed(typed: str, text: str) -> None:
    """CLI-984."""
    words = shlex.split(typed.replace("T", str(rides())))
    assert ran(*words).error.startswith(text.replace("T", str(rides()) if "/none" in text or "folder" in text else "T"))


def test_help_is_a_command_too() -> None:
    """CLI-984."""
    assert ran("help", "read").out == ran("read", "--help").out
    assert ran("help").out == ran("--help").out


def test_a_table_may_have_a_name_much_like_a_command_within_another(tmp_path: Path) -> None:
    """CLI-984."""
    for name in ("r1", "drops", "lists"):
        (tmp_path / name).symlink_to(rides())
        with chdir(tmp_path):
            assert ran("index", name, "--json").out == ran("index", "list", name, "--json").out != ""


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("read", "t", "--output", ""), "--output"), (("explain", "t", "--where", "a = 1", "--html", ""), "--html"),
        (("create", "t", "--like", "", "--key", "id"), "--like"), (("create", "t", "--schema", "", "--key", "id"), "--schema"),
        (("write", "t", ""), "INPUT"), (("report", "t", "--html="), "--html"),
    ],
)  # fmt: skip
def test_an_empty_text_is_no_path(arguments: tuple[str, ...], name: str) -> None:
    """CLI-1391."""
    answer = ran(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert f"{name}: expected a path or URL, found ''" in answer.error


@pytest.mark.parametrize("partitioned", [False, True])
def test_an_empty_text_is_no_partition(tmp_path: Path, partitioned: bool) -> None:
    """CLI-1527: that of a table without partitions would be the whole table."""
    table = hudi_core.create(
        tmp_path / "t", hudi_core.schema_of("id string, p string"), "id", partition_by="p" if partitioned else ()
    )
    table.append({"id": ["a", "b"], "p": ["x", "y"]})
    before = sorted(tmp_path.rglob("*"))
    for arguments in (
        ("delete-partition", ""), ("delete-partition", "/"), ("delete-partition", "x", ""), ("cluster", "--partitions", ""),
        ("cluster", "--partitions=x,,y"), ("cluster", "--partitions", " , "), ("cluster", "--dry-run", "--partitions", "x,"),
    ):  # fmt: skip
        command, *others = arguments
        answer = ran(command, tmp_path / "t", *others)
        name = "--partitions" if command == "cluster" else "PARTITION..."
        assert (answer.status, answer.out) == (2, ""), arguments
        assert f"{name}: expected the path of a partition, found ''" in answer.error, arguments
    assert sorted(tmp_path.rglob("*")) == before
    if partitioned:
        assert ran("delete-partition", tmp_path / "t", "x/").status == 0
        assert table.refresh().count() == 1


def test_a_size_of_a_cache_that_there_is_not_is_refused() -> None:
    """CLI-1528."""
    for command in ("read", "files"):
        answer = ran(command, rides(), "--footer-cache-mib", 5)
        assert (answer.status, answer.error) == (
            2,
            "--footer-cache-mib: expected --footer-cache FILE beside it, found none",
        )


def test_a_refused_choice_is_shown_as_its_word(tmp_path: Path) -> None:
    """WRITE-1585."""
    rows = tmp_path / "rows.csv"
    rows.write_text("ride_id\n1\n")
    answer = ran("write", rides_in(tmp_path), rows, "--op", "delete", "--missing-columns", "null")
    assert answer.error == "--missing-columns: expected no such option for a delete, found null"


def test_a_way_to_locate_keys_is_misuse_where_none_is_looked_up(tmp_path: Path) -> None:
    """WRITE-1593."""
    rows, table = tmp_path / "rows.csv", rides_in(tmp_path)
    rows.write_text("ride_id\n1\n")
    for op in ("insert", "append", "bulk_insert", "insert_overwrite", "insert_overwrite_table"):
        answer = ran("write", table, rows, "--op", op, "--index", "bloom")
        assert answer.error == f"--index: expected auto for {op}, which looks no keys up, found bloom"
    drops = ("--option", "hoodie.datasource.insert.dup.policy=drop", "--missing-columns", "null", "--dry-run")
    assert "--index" not in ran("write", table, rows, "--op", "insert", "--index", "bloom", *drops).error
    opened, options = hudi_core.open(table), hudi_core.WriteOptions(index=IndexType.BLOOM)
    with pytest.raises(UsageError, match="index: expected auto for append, which looks no keys up, found bloom"):
        spread_write(opened, local_rows(opened.engine, [pa.table({"ride_id": ["1"]})]), "append", options)
    with pytest.raises(UsageError, match="index: expected auto for a delete by predicate"):
        opened.delete(where="fare > 5", options=options)
    with pytest.raises(UsageError, match="index: expected auto for an update"):
        opened.update({"fare": 5}, options=options)


def test_an_empty_text_is_no_function(tmp_path: Path) -> None:
    """META-500: it is not taken for none, which is the column itself."""
    table = rides_in(tmp_path)
    answer = ran("index", "build", table, "expression_index", "--function", "", "--columns", "city")
    assert answer.status == 2
    assert "function" in answer.error and "found ''" in answer.error
