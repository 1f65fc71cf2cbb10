"""What people and programs are shown of records and values."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from rich.console import Console

from hudi_core.cli import output
from hudi_core.cli.output import Output, cell, printable, say, value_text
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t

_ROWS = [{"name": "a" * 30, "note": "first"}, {"name": "b", "note": "word " * 12}]


def shown_at(width: int, monkeypatch: pytest.MonkeyPatch, *, folded: tuple[str, ...] = ()) -> list[str]:
    """A table as a terminal of this width has it."""
    screen = StringIO()
    terminal = Console(file=screen, width=width, force_terminal=True, color_system=None)
    monkeypatch.setattr(output, "_Console", lambda **_: terminal)
    Output(as_json=False).rows(("name", "note"), _ROWS, folded=folded)
    return [line.rstrip() for line in screen.getvalue().splitlines()]


def test_a_wide_terminal_has_a_row_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(shown_at(120, monkeypatch)) == 3


def test_headings_have_spaces_for_underscores_but_not_in_columns_of_the_users(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Output(as_json=False).rows(("user_id", "record_key"), [{"user_id": 1, "record_key": "a"}], verbatim=("user_id",))
    heading, _ = capsys.readouterr().out.splitlines()
    assert heading.split("  ") == ["user_id", "record key"]


def test_a_narrow_terminal_folds_only_foldable_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_at(60, monkeypatch, folded=("note",))
    assert len(shown) > 3
    assert max(map(len, shown)) <= 60
    assert all(line[:32].strip() in ("", "name", "a" * 30, "b") for line in shown)
    assert "".join(line[32:] + " " for line in shown).split() == ["note", "first", *["word"] * 12]


def test_entries_of_too_wide_rows_are_listed_below_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_at(40, monkeypatch)
    assert shown[0] == "── 1 ──"
    assert shown[1] == f"name  {'a' * 30}"
    assert max(map(len, shown)) <= 40
    assert " ".join(shown).count("word") == 12


def test_a_pipe_has_a_row_a_line_without_blanks_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=False).rows(("name", "note"), _ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines == [line.rstrip() for line in lines]


def test_columns_without_a_value_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=False).rows(("a", "b"), [{"a": 1, "b": None}, {"a": 2_000, "b": ""}])
    assert capsys.readouterr().out == "    a\n    1\n2,000\n"


def test_programs_get_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=True).rows(("a",), [{"a": 1, "b": None}, {"ü": "\ud800"}])
    assert capsys.readouterr().out == '{"a": 1, "b": null}\n{"ü": "\\ud800"}\n'


def test_lines_for_people_are_not_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(as_json=True)
    out.text("a")
    out.heading("b")
    assert capsys.readouterr().out == ""


def test_rows_of_data_keep_their_names_and_align_numbers_by_type(capsys: pytest.CaptureFixture[str]) -> None:
    schema = Schema(t.Record((t.Field(0, "unit_price", t.Decimal(9, 2)), t.Field(1, "n_o", t.String()))))
    Output(as_json=False).data(schema, [{"unit_price": "1234.50", "n_o": "x"}, {"unit_price": None, "n_o": ""}])
    assert capsys.readouterr().out == "unit_price  n_o\n   1234.50  x\n      null\n"


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (None, "null"),
        (True, "true"),
        ("", ""),
        (12345, "12345"),
        ({"float": "NaN"}, "NaN"),
        ({"base64": "AAE="}, "AAE="),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ("a\nb\x1b[0m", "a\\nb\\x1b[0m"),
        ("x" * 300, f"{'x' * 200}… (300 characters)"),
    ],
)
def test_value_of_a_table_is_one_line(value: object, answer: str) -> None:
    assert value_text(value) == answer


@pytest.mark.parametrize(
    ("value", "answer"),
    [(None, "-"), (False, "no"), (1234567, "1,234,567"), (["a", "b"], "a, b"), ([], "-"), ([1], "[1]"), (0.5, "0.5")],
)
def test_value_of_a_report(value: object, answer: str) -> None:
    assert cell(value) == answer


def test_control_characters_are_escaped() -> None:
    assert printable("größe 你好") == "größe 你好"
    assert printable("a\tb\r\u202e") == "a\\tb\\r\\u202e"


def test_messages_keep_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    say("one\n  ^\x07")
    assert screen.getvalue() == "one\n  ^\\x07\n"
