"""Options that are given several times: each counts, or the command is refused. No value is dropped without a word.

Also covers: `cli/predicates.py`.
"""

from __future__ import annotations

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
from tests.support.commands import ran

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
        assert f"invalid value for {max(option.opts, key=len)}: expected once, found several times" in answer.error


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


def test_a_name_has_one_value() -> None:
    """CLI-200."""
    assert names_and_values("--option", ["a=1", "b==2", "c="], "K=V") == {"a": "1", "b": "=2", "c": ""}
    with pytest.raises(UsageError, match=r"^--option: expected one value of a, found several$"):
        names_and_values("--option", ["a=1", "a=1"], "K=V")
    for wrong in ("a", "=1"):
        with pytest.raises(UsageError, match=r"^--option: expected K=V, found no = behind a name$"):
            names_and_values("--option", [wrong], "K=V")
