"""Laws of schemas over time: ids, lookups, and rows read under a later schema."""

from __future__ import annotations

import contextlib
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hudi_core.errors import SchemaError
from hudi_core.evolve.apply import evolve
from hudi_core.evolve.changes import AlterType
from hudi_core.evolve.compat import incompatibilities, missing_columns
from hudi_core.evolve.identity import identify
from hudi_core.evolve.merge import Narrower, merge, requirements
from hudi_core.evolve.reconcile import Absent, Match, Stored, find_stored_column, reconcile
from hudi_core.schema.schema import Schema
from hudi_core.types import nodes as t
from hudi_core.types.walk import same
from hudi_core.values.cast import cast
from tests.support.evolution import changes, schemas
from tests.support.plans import apply_plan
from tests.support.strategies import rows_of


@st.composite
def chains(draw: st.DrawFn, types: bool = True) -> list[Schema]:
    """A schema and what it becomes by changes, the refused ones left out."""
    versions = [draw(schemas())]
    for _ in range(draw(st.integers(0, 8))):
        change = draw(changes(versions[-1]))
        if types or not isinstance(change, AlterType):
            with contextlib.suppress(SchemaError):
                versions.append(evolve(versions[-1], [change]))
    return versions


@given(chains())
def test_ids_stay_unique_never_return_and_lookups_are_true(versions: list[Schema]) -> None:
    gone: set[int] = set()
    for before, after in pairwise(versions):
        assert after.max_column_id >= before.max_column_id
        gone |= before.places.keys() - after.places.keys()
        assert not gone & after.places.keys()
        assert all(column_id > before.max_column_id for column_id in after.places.keys() - before.places.keys())
    last = versions[-1]
    assert len(last.places) == len(last.ids)
    for column_id, place in last.places.items():
        assert last.ids[place.path] == column_id == last.get(place.path).field.id
        of: t.Type = last.record
        for position in place.positions:
            field = t.children(of)[position]
            of = field.type
        assert field == place.field


@given(st.data())
def test_changes_in_one_call_are_changes_one_after_the_other(data: st.DataObject) -> None:
    """CHANGE-1."""
    start = step = data.draw(schemas())
    made = []
    for _ in range(data.draw(st.integers(0, 6))):
        change = data.draw(changes(step))
        with contextlib.suppress(SchemaError):
            step = evolve(step, [change])
            made.append(change)
    assert evolve(start, made) == step


def converted(stored: t.Type, wanted: t.Type, value: Any) -> Any:
    """A value read by hand: every wanted field looked up by id, every leaf cast on its own."""
    if value is None:
        return None
    match stored, wanted:
        case t.Record(), t.Record():
            held = {field.id: (field.type, part) for field, part in zip(stored.fields, value, strict=True)}
            return tuple(
                converted(held[field.id][0], field.type, held[field.id][1])
                if field.id in held
                else None
                if field.default is t.ABSENT
                else field.default
                for field in wanted.fields
            )
        case t.Array(had), t.Array(want):
            return tuple(converted(had.type, want.type, part) for part in value)
        case t.Map(value=had), t.Map(value=want):
            return tuple((key, converted(had.type, want.type, part)) for key, part in value)
        case _:
            return cast(stored, wanted)(value)


def outcome(read: Any) -> str:
    try:
        return repr(read())
    except SchemaError:
        return "refused"


@given(st.data())
def test_evolve_then_read_is_read_then_convert(data: st.DataObject) -> None:
    versions = data.draw(chains())
    file, wanted = versions[0], versions[-1]
    row = data.draw(rows_of(file))
    plan = reconcile(file, wanted, nulls_for_required=True)
    assert outcome(lambda: apply_plan(plan, row)) == outcome(lambda: converted(file.record, wanted.record, row))


@given(st.data())
def test_reading_by_way_of_versions_between_gives_the_same_rows(data: st.DataObject) -> None:
    """Without changes of type, which may round on the way."""
    versions = data.draw(chains(types=False))
    row = straight = data.draw(rows_of(versions[0]))
    straight = apply_plan(reconcile(versions[0], versions[-1], nulls_for_required=True), straight)
    for before, after in pairwise(versions):
        row = apply_plan(reconcile(before, after, nulls_for_required=True), row)
    assert repr(row) == repr(straight)


@given(st.data())
def test_a_stored_column_is_where_the_plan_reads_it(data: st.DataObject) -> None:
    versions = data.draw(chains())
    file, wanted = versions[0], versions[-1]
    row = data.draw(rows_of(file))
    read = outcome(lambda: apply_plan(reconcile(file, wanted, nulls_for_required=True), row))
    for column_id, place in wanted.places.items():
        if place.repeated or isinstance(place.field.type, t.Nested):
            continue
        found = find_stored_column(file, wanted, column_id)
        if read != "refused":
            value = at(apply_plan(reconcile(file, wanted, nulls_for_required=True), row), place.positions)
            match found:
                case Absent(constant, or_null):
                    assert repr(value) == repr(constant) or (or_null and value is None)
                case Stored(stored, promotion):
                    assert promotion is not None
                    below = at(row, stored.positions)
                    assert repr(value) == repr(cast(stored.field.type, place.field.type)(below))


def at(value: Any, positions: tuple[int, ...]) -> Any:
    for position in positions:
        value = None if value is None else value[position]
    return value


@given(schemas(), schemas(), st.booleans())
def test_a_merged_schema_reads_the_table_and_takes_the_batch(table: Schema, batch: Schema, missing: bool) -> None:
    try:
        merged = merge(table, batch, missing_optional=missing, narrower=Narrower.KEEP)
    except SchemaError:
        return
    assert merge(merged, batch, missing_optional=missing, narrower=Narrower.KEEP) is merged
    assert table.places.keys() <= merged.places.keys()
    assert not missing_columns(merged.record, table.record) or merged.max_column_id > table.max_column_id
    assert not missing_columns(batch.record, merged.record)
    reconcile(table, merged)
    reconcile(batch, merged, Match.NAME, nulls_for_required=True)


@given(schemas(), schemas(), st.randoms())
def test_the_order_of_a_batchs_columns_counts_for_new_ones_only(table: Schema, batch: Schema, random: Any) -> None:
    fields = list(batch.fields)
    random.shuffle(fields)
    results = []
    for columns in (batch.fields, tuple(fields)):
        try:
            results.append(merge(table, t.Record(columns)))
        except SchemaError:
            results.append(None)
    if results[0] is None or results[1] is None:
        assert results[0] is results[1]
        return
    known = len(table.fields)
    assert [f.name for f in results[0].fields[:known]] == [f.name for f in results[1].fields[:known]]
    assert {f.name for f in results[0].fields} == {f.name for f in results[1].fields}


@given(schemas(), schemas())
def test_a_batch_that_meets_the_requirements_asks_nothing_more(table: Schema, batch: Schema) -> None:
    once = requirements(batch.record, table.record)
    assert same(requirements(once, table.record), once)
    assert {field.name for field in once.fields} == {field.name for field in batch.fields}


@given(schemas(), schemas())
def test_compatible_data_can_be_read(reader: Schema, writer: Schema) -> None:
    assert not incompatibilities(writer.record, writer.record)
    if not incompatibilities(reader.record, writer.record):
        reconcile(writer, reader, Match.NAME)


@given(st.lists(schemas(), max_size=4))
def test_ids_by_name_let_every_version_be_read_as_every_other(versions: list[Schema]) -> None:
    found = identify(versions)
    greatest = [schema.max_column_id for schema in found]
    assert greatest == sorted(greatest)
    for before in found:
        for after in found:
            shared = [path for path in before.ids if path in after.ids and before.ids[path] == after.ids[path]]
            assert all(kind(before, path) == kind(after, path) for path in shared)


def kind(schema: Schema, path: tuple[str, ...]) -> type[t.Type] | None:
    of = schema.get(path).field.type
    return type(of) if isinstance(of, t.Nested) else None
