"""The meta columns."""

from __future__ import annotations

from hudi_core.schema.meta import META_COLUMNS, OPERATION, with_meta_columns, without_meta_columns
from hudi_core.types import nodes as t

USER = t.Record(
    (t.Field(0, "id", t.Int(), optional=False), t.Field(1, "_hoodie_is_deleted", t.Boolean())), name="R", doc="d"
)


def test_meta_columns_stand_first_with_the_first_ids() -> None:
    found = with_meta_columns(USER)
    assert [(f.id, f.name) for f in found.fields] == list(enumerate((*META_COLUMNS, "id", "_hoodie_is_deleted")))
    assert (found.name, found.doc) == ("R", "d")


def test_the_operation_is_the_sixth() -> None:
    assert with_meta_columns(USER, operation=True).fields[5].name == OPERATION


def test_a_user_column_of_that_name_gives_way() -> None:
    clash = t.Record((t.Field(0, META_COLUMNS[2], t.Long()), t.Field(1, "id", t.Int())))
    found = with_meta_columns(clash)
    assert [f.name for f in found.fields] == [*META_COLUMNS, "id"]
    assert found.fields[2].type == t.String()


def test_only_meta_columns_are_taken_away() -> None:
    assert [f.name for f in without_meta_columns(with_meta_columns(USER, operation=True)).fields] == [
        *("id", "_hoodie_is_deleted")
    ]
