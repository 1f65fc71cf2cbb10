"""`index.json`: definitions of indexes, and damage to them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hudi_core.errors import CorruptFileError
from hudi_core.metadata.definitions import IndexDefinition, index_definitions
from hudi_core.options import TableConfig, table_config
from tests.support.memory import Memory

PATH = ".hoodie/.index_defs/index.json"
CONFIG: TableConfig = table_config(
    {"hoodie.table.name": "t", "hoodie.table.type": "COPY_ON_WRITE", "hoodie.table.version": "9"}
)


def read(content: bytes | None) -> Any:
    return index_definitions(Memory({} if content is None else {PATH: content}), CONFIG)


def test_a_definition_has_kind_function_columns_and_version() -> None:
    """META-40."""
    answer = {
        "indexName": "i",
        "indexType": "column_stats",
        "indexFunction": "lower",
        "sourceFields": ["s"],
        "indexOptions": {"expr": "lower"},
        "version": "V2",
    }
    found = read(json.dumps({"indexDefinitions": {"expr_index_i": answer}}).encode())["expr_index_i"]
    assert (found.kind, found.function, found.columns) == ("column_stats", "lower", ("s",))
    assert (dict(found.options), found.version) == ({"expr": "lower"}, "V2")


def test_missing_entries_of_old_tables_are_empty_and_version_1() -> None:
    """META-40."""
    found = read(json.dumps({"indexDefinitions": {"record_index": {"sourceFields": None}}}).encode())
    assert found == {"record_index": IndexDefinition.model_validate({})}
    assert found["record_index"].version == "V1"


@pytest.mark.parametrize("content", [None, b"", b" ", b"{}", b'{"indexDefinitions": null}'])
def test_table_without_definitions_has_none(content: bytes | None) -> None:
    """META-40."""
    assert read(content) == {}


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"indexDefinitions": 3}', b'{"indexDefinitions": {"i": 3}}', b"\xff"]
)
def test_damage_names_the_file(content: bytes) -> None:
    with pytest.raises(CorruptFileError, match=PATH):
        read(content)
