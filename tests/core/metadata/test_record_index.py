"""`record_index`: where record keys are."""

from __future__ import annotations

import io
import json
import uuid
from typing import Any

import fastavro
import numpy as np
import pytest

from hudi_core.columns.strings import string_list, take_strings
from hudi_core.errors import CorruptFileError
from hudi_core.formats.hfile.cells import Cells
from hudi_core.metadata.lookup import LookupResult
from hudi_core.metadata.record_index import Location, location_columns, locations, uuid_halves
from hudi_core.metadata.records import RecordBatch
from tests.support.conformance import TableEntry, each_table_with
from tests.support.metadata_records import record_of
from tests.support.tables import metadata_of

ID = uuid.UUID("8aa68f7e-afd6-4c94-b86c-8a886552e08d")
OLD: dict[str, Any] = {
    "partitionName": ["null", "string"],
    "fileIdHighBits": ["null", "long"],
    "fileIdLowBits": ["null", "long"],
    "fileIndex": ["null", "int"],
}
NEW = OLD | {"fileId": ["null", "string"], "fileIdEncoding": "int"}


def signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def found(payload: dict[str, Any] | None, fields: dict[str, Any] = NEW) -> LookupResult:
    schema = record_of("R", key="string", recordIndexMetadata=["null", record_of("Info", **fields)])
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), {"key": "", "recordIndexMetadata": payload})
    data = np.frombuffer(b"k" + out.getvalue(), np.uint8)
    places = (np.array([place], np.int64) for place in (0, 1, 1, out.tell()))
    return LookupResult(RecordBatch(Cells(data, *places), json.dumps(schema), 0, "a file"), np.array([3]))


def uuid_place(**more: Any) -> dict[str, Any]:
    high, low = ID.int >> 64, ID.int & ((1 << 64) - 1)
    return {"partitionName": "p", "fileIdHighBits": signed(high), "fileIdLowBits": signed(low), "fileIndex": 2} | more


def test_file_id_of_numbers_is_a_uuid_with_its_index() -> None:
    """META-32."""
    whole = uuid_place(fileId="", fileIdEncoding=0)
    assert list(locations([found(whole)])) == [(3, Location("p", f"{ID}-2"))]
    assert list(locations([found(whole | {"fileIndex": -1})])) == [(3, Location("p", str(ID)))]


def test_a_file_id_may_be_any_string() -> None:
    """META-32."""
    place = uuid_place(fileId="any-id", fileIdEncoding=1, fileIdHighBits=-1, fileIdLowBits=-1, fileIndex=-1)
    assert list(locations([found(place)])) == [(3, Location("p", "any-id"))]
    columns = location_columns(found(place))
    assert (string_list(columns.partitions), columns.as_text.tolist()) == (["p"], [True])
    assert columns.file_ids is not None and string_list(columns.file_ids) == ["any-id"]


def test_records_of_old_writers_have_uuids() -> None:
    """META-32."""
    assert list(locations([found(uuid_place(), OLD)])) == [(3, Location("p", f"{ID}-2"))]


@pytest.mark.parametrize(
    "payload",
    [
        None,
        uuid_place(partitionName=None, fileId="", fileIdEncoding=0),
        uuid_place(fileId="", fileIdEncoding=7),
        uuid_place(fileId=None, fileIdEncoding=1),
        uuid_place(fileIdHighBits=None, fileId="", fileIdEncoding=0),
    ],
)
def test_a_record_without_a_location_is_damage(payload: dict[str, Any] | None) -> None:
    with pytest.raises(CorruptFileError, match="a file"):
        list(locations([found(payload)]))
    with pytest.raises(CorruptFileError, match="a file"):
        location_columns(found(payload))


def test_schema_without_places_is_damage() -> None:
    with pytest.raises(CorruptFileError, match="a schema of locations"):
        list(locations([found({"other": 1}, {"other": "int"})]))


@each_table_with("record_index")
def test_every_key_of_a_recorded_table_is_at_its_location(entry: TableEntry) -> None:
    """META-31."""
    metadata = metadata_of(entry)[3]
    assert metadata is not None
    truth: dict[str, set[Location]] = {}
    for row in entry.expected["snapshot"]["rows"]:
        place = Location(row["_hoodie_partition_path"], row["_hoodie_file_name"].partition("_")[0])
        truth.setdefault(row["_hoodie_record_key"], set()).add(place)
    keys = sorted([*truth, "no such key"])
    answer: dict[str, set[Location]] = {}
    for number, place in locations(metadata.lookup("record_index", keys)):
        answer.setdefault(keys[number], set()).add(place)
    assert answer.keys() == truth.keys()
    for key, places in answer.items():
        assert places <= truth[key]


@pytest.mark.parametrize("file_id", [str(ID), f"{ID}-0", f"{ID}-17"])
def test_file_ids_are_taken_apart_as_the_index_has_them(file_id: str) -> None:
    halves = uuid_halves(file_id)
    assert halves is not None
    place = uuid_place(fileIdHighBits=halves[0], fileIdLowBits=halves[1], fileIndex=halves[2])
    assert list(locations([found(place, OLD)])) == [(3, Location("p", file_id))]


@pytest.mark.parametrize("file_id", ["", "any-id", f"{ID}-", f"{ID}-01", f"{ID}-x", f"{ID}0", str(ID).upper()])
def test_other_file_ids_are_strings(file_id: str) -> None:
    assert uuid_halves(file_id) is None


@each_table_with("record_index")
def test_columns_of_locations_equal_single_locations(entry: TableEntry) -> None:
    metadata = metadata_of(entry)[3]
    assert metadata is not None
    for batch in metadata.records("record_index").batches:
        item = LookupResult(batch, np.arange(len(batch.cells)))
        columns = location_columns(item)
        for number, place in locations([item]):
            assert string_list(take_strings(columns.partitions, np.array([number]))) == [place.partition]
            assert not columns.as_text[number]
            halves = uuid_halves(place.file_id)
            assert halves == (columns.high[number], columns.low[number], columns.file_indexes[number])
