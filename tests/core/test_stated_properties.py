"""Properties under any of their names, and of several sources."""

from __future__ import annotations

from pathlib import Path

import pytest

import hudi_core
from hudi_core.errors import UsageError
from hudi_core.stated_properties import StatedProperties, property_texts

STATED = StatedProperties({"new": " 5 ", "old": "6", "empty": " ", "yes": "TRUE", "odd": "maybe", "below": "-2"})


def test_the_first_name_that_is_stated_counts() -> None:
    """CLEAN-380."""
    assert STATED.number("new", "old", default=1) == 5
    assert STATED.number("empty", "old", default=1) == 6
    assert STATED.number("none", "empty", default=1) == 1
    assert STATED.text("none") is None
    assert STATED.flag("yes", default=False)
    assert STATED.flag("none", default=True)


def test_what_is_no_such_value_is_refused() -> None:
    """CLEAN-380."""
    with pytest.raises(UsageError, match="odd: expected a whole number from 0 on, found 'maybe'"):
        STATED.number("odd", default=1)
    with pytest.raises(UsageError, match="odd: expected true or false"):
        STATED.flag("odd", default=True)
    with pytest.raises(UsageError, match="from -1 on, found '-2'"):
        STATED.number("below", default=-1, least=-1)


def test_the_first_source_that_states_something_counts() -> None:
    """CLEAN-380."""
    stated = StatedProperties.join({"a": " "}, {"a": "5", "b": "Green"}, {"a": "6", "b": "red"})
    assert stated.number("a", default=1) == 5
    assert stated.choice("b", {"red": 1, "GREEN": 2}) == 2
    assert stated.choice("c", {"red": 1}) is None
    with pytest.raises(UsageError, match="b: expected one of red, blue, found 'Green'"):
        stated.choice("b", {"red": 1, "blue": 2})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" true ", "true"),
        ("FALSE\t", "FALSE"),
        (" 5 ", "5"),
        ("-1 ", "-1"),
        (" ", " "),
        ("yyyy MM ", "yyyy MM "),
        ("5 a", "5 a"),
    ],
)
def test_truth_values_and_numbers_have_no_blanks(given: str, kept: str) -> None:
    """CREATE-1497: other texts, as formats of times, keep theirs."""
    assert property_texts({"p": given}, "options") == {"p": kept}


def test_a_new_table_states_truth_values_as_apache_hudi_reads_them(tmp_path: Path) -> None:
    """CREATE-1497."""
    hive = "hoodie.datasource.write.hive_style_partitioning"
    options = {hive: " true ", "hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": " 2 "}
    table = hudi_core.create(tmp_path / "t", [{"id": "a", "p": "x"}], "id", partition_by="p", options=options)
    table.upsert([{"id": "a", "p": "x"}])
    assert (tmp_path / "t" / "p=x").is_dir()
    lines = (tmp_path / "t/.hoodie/hoodie.properties").read_text().splitlines()
    assert f"{hive}=true" in lines
    assert "hoodie.bucket.index.num.buckets=2" in lines
