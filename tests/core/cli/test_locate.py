"""`locate`: records by values of a column with a secondary index; what misuse is told."""

from __future__ import annotations

import pytest

from tests.support.commands import ran, rides


def test_a_column_without_a_secondary_index_is_refused() -> None:
    """INDEX-23."""
    answer = ran("locate", rides(), "city", "Oslo")
    assert answer.status == 1
    assert answer.error.endswith(f"index build {rides()} secondary_index --columns city makes, found none")


@pytest.mark.parametrize(("column", "value", "reported"), [("nowhere", "x", "nowhere"), ("fare", "much", "'much'")])
def test_unknown_columns_and_invalid_values_are_refused(column: str, value: str, reported: str) -> None:
    answer = ran("locate", rides(), column, value)
    assert answer.status == 2
    assert reported in answer.error


def test_missing_values_are_misuse() -> None:
    assert ran("locate", rides(), "city").status == 2
