"""Errors of the package: their text is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import hudi_core
from hudi_core.errors import HudiError, RowError, in_one_line


@pytest.mark.parametrize("control", ["\n", "\r", "\x1b", "\x85", "\u2028", "\0", "\t"])
def test_characters_that_control_a_terminal_are_escapes(control: str) -> None:
    """TABLE-1494."""
    shown = repr(control)[1:-1]
    error = HudiError(f"a{control}b", expected=f"c{control}d", found=control, message=control, hint=control)
    assert control not in str(error)
    assert str(error).count(shown) == 5
    assert error.where == f"a{control}b"
    assert str(RowError(0, expected="a", found="b", path=control)) == f"{shown}: row 1: expected a, found b"


def test_other_characters_stay() -> None:
    """TABLE-1494."""
    assert in_one_line("é ☃ \u3000 'x' \\n") == "é ☃ \u3000 'x' \\n"


def test_paths_and_columns_with_line_breaks_are_errors_of_one_line(tmp_path: Path) -> None:
    """TABLE-1494."""
    calls = (
        lambda: hudi_core.open(f"{tmp_path}/a\nb"),
        lambda: hudi_core.create(tmp_path / "t", [{"id": 1, "a\nb": 2}], "id"),
        lambda: hudi_core.create(tmp_path / "t", [{"id": 1}], "a\nb"),
    )
    for call in calls:
        with pytest.raises(HudiError) as refused:
            call()
        assert len(str(refused.value).splitlines()) == 1
