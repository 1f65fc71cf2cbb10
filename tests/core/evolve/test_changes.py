"""Changes as data."""

from __future__ import annotations

from hudi_core.evolve.changes import AddColumn, DropColumn, Last, path_of, write_dotted
from hudi_core.types.nodes import ABSENT, Int


def test_a_path_is_a_dotted_string_or_a_sequence_of_names() -> None:
    assert path_of("a.b") == ("a", "b") == path_of(("a", "b"))
    assert write_dotted(("a", "b")) == "a.b" == write_dotted("a.b")


def test_names_with_dots_are_given_as_a_tuple() -> None:
    assert path_of(("a.b",)) == ("a.b",)


def test_changes_are_equal_by_content() -> None:
    assert AddColumn("a", Int()) == AddColumn("a", Int(), None, Last(), ABSENT, True)
    assert DropColumn("a") != DropColumn("b")
