"""Record and partition keys of a schema."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import hudi_core
from hudi_core import Schema, UnknownColumnError, UsageError, evolve, merge_schemas, schema_of
from hudi_core.evolve.merge import Narrower
from tests.support.commands import rides

KEYED = schema_of(
    {"id": "string", "city": "string", "at": "struct<day:date>"}, record_keys="id", partition_keys=["city", "at.day"]
)


def keys(schema: Schema) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return schema.record_keys, schema.partition_keys


def test_keys_are_columns() -> None:
    """SCHEMA-980."""
    assert keys(KEYED) == (("id",), ("city", "at.day"))
    assert keys(schema_of("id bigint, n int", record_keys=["id", "n"])) == (("id", "n"), ())
    assert keys(schema_of({"id": "string"})) == ((), ())
    assert keys(KEYED.with_keys(partition_keys=())) == (("id",), ())
    with pytest.raises(UnknownColumnError, match="nothing: no such column"):
        KEYED.with_keys("nothing")
    with pytest.raises(UsageError, match="the name of a column"):
        KEYED.with_keys([3])  # type: ignore[list-item]


def test_keys_follow_their_columns() -> None:
    """SCHEMA-980: a renamed column is still of the key, a dropped one is not."""
    assert keys(evolve(KEYED, "RENAME COLUMN id TO ride; ADD COLUMN n int")) == (("ride",), ("city", "at.day"))
    assert keys(evolve(KEYED, "DROP COLUMN city")) == (("id",), ("at.day",))
    merged = merge_schemas(
        KEYED, schema_of({"id": "string", "tip": "double"}), missing_optional=True, narrower=Narrower.REFUSE
    )
    assert "tip" in merged and keys(merged) == keys(KEYED)


def test_schemas_are_equal_by_their_columns() -> None:
    """SCHEMA-980."""
    plain = KEYED.with_keys((), ())
    assert plain == KEYED and hash(plain) == hash(KEYED)
    assert keys(pickle.loads(pickle.dumps(KEYED))) == keys(KEYED)
    assert repr(KEYED).splitlines()[0] == "Schema of 3 columns, key id, partitioned by city, at.day"


def test_a_tables_schema_has_its_keys(tmp_path: Path) -> None:
    """SCHEMA-980: and a table that is made of a schema has those of the schema, unless others are given."""
    table = hudi_core.open(rides())
    assert keys(table.schema) == keys(table.scan().schema) == (("ride_id",), ("city",))
    schema = schema_of({"id": "string", "n": "int", "city": "string"}, record_keys="id", partition_keys="city")
    made = hudi_core.create(tmp_path / "made", schema)
    assert (made.config.record_key_fields, made.config.partition_fields) == (("id",), ("city",))
    other = hudi_core.create(tmp_path / "other", schema, key=["id", "n"], partition_by="n")
    assert (other.config.record_key_fields, other.config.partition_fields) == (("id", "n"), ("n",))
    assert keys(other.schema) == (("id", "n"), ("n",))
