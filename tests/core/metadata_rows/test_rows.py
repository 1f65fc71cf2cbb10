"""Records of metadata partitions as columns."""

from __future__ import annotations

import uuid

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hudi_core.columns.nodes import to_list
from hudi_core.columns.strings import string_column, string_list
from hudi_core.formats.avro.columns import decode
from hudi_core.metadata.record_index import uuid_halves
from hudi_core.metadata_rows.record_schema import STORED_SCHEMA
from hudi_core.metadata_rows.rows import GroupKeys, location_rows

FILE_IDS = st.uuids().map(str) | st.builds("{}-{}".format, st.uuids(), st.integers(0, 99)) | st.text(max_size=9)
GROUPS = st.lists(st.tuples(st.text(max_size=5), FILE_IDS, st.lists(st.text(max_size=5), max_size=4)), max_size=5)


@given(GROUPS, st.integers(0, 2**45))
def test_each_key_has_the_location_of_its_file_group(groups: list[tuple[str, str, list[str]]], time: int) -> None:
    """META-53: however many file groups there are, and however many keys each has."""
    rows = location_rows([GroupKeys(path, file_id, string_column(keys)) for path, file_id, keys in groups], time)
    expected = [(key, path, file_id) for path, file_id, keys in groups for key in keys]
    assert string_list(rows.keys) == [key for key, _, _ in expected]
    starts, lengths = rows.values.offsets[:-1], np.diff(rows.values.offsets)
    records = to_list(decode(STORED_SCHEMA, rows.values.data, starts, lengths, "test"))
    assert len(records) == len(expected) and len(rows) == len(expected)
    for record, (_, path, file_id) in zip(records, expected, strict=True):
        place = record["recordIndexMetadata"]
        assert (place["partitionName"], place["instantTime"]) == (path, time)
        halves = (place["fileIdHighBits"], place["fileIdLowBits"], place["fileIndex"])
        if uuid_halves(file_id) is None:
            assert (place["fileIdEncoding"], place["fileId"], halves) == (1, file_id, (-1, -1, -1))
        else:
            assert (place["fileIdEncoding"], place["fileId"]) == (0, "")
            assert uuid.UUID(int=(halves[0] << 64 | halves[1] & 2**64 - 1) % 2**128) == uuid.UUID(file_id[:36])
