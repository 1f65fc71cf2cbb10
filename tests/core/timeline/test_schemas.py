"""Under which schema a table's files were written, and the ids of columns over its life.

Also covers: `timeline/history.py`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from hudi_core.engine import FileInfo
from hudi_core.errors import CorruptFileError, SchemaError, StorageError
from hudi_core.options import TableConfig, table_config
from hudi_core.schema.ids import GREATEST_ID, record_with_ids
from hudi_core.schema.meta import META_COLUMNS
from hudi_core.schema.schema import Schema
from hudi_core.timeline.schemas import SchemaHistory, read_recorded_history, schema_history
from hudi_core.timeline.timeline import timeline_in
from hudi_core.types import nodes as t
from tests.support.conformance import TableEntry, each_table
from tests.support.memory import Memory
from tests.support.tables import opened

FOURTH = t.Field(2, "new", t.Long(), optional=True, default=None)
"""A column that a write adds."""


def avro(*columns: str, **types: str) -> str:
    fields = [{"name": name, "type": types.get(name, "int")} for name in columns]
    return json.dumps({"type": "record", "name": "r", "fields": fields})


def persisted(version: int, **ids: int) -> dict[str, Any]:
    fields = [{"id": column, "name": name, "optional": True, "type": "int"} for name, column in ids.items()]
    return {"max_column_id": max(ids.values()), "version_id": version, "type": "record", "fields": fields}


def commit(schema: str | None = None, latest: dict[str, Any] | None = None, path: str | None = None) -> bytes:
    extra = {"schema": schema or "", "latest_schema": json.dumps(latest) if latest else None}
    stats = {"": [{"fileId": "f", "path": path}]} if path else {}
    return json.dumps({"extraMetadata": extra, "partitionToWriteStats": stats}).encode()


def no_footer(file: FileInfo) -> Schema:
    raise StorageError(file.path, message="no such file")


def config(**more: str) -> TableConfig:
    least = {"hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE", "hoodie.table.version": "9"}
    return table_config(least | {"hoodie.populate.meta.fields": "false"} | more)


def history(files: dict[str, bytes], until: str | None = None, **more: str) -> SchemaHistory:
    storage = Memory({name if "/" in name else f"t/{name}": content for name, content in files.items()})
    return schema_history(timeline_in(storage, "t", 2).as_of(until), config(**more), no_footer)


def ids(of: Schema) -> dict[str, int]:
    return {place.name: column for column, place in of.places.items()}


def test_a_column_that_only_a_file_has_is_none_of_the_table() -> None:
    """TIME-230: nor is it one that a write under way adds, which has the next id."""
    known = history({"1_2.commit": commit(avro("a", "b"))})
    after = replace(known.latest, record=replace(known.latest.record, fields=(*known.latest.fields, FOURTH)))
    stored = Schema(record_with_ids(t.Record((t.Field(0, "_hoodie_commit_time", t.String()), *known.latest.fields))))
    for version in (known, known.after("20300101000000000", after)):
        own = ids(version.identify(stored, 0))
        assert (own["a"], own["b"]) == (0, 1)
        assert own["_hoodie_commit_time"] > GREATEST_ID
        assert own["_hoodie_commit_time"] not in after.places


@pytest.mark.parametrize(
    ("names", "stored", "same"),
    [
        (("a", "b"), ("A", "B"), {"A": "a", "B": "b"}),
        (("a", "B"), ("B", "A"), {"A": "a", "B": "B"}),
        (("a", "b"), ("a", "A"), {"a": "a"}),  # the file has both
        (("ab", "c"), ("Ab", "AB"), {}),  # which one is meant is not known
        (("ab", "AB"), ("Ab",), {}),
    ],
)
def test_a_column_in_other_letters_case_is_the_one_of_its_version(
    names: tuple[str, ...], stored: tuple[str, ...], same: dict[str, str]
) -> None:
    """TIME-1569."""
    known = history({"1_2.commit": commit(avro(*names))})
    own = ids(known.latest)
    found = ids(known.identify(Schema(record_with_ids(t.Record(tuple(t.Field(0, n, t.Long()) for n in stored)))), 0))
    assert {name: column for name, column in found.items() if column <= GREATEST_ID} == {
        name: own[meant] for name, meant in same.items()
    }
    within = history({"1_2.commit": commit(avro("x"))})
    of_struct = Schema(record_with_ids(t.Record((t.Field(0, "S", t.Record((t.Field(0, "A", t.Long()),))),))))
    assert all(column > GREATEST_ID for column in ids(within.identify(of_struct, 0)).values())


@pytest.mark.parametrize("instant", ["00000000000000002", "00000000000000000"])
def test_a_write_under_way_has_its_place_in_the_history(instant: str) -> None:
    """TIME-32: also one that other writes overtook."""
    known = history({"00000000000000001_9.commit": commit(avro("a"))})
    after = replace(known.latest, record=replace(known.latest.record, fields=(*known.latest.fields, FOURTH)))
    whole = known.after(instant, after)
    assert whole.schemas[whole.number_at(instant)] == after == whole.latest
    assert whole.schemas[whole.number_at("00000000000000001")] == known.latest


def test_the_latest_commit_with_a_schema_counts() -> None:
    """TIME-30."""
    found = history(
        {"10_11.commit": commit(avro("a")), "20_21.commit": commit(avro("a", "b")), "30_31.commit": commit()}
    )
    assert ids(found.latest) == {"a": 0, "b": 1}
    assert [ids(item) for item in found.schemas] == [{"a": 0}, {"a": 0, "b": 1}]
    assert [found.number_at(time) for time in ("10", "15", "20", "25", "30")] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("versions", [(10,), (10, 20), (10, 20, 30)])
def test_the_schema_that_was_recorded_last_counts_where_there_is_no_history(versions: tuple[int, ...]) -> None:
    """TIME-33: commits may have one before the table has a history of schemas."""
    files = {f"t/{n}_{n + 1}.commit": commit(latest=persisted(n, a=0)) for n in versions}
    found = read_recorded_history(timeline_in(Memory(files | {"t/40_41.commit": commit()}), "t", 2))
    assert found is not None
    assert (found[0], found[1].version) == ("", versions[-1])
    assert read_recorded_history(timeline_in(Memory({"t/40_41.commit": commit()}), "t", 2)) is None


def test_instant_before_all_commits_is_not_certain() -> None:
    """TIME-32."""
    found = history({"10_11.commit": commit(avro("a"))})
    assert (found.number_at("05"), found.certain("05"), found.certain("10")) == (0, False, True)


def test_column_keeps_its_id_by_name_and_none_is_given_twice() -> None:
    """TIME-35."""
    found = history(
        {
            "10_11.commit": commit(avro("a", "b")),
            "20_21.commit": commit(avro("c", "a")),
            "30_31.commit": commit(avro("b", "a")),
        }
    )
    assert [ids(item) for item in found.schemas] == [{"a": 0, "b": 1}, {"c": 2, "a": 0}, {"b": 1, "a": 0}]
    assert found.latest.max_column_id == 2


def test_schema_at_an_earlier_time_is_that_of_its_commits() -> None:
    """TIME-32."""
    files = {"10_11.commit": commit(avro("a")), "20_21.commit": commit(avro("b"))}
    assert list(ids(history(files, until="15").latest)) == ["a"]


def test_hudis_own_columns_come_first_where_rows_have_them() -> None:
    """TIME-31."""
    found = history({"10_11.commit": commit(avro("a"))}, **{"hoodie.populate.meta.fields": "true"})
    assert ids(found.latest) == {name: at for at, name in enumerate((*META_COLUMNS, "a"))}


def test_schema_with_ids_in_the_commit_counts_before_names() -> None:
    found = history(
        {
            "10_11.commit": commit(avro("a", "b"), persisted(10, a=0, b=1)),
            "20_21.commit": commit(avro("b", "a"), persisted(20, b=0, a=1)),
        }
    )
    assert ids(found.latest) == {"b": 0, "a": 1}
    assert ids(found.schemas[found.number_at("10")]) == {"a": 0, "b": 1}


def test_the_latest_schema_with_ids_has_the_defaults_of_its_avro_text_where_both_have_the_same_columns() -> None:
    of_a = {"type": "record", "name": "n", "fields": [{"name": "a", "type": "int", "default": 7}]}
    old, new = commit(avro("z"), persisted(10, a=5)), commit(json.dumps(of_a), persisted(20, a=5))
    found = history({"10_11.commit": old, "20_21.commit": new, "30_31.commit": commit()}).latest
    assert (ids(found), found.version, found.record.fields[0].default) == ({"a": 5}, 20, 7)
    for differing in (commit(avro("a", "b"), persisted(20, a=5)), commit(latest=persisted(20, a=5))):
        found = history({"20_21.commit": differing}).latest
        assert (ids(found), found.version, found.record.fields[0].default) == ({"a": 5}, 20, None)


def test_files_of_archived_commits_were_written_under_the_versions_of_the_history() -> None:
    """TIME-34."""
    versions = [persisted(40, y=0), persisted(30, z=0), persisted(20, b=0), persisted(0, a=0)]
    found = history(
        {
            "40_41.commit": commit(avro("y"), persisted(40, y=0)),
            ".hoodie/.schema/40_41.schemacommit": json.dumps({"schemas": versions}).encode(),
        }
    )
    assert ids(found.latest) == {"y": 0}
    under = [ids(found.schemas[found.number_at(time)]) for time in ("10", "20", "25", "30", "40", "50")]
    assert under == [{"a": 0}, {"b": 0}, {"b": 0}, {"z": 0}, {"y": 0}, {"y": 0}]
    assert [found.certain(time) for time in ("10", "20", "30")] == [False, True, True]


@pytest.mark.parametrize("latest", [persisted(20, b=0), None])
def test_version_0_is_that_of_archived_commits_where_the_first_change_is_the_oldest_that_is_left(
    latest: dict[str, Any] | None,
) -> None:
    """TIME-34."""
    versions = {"schemas": [persisted(20, b=0), persisted(0, a=0)]}
    files = {
        "20_21.commit": commit(avro("b"), latest),
        ".hoodie/.schema/20_21.schemacommit": json.dumps(versions).encode(),
    }
    found = history(files)
    under = [ids(found.schemas[found.number_at(time)]) for time in ("10", "20", "30")]
    assert (ids(found.latest), under) == ({"b": 0}, [{"a": 0}, {"b": 0}, {"b": 0}])
    assert [found.certain(time) for time in ("10", "20")] == [False, True]


def test_a_history_document_of_a_commit_that_counts_covers_commits_without_ids() -> None:
    """TIME-34."""
    newest = {"schemas": [persisted(20, z=0, b=1), persisted(0, a=0, b=1)]}
    failed = {"schemas": [persisted(30, y=0), *newest["schemas"]]}
    found = history(
        {
            "10_11.commit": commit(avro("a", "b")),
            "20_21.commit": commit(avro("z", "b")),
            "30.inflight": b"",
            ".hoodie/.schema/20_21.schemacommit": json.dumps(newest).encode(),
            ".hoodie/.schema/20.schemacommit.inflight": b"",
            ".hoodie/.schema/30_31.schemacommit": json.dumps(failed).encode(),
        }
    )
    assert ids(found.latest) == {"z": 0, "b": 1}
    assert ids(found.schemas[found.number_at("10")]) == {"a": 0, "b": 1}


def test_the_newest_history_document_of_a_completed_commit_counts() -> None:
    """TIME-33."""
    old, new, failed = persisted(10, a=0), persisted(20, z=0), persisted(30, y=0)
    files = {
        "10_11.commit": commit(avro("a")),
        "20_21.commit": commit(avro("z")),
        "30.inflight": b"",
        "40_41.commit": commit(avro("z")),
        ".hoodie/.schema/10_11.schemacommit": json.dumps({"schemas": [old]}).encode(),
        ".hoodie/.schema/20_21.schemacommit": json.dumps({"schemas": [new, old]}).encode(),
        ".hoodie/.schema/30_31.schemacommit": json.dumps({"schemas": [failed, new, old]}).encode(),
    }
    found = history(files)
    assert [ids(found.schemas[found.number_at(time)]) for time in ("10", "20", "40")] == [{"a": 0}, {"z": 0}, {"z": 0}]
    assert ids(found.latest) == {"z": 0}
    assert ids(history(files, until="10").latest) == {"a": 0}


def test_table_without_schema_in_commits_has_that_of_a_file_or_of_its_creation() -> None:
    """TIME-30."""
    files = {"10_11.commit": commit(path="p/f-0_0-1-1_10.parquet")}
    footer = history({"1_2.commit": commit(avro("x"))}).latest
    storage = Memory({"t/10_11.commit": files["10_11.commit"]})
    assert schema_history(timeline_in(storage, "t", 2), config(), lambda _: footer).latest.record == footer.record
    created = {"hoodie.table.create.schema": avro("c")}
    assert ids(history(files, **created).latest) == ids(history({}, **created).latest) == {"c": 0}


def test_a_file_that_is_there_and_cannot_be_read_is_an_error_but_one_that_was_cleaned_away_is_not() -> None:
    files = {"10_11.commit": commit(path="p/f-0_0-1-1_10.parquet")}
    created = {"hoodie.table.create.schema": avro("c")}
    assert ids(history(files, **created).latest) == {"c": 0}
    with pytest.raises(StorageError, match=r"p/f-0_0-1-1_10\.parquet"):
        history(files | {"p/f-0_0-1-1_10.parquet": b"there"}, **created)


def test_a_table_without_a_schema_is_an_error() -> None:
    """TIME-30."""
    with pytest.raises(SchemaError, match="expected a schema"):
        history({"10_11.commit": commit()})


def test_damaged_history_is_an_error_that_names_the_file() -> None:
    files = {"10_11.commit": commit(avro("a")), ".hoodie/.schema/10_11.schemacommit": b"\xff"}
    with pytest.raises(CorruptFileError, match="schemacommit"):
        history(files)
    with pytest.raises(SchemaError, match="schemacommit"):
        history(files | {".hoodie/.schema/10_11.schemacommit": b"{"})


@each_table()
def test_schema_and_ids_of_every_table_are_as_recorded(entry: TableEntry) -> None:
    _, config, timeline = opened(entry.unpacked())
    found = schema_history(timeline, config, no_footer)
    recorded = entry.expected["schema"]
    latest = recorded.get("latest_table_schema_avro") or recorded.get("avro")
    names = [field.name for field in found.latest.fields if field.name not in META_COLUMNS]
    if latest is not None:
        assert names == [field["name"] for field in latest["fields"] if field["name"] not in META_COLUMNS]
    if recorded.get("internal_schema"):
        assert {field.name: field.id for field in found.latest.fields} == {
            field["name"]: field["id"] for field in recorded["internal_schema"]["fields"]
        }
    for item in recorded.get("per_commit") or []:
        schema = found.schemas[found.number_at(item["requested_time"])]
        answer = item["latest_schema"] or item["schema"]
        if answer:
            assert [field.name for field in schema.fields if field.name not in META_COLUMNS] == [
                field["name"] for field in answer["fields"] if field["name"] not in META_COLUMNS
            ]
        if item["latest_schema"]:
            assert {field.name: field.id for field in schema.fields} == {
                field["name"]: field["id"] for field in answer["fields"]
            }


def test_id_that_hudi_gave_twice_is_of_two_columns() -> None:
    """TIME-36."""
    first, without = persisted(0, a=0, b=1), persisted(20, a=0)
    again = persisted(30, a=0, c=1)
    found = history(
        {
            "10_11.commit": commit(avro("a", "b"), latest=first),
            "20_21.commit": commit(avro("a"), latest=without),
            "30_31.commit": commit(avro("a", "c"), latest=again),
            "40_41.commit": commit(avro("a", "c")),
            ".hoodie/.schema/30_31.schemacommit": json.dumps({"schemas": [again, without, first]}).encode(),
        }
    )
    at = {time: ids(found.schemas[found.number_at(time)]) for time in ("10", "20", "30", "40")}
    assert at == {"10": {"a": 0, "b": 1}, "20": {"a": 0}, "30": {"a": 0, "c": 2}, "40": {"a": 0, "c": 2}}
    assert ids(found.latest) == {"a": 0, "c": 2}
    assert found.latest.max_column_id == 2


def test_id_that_stays_is_of_one_column() -> None:
    found = history(
        {
            "10_11.commit": commit(avro("a", "b"), latest=persisted(0, a=0, b=1)),
            "20_21.commit": commit(avro("b", "c"), latest=persisted(20, b=1, c=2)),
        }
    )
    assert [ids(item) for item in found.schemas] == [{"a": 0, "b": 1}, {"b": 1, "c": 2}]
