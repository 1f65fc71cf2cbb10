"""Columns that a table's properties name, dropped and renamed."""

from __future__ import annotations

import pytest

import hudi_core
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.diff import find_lost_names
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from tests.support.commands import ran, rides

INNER = t.Record((t.Field(0, "b", t.Int()), t.Field(0, "c", t.Int())))
SCHEMA = Schema(
    record_with_ids(t.Record((t.Field(0, "id", t.Int()), t.Field(0, "a", INNER), t.Field(0, "p", t.Date()))))
)
NAMED = {"keys": ("id", "a.b"), "partitions": ("p", "not_in_files"), "ordering": ()}


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ("drop column id", ["id is dropped, and keys names it"]),
        ("rename column p to day", ["p is renamed to day, and partitions names it"]),
        ("rename column a to z", ["a.b is renamed to z.b, and keys names it"]),
        (
            "drop column a; drop column p",
            ["a.b is dropped, and keys names it", "p is dropped, and partitions names it"],
        ),
        ("drop column id; add column id int", ["id is dropped, and keys names it"]),
        ("drop column a.c; add column x int first; alter column id type bigint; move column p first", []),
        ("rename column id to key; rename column key to id", []),
    ],
)
def test_lost_columns_are_reported_with_the_property_that_names_them(changes: str, lost: list[str]) -> None:
    """CHANGE-10."""
    reported = find_lost_names(SCHEMA, evolve(SCHEMA, changes), NAMED)
    assert [item.partition(": ")[0] for item in reported] == lost


def test_a_table_warns_for_its_own_columns_and_writes_nothing() -> None:
    table = hudi_core.open(rides())
    with pytest.warns(UserWarning) as reported:
        after = table.evolved("rename column ride_id to id; drop column started_at; rename column city to town")
    assert [str(item.message).partition(",")[0] for item in reported] == [
        "ride_id is renamed to id",
        "city is renamed to town",
        "started_at is dropped",
    ]
    assert {item.filename for item in reported} == {__file__}
    assert "id" in after and "ride_id" in table.schema
    assert table.evolved("drop column note").names == [name for name in table.schema.names if name != "note"]


def test_the_command_warns_on_standard_error() -> None:
    answer = ran("evolve", rides(), "drop column city", "--json")
    assert answer.err == (
        "warning: city is dropped, and hoodie.table.partition.fields names it: the property has to change with the schema\n"
    )
    assert ran("evolve", rides(), "drop column note", "--json").err == ""
