"""`locate`: records by values of a column with a secondary index; what misuse is told."""

from __future__ import annotations

import pytest

from tests.support.commands import ran, rides


def test_column_without_a_secondary_index_is_told() -> None:
    """INDEX-23."""
    said = ran("locate", rides(), "city", "Oslo")
    assert said.status == 1
    assert said.error.endswith("expected a secondary index of city, found none")


@pytest.mark.parametrize(("column", "value", "told"), [("nowhere", "x", "nowhere"), ("fare", "much", "'much'")])
def test_columns_and_values_that_are_none_are_told(column: str, value: str, told: str) -> None:
    said = ran("locate", rides(), column, value)
    assert said.status == 2
    assert told in said.error


def test_values_are_asked_for() -> None:
    assert ran("locate", rides(), "city").status == 2
