"""Choosing and ordering columns (SCHEMA-5, QUERY-1472)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_core.errors import UnknownColumnError, UsageError
from hudi_core.schema.ids import record_with_ids
from hudi_core.schema.project import choose_columns, in_order, optional_inside, project, with_all_optional
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.disguised import variant
from hudi_core.types.walk import walk
from hudi_core.values.domain import check
from tests.support.drawing import cases
from tests.support.strategies import schemas


def field(name: str, of: t.Type, default: object = t.ABSENT) -> t.Field:
    return t.Field(0, name, of, optional=False, default=default)


PAIR = t.Record((field("x", t.Int()), field("y", t.String())), name="Pair", doc="two")
TABLE = Schema(
    record_with_ids(
        t.Record(
            (
                field("a", t.Array(field("element", PAIR))),
                field("m", t.Map(field("key", t.String()), field("value", PAIR))),
                field("s", PAIR, default=(1, "one")),
                field("v", variant()),
                field("z", t.Int()),
            )
        )
    )
)


def names(schema: Schema) -> list[str]:
    return [".".join(path) for path, _ in walk(schema.record)]


def test_a_chosen_column_comes_with_all_in_it_and_all_around_it() -> None:
    assert names(project(TABLE, ["z", "s"])) == ["s", "s.x", "s.y", "z"]
    assert names(project(TABLE, ["a.element.y"])) == ["a", "a.element", "a.element.y"]


def test_choosing_a_column_and_one_in_it_chooses_all_of_it() -> None:
    for columns in (["s.x", "s"], ["s", "s.x"]):
        assert names(project(TABLE, columns)) == ["s", "s.x", "s.y"]


def test_a_map_keeps_its_key_and_a_variant_all_of_it() -> None:
    assert names(project(TABLE, ["m.value.x"])) == ["m", "m.key", "m.value", "m.value.x"]
    assert names(project(TABLE, ["m.key"])) == ["m", "m.key", "m.value", "m.value.x", "m.value.y"]
    assert names(project(TABLE, ["v.value"])) == ["v", "v.metadata", "v.value"]


def test_order_is_the_schemas_or_the_askers() -> None:
    assert [f.name for f in project(TABLE, ["z", "a"]).fields] == ["a", "z"]
    assert [f.name for f in project(TABLE, ["z", "a"], requested_order=True).fields] == ["z", "a"]


def test_ids_attributes_and_the_greatest_id_stay() -> None:
    chosen = project(TABLE, ["s.y"])
    assert chosen.max_column_id == TABLE.max_column_id
    assert chosen.get("s.y").field == TABLE.get("s.y").field
    record = chosen.get("s").field.type
    assert isinstance(record, t.Record)
    assert (record.name, record.doc) == ("Pair", "two")


def test_a_default_takes_the_form_of_what_is_chosen() -> None:
    assert project(TABLE, ["s.y"]).get("s").field.default == ("one",)
    turned = in_order(TABLE, {("s", "y"): 0, ("s", "x"): 1})
    assert turned.get("s").field.default == ("one", 1)


def test_an_unknown_column_is_an_error() -> None:
    with pytest.raises(UnknownColumnError, match=r"s\.q"):
        project(TABLE, ["s.q"])
    with pytest.raises(UnknownColumnError):
        project(TABLE, ["Z"])
    assert names(project(TABLE, ["Z"], case_sensitive=False)) == ["z"]


def test_fields_without_a_position_come_last_in_their_order() -> None:
    found = in_order(TABLE, {("z",): 0, ("s",): 1, ("s", "y"): 0})
    assert [f.name for f in found.fields] == ["z", "s", "a", "m", "v"]
    assert [".".join(path) for path, _ in walk(found.get("s").field.type)] == ["y", "x"]


def test_all_optional_means_null_by_default() -> None:
    found = with_all_optional(TABLE)
    assert all(f.optional and f.default is None for f in found.fields)
    assert found.get("s.x").field == TABLE.get("s.x").field


@given(schemas(named=False), st.data())
@settings(max_examples=cases(60), deadline=None)
def test_a_choice_is_a_part_of_the_schema_with_defaults_that_fit(schema: Schema, data: st.DataObject) -> None:
    paths = [path for path, _ in walk(schema.record)]
    requested = data.draw(st.lists(st.sampled_from(paths), max_size=4)) if paths else []
    chosen = project(schema, requested)
    kept = {path for path, _ in walk(chosen.record)}
    assert set(requested) <= kept <= set(paths)
    assert [path for path in paths if path in kept] == [path for path, _ in walk(chosen.record)]
    for path, item in walk(chosen.record):
        assert item.id == schema.get(path).field.id
        if item.default is not t.ABSENT:
            check(item.default, item.type)


def test_a_query_names_each_column_once() -> None:
    """QUERY-1472."""
    assert names(choose_columns(TABLE, ["s.x", "s"], case_sensitive=True)) == ["s", "s.x", "s.y"]
    for columns, case_sensitive in ((["s.x", "s", "s.x"], True), (["s.x", "S.X"], False)):
        with pytest.raises(UsageError, match=rf"^columns: expected each column once, found s.x, {columns[-1]}$"):
            choose_columns(TABLE, columns, case_sensitive=case_sensitive)
    with pytest.raises(UnknownColumnError):
        choose_columns(TABLE, ["s.x", "S.X"], case_sensitive=True)


@given(schemas(named=False))
@settings(max_examples=cases(60), deadline=None)
def test_fields_inside_a_type_become_optional_at_all_depths(schema: Schema) -> None:
    before, after = dict(walk(schema.record)), dict(walk(optional_inside(schema.record)))
    assert before.keys() == after.keys()
    for path, field in after.items():
        assert field.id == before[path].id
        assert field.optional or path[-1] == "key"
