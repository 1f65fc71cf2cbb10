"""A nested type taken apart and closed again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hudi_core.errors import UnknownColumnError
from hudi_core.evolve.draft import Draft
from hudi_core.types import nodes as t

INNER = t.Record((t.Field(2, "x", t.Int()), t.Field(3, "X", t.Int())))
RECORD = t.Record((t.Field(0, "a", t.Int()), t.Field(1, "s", INNER)))


def test_unchanged_parts_are_the_very_same_objects() -> None:
    draft = Draft(RECORD)
    draft.inside(draft.get(("s",), "s"))
    assert draft.close() is RECORD


def test_changes_inside_are_closed_from_the_inside_out() -> None:
    draft = Draft(RECORD)
    inner = draft.inside(draft.get(("s",), "s"))
    inner.put(replace(inner.get(("s", "x"), "s.x"), name="y"))
    draft.put(replace(draft.get(("s",), "s"), name="t"))
    closed = draft.close()
    assert isinstance(closed, t.Record)
    assert [field.name for field in closed.fields] == ["a", "t"]
    assert [field.name for field in t.children(closed.fields[1].type)] == ["y", "X"]


def test_holder_finds_a_name_in_any_case_unless_case_counts() -> None:
    draft = Draft(INNER)
    assert draft.holder("x", case_sensitive=False) == "x"
    draft.remove(draft.get(("x",), "x"))
    assert draft.holder("x", case_sensitive=False) == "X"
    assert draft.holder("x", case_sensitive=True) is None
    assert draft.holder("y", case_sensitive=False) is None


def test_a_missing_name_is_an_error_with_the_ones_that_come_close() -> None:
    with pytest.raises(UnknownColumnError, match=r"s\.xx: no such column; did you mean s\.x or s\.X\?"):
        Draft(INNER).get(("s", "xx"), "s.xx")
