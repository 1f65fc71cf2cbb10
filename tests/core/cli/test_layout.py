"""Tables within a width."""

from __future__ import annotations

from time import perf_counter

from rich.console import Console
from rich.text import Text

from hudi_core.cli.layout import Column, entries, layout


def column(name: str, *cells: str, **options: bool) -> Column:
    return Column(name, name, [Text(cell) for cell in cells], **options)


def lines(columns: list[Column], width: int) -> list[str]:
    made = layout(columns, width)
    assert made is not None
    return [line.plain for line in made.lines(Console(width=width))]


def test_what_fits_is_left_as_it_is() -> None:
    assert lines([column("a", "x", "yy"), column("n", "1", "20", right=True)], 20) == ["a    n", "x    1", "yy  20"]


def test_headings_go_over_several_lines_before_anything_is_folded() -> None:
    """CLI-670."""
    assert lines([column("rows in all", "12", right=True), column("x", "a b c")], 14) == [
        "rows  x",
        "  in",
        " all",
        "  12  a b c",
    ]


def test_an_identifier_loses_its_middle_and_a_value_its_end() -> None:
    """CLI-670."""
    identifier = column("id", "1db417b4-53f6-4b6d-92ed-3a8e1761f85d-0", elided=True)
    assert lines([identifier], 20)[1] == "1db417b4-5…761f85d-0"
    assert lines([column("v", "x" * 40, cut=True)], 24)[1] == "x" * 23 + "…"
    assert len(lines([column("v", "你" * 40, cut=True)], 24)[1].rstrip()) <= 13


def test_a_text_goes_below_its_row_where_there_is_no_room_beside_it() -> None:
    """CLI-670."""
    rows = [column("step", "a" * 20, "b"), column("note", "one two three four five six", "-", wraps=True, below=True)]
    assert lines(rows, 30) == ["step", "a" * 20, "    note: one two three four", "    five six", "b"]


def test_spare_columns_are_left_out_first_then_those_at_the_end() -> None:
    """CLI-670."""
    rows = [column("a", "x" * 10), column("b", "y" * 10, spare=True), column("c", "z" * 10), column("d", "w" * 10)]
    assert [list(layout(rows, width).left_out) for width in (46, 45, 34, 33, 10)] == [  # type: ignore[union-attr]
        [],
        ["b"],
        ["b"],
        ["b", "d"],
        ["b", "c", "d"],
    ]
    assert layout(rows, 9) is None


def test_the_width_that_is_left_goes_back_to_what_was_cut() -> None:
    rows = [column("a", "x" * 40, cut=True), column("b", "y" * 30)]
    assert lines(rows, 45)[1] == "x" * 40


def test_entries_fold_beside_their_names() -> None:
    text = Text("word " * 6)
    shown = [line.plain for line in entries(["name", "n"], [text, Text("1")], Console(width=20))]
    assert shown == ["name  word word word", "      word word word", "n     1"]


def test_thousands_of_columns_are_laid_out_at_once() -> None:
    rows = [column(f"c{number}", "value " * 10, cut=True, spare=True) for number in range(2_000)]
    begun = perf_counter()
    made = layout(rows, 80)
    assert made is not None
    assert len(made.left_out) == 1_997
    assert perf_counter() - begun < 5
