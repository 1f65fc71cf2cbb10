"""`bloom_filters`: the filters of base files."""

from __future__ import annotations

import io
import json

import fastavro
import numpy as np

from hudi_core.columns.hashes import bloom_filter_key
from hudi_core.formats.bloom import HashedKeys, parse_bloom_filter
from hudi_core.formats.hfile.cells import Cells
from hudi_core.metadata.filters import filter_texts
from hudi_core.metadata.lookup import LookupResult
from hudi_core.metadata.records import RecordBatch
from tests.support.conformance import TableEntry, each_table_with
from tests.support.metadata_records import record_of
from tests.support.tables import metadata_of

SCHEMA = record_of(
    "HoodieMetadataRecord",
    BloomFilterMetadata=["null", record_of("HoodieMetadataBloomFilter", bloomFilter="bytes", isDeleted="boolean")],
)


def found(*filters: tuple[bytes, bool]) -> LookupResult:
    """Records of filters, and whether their files are gone, for the keys 10, 11, ..."""
    values = []
    for text, gone in filters:
        out = io.BytesIO()
        fastavro.schemaless_writer(
            out, fastavro.parse_schema(SCHEMA), {"BloomFilterMetadata": {"bloomFilter": text, "isDeleted": gone}}
        )
        values.append(out.getvalue())
    lengths = np.array(list(map(len, values)))
    starts, none = np.cumsum(lengths) - lengths, np.zeros(len(values), np.int64)
    cells = Cells(np.frombuffer(b"".join(values), np.uint8), none, none, starts, lengths)
    return LookupResult(RecordBatch(cells, json.dumps(SCHEMA), 0, "t"), np.arange(10, 10 + len(values)))


def test_filters_of_deleted_files_and_empty_filters_are_left_out() -> None:
    """META-33."""
    reported = list(filter_texts([found((b"x", False), (b"y", True), (b"", False), (b"z", False))]))
    assert reported == [(10, b"x"), (13, b"z")]


@each_table_with("bloom_filters")
def test_keys_of_each_base_file_are_in_its_filter(entry: TableEntry) -> None:
    metadata = metadata_of(entry)[3]
    assert metadata is not None
    keys: dict[tuple[str, str], list[str]] = {}
    for row in entry.expected["snapshot"]["rows"]:
        if row["_hoodie_file_name"].endswith(".parquet"):
            file = row["_hoodie_partition_path"], row["_hoodie_file_name"]
            keys.setdefault(file, []).append(row["_hoodie_record_key"])
    by_key = {bloom_filter_key(*file): file for file in keys}
    ordered = sorted(by_key)
    reported = 0
    for number, text in filter_texts(metadata.lookup("bloom_filters", ordered)):
        found = parse_bloom_filter(text, ordered[number])
        assert found.may_contain(HashedKeys(keys[by_key[ordered[number]]])).all()
        assert not found.may_contain(HashedKeys(["no such key", "nor this one"])).any()
        reported += 1
    assert reported == len(keys)
