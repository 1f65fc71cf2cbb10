"""Quotes of CSV files: one that ends a value comes before a comma or a line's end."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_arrow.incoming import csv_quotes
from hudi_arrow.incoming.csv_quotes import refuse_stray_quotes
from hudi_core.errors import CorruptFileError, RowError
from tests.support.drawing import cases

HEADER = "id,n,v\n"


def write(folder: Path, content: str) -> Path:
    file = folder / "rows.csv"
    file.write_bytes(content.encode())
    return file


@pytest.mark.parametrize(
    ("written", "row", "found"),
    [
        ('"x"y,1,2\n', 0, "'\"x\"y,1,2\\n'"),
        ('a,1,2\n\n\r\n"b\n",1,"2" \n', 1, "'\"2\" \\n'"),
        ('a,1,2\r\nb,1,""3\r\n', 1, "'\"\"3\\r\\n'"),
        ('"a,1,2\nb,1,2\n"c,1,2\n', 0, "'\"a,1,2\\nb,1,2\\n\"c,1,2\\n'"),
        ('"a\\"b",1,2\n', 0, '\'"a\\\\"b",1,2\\n\'; a backslash escapes no quote'),
        (
            '"' + "b" * 40 + '"" ""no" end",1,2\n' + "c" * 40,
            0,
            "...'" + "b" * 13 + '"" ""no" end",1,2\\n' + "c" * 10 + "'...",
        ),
    ],
)
def test_what_follows_a_quoted_value_is_refused(tmp_path: Path, written: str, row: int, found: str) -> None:
    """ROWS-1576: also where rows would be a part of the value."""
    with pytest.raises(RowError) as refused:
        refuse_stray_quotes(write(tmp_path, HEADER + written))
    assert refused.value.row == row
    expected = 'expected a comma or the end of the line behind a quoted value, and "" for each quote within it'
    assert str(refused.value).endswith(f"rows.csv: row {row + 1}: {expected}, found {found}")


def test_names_of_columns_have_no_row(tmp_path: Path) -> None:
    """ROWS-1576."""
    with pytest.raises(CorruptFileError, match=r"rows.csv: expected a comma .*, found '\"id\"s,n.* in the first line$"):
        refuse_stray_quotes(write(tmp_path, '\ufeff"id"s,n\na,1\n'))


@pytest.mark.parametrize(
    "content",
    [
        "",
        HEADER,
        'id\n5" pipe\n',
        'id\n "a"\n',
        'id,n\n"a""b",""\n',
        '\ufeff"id"\n"a\r\n,""\n"\n',
        '"id"',
        'a"b"c,d"\n',
    ],
)
def test_other_quotes_are_taken(tmp_path: Path, content: str) -> None:
    """ROWS-1576: a quote within a value without quotes is a part of it."""
    refuse_stray_quotes(write(tmp_path, content))
    assert find_by_steps(content.removeprefix("\ufeff")) is None


def find_by_steps(content: str) -> tuple[bool, int] | None:
    """Whether the first value that is refused is closed, and its line, of those that are not blank; byte by byte."""
    state, opened, lines, length, place = "begin", 0, 0, 0, 0
    while place < len(content):
        one, place = content[place], place + 1
        if state == "quoted":
            length += 1
            if one == '"' and content[place : place + 1] == '"':
                place += 1
            elif one == '"':
                if content[place : place + 1] not in ("", ",", "\r", "\n"):
                    return True, opened
                state = "plain"
        elif one in "\r\n":
            place += content[place - 1 : place + 1] == "\r\n"
            lines, length, state = lines + (length > 0), 0, "begin"
        else:
            length += 1
            if one == '"' and state == "begin":
                state, opened = "quoted", lines
            else:
                state = "begin" if one == "," else "plain"
    return (False, opened) if state == "quoted" else None


@settings(max_examples=cases(600), deadline=None)
@given(
    st.lists(st.sampled_from(['"', '"', '""', ",", "\n", "\r\n", "\r", "x", "\\", "é"]), max_size=24).map("".join),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from([1, 2, 3, 5, 1 << 22]),
)
def test_blocks_find_what_steps_find(
    tmp_path_factory: pytest.TempPathFactory, content: str, mark: str, size: int
) -> None:
    """ROWS-1576, ROWS-1272."""
    file = tmp_path_factory.getbasetemp() / "steps.csv"
    file.write_bytes((mark + content).encode())
    wanted = find_by_steps(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_quotes, "_BLOCK", size)
        if wanted is None:
            refuse_stray_quotes(file)
            return
        with pytest.raises((RowError, CorruptFileError)) as refused:
            refuse_stray_quotes(file)
    is_closed, line = wanted
    assert ("behind a quoted value" in str(refused.value)) == is_closed
    assert (refused.value.row + 1 if isinstance(refused.value, RowError) else 0) == line
